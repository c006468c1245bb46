"""Pre-training through the launch file: from a bag with a stop and a restart between, and from clouds of a topic."""

import json
import subprocess

import pytest
from pointpng_msgs.msg import TrainingProgress
from pointpng_testing import HAS_TRAINING, LATCHED, chair, cloud_message, motion, moved, write_bag
from std_srvs.srv import Trigger

trains = pytest.mark.skipif(not HAS_TRAINING, reason="built without LibTorch")


@pytest.fixture
def progress(listener):
    """The messages of the node so far."""
    return listener.subscribe(TrainingProgress, "/pretrain/progress", LATCHED)


def launch(start, **arguments):
    return start("ros2", "launch", "pointpng", "pretrain.launch.py", *(f"{k}:={v}" for k, v in arguments.items()))


def steps_of(run):
    lines = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
    return [line["step"] for line in lines if "step" in line]


def turned_chair(i, stamp_ns=None):
    return cloud_message(moved(chair(1500, i), motion((1, i, 2), 40 * i)), stamp_ns=stamp_ns)


@trains
def test_a_run_on_a_bag_goes_on_after_a_stop_and_after_a_restart(start, listener, progress, tmp_path):
    run, bag = tmp_path / "run", tmp_path / "bag"
    write_bag(bag, [turned_chair(i, (100 + i) * 10**9) for i in range(24)])
    arguments = {"data": bag, "topic": "/points", "out": run, "preset": "tiny", "epochs": 60}
    node = launch(start, **arguments)
    listener.spin_until(lambda: progress and progress[-1].state == TrainingProgress.TRAINING and progress[-1].step > 0)
    assert progress[-1].loss == progress[-1].loss
    assert listener.call(Trigger, "/pretrain/stop").success
    listener.spin_until(lambda: progress[-1].state == TrainingProgress.STOPPED)
    stopped_at = progress[-1].step
    assert (run / "checkpoint.safetensors").exists()
    assert listener.call(Trigger, "/pretrain/start").success
    assert not listener.call(Trigger, "/pretrain/start").success  # it trains already
    listener.spin_until(lambda: progress[-1].state == TrainingProgress.TRAINING and progress[-1].step > stopped_at)
    assert node.stop(timeout=60) == 0

    listener.spin_for(1.0)
    progress.clear()
    launch(start, **arguments)
    listener.spin_until(lambda: progress and progress[-1].state == TrainingProgress.FINISHED, timeout=240)
    assert (run / "model.safetensors").exists()
    steps = steps_of(run)
    assert steps == sorted(steps) and steps[-1] > stopped_at


@trains
def test_clouds_of_a_topic_are_collected_and_trained_on(start, listener, progress, tmp_path):
    run = tmp_path / "run"
    launch(start, cloud="/points", out=run, preset="tiny", epochs=2, clouds=6)
    clouds = listener.publisher("/points")
    count = iter(range(10**6))

    listener.spin_until(lambda: progress and progress[-1].state == TrainingProgress.FINISHED, timeout=240,
                        meanwhile=lambda: clouds.publish(turned_chair(next(count))), every=0.2)
    config = json.loads((run / "config.json").read_text())
    assert config["command"] == "pretrain" and config["shapes"]["train"] == 6


@trains
def test_data_that_is_not_there_is_told(start, listener, progress, tmp_path):
    node = launch(start, data="/no/such/bag", out=tmp_path / "run")
    listener.spin_until(lambda: progress and progress[-1].state == TrainingProgress.FAILED)
    assert "/no/such/bag" in progress[-1].message
    assert node.stop() == 0


def test_the_arguments_are_documented():
    for file in ("pose", "pretrain", "demo"):
        shown = subprocess.run(["ros2", "launch", "pointpng", f"{file}.launch.py", "--show-args"], capture_output=True,
                               text=True, timeout=60)
        assert shown.returncode == 0, shown.stderr
        assert "no description given" not in shown.stdout
        assert "'" in shown.stdout


def test_the_demo_compares_poses_with_the_truth_and_ends(start):
    demo = start("ros2", "launch", "pointpng", "demo.launch.py", "seconds:=15", "rviz:=false")
    assert demo.wait(90) == 0
    assert "total: " in demo.output and "poses: error " in demo.output
