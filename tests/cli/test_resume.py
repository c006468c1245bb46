"""Ctrl-C, kill -9 and --resume: an interrupted run ends bit-identical to one that was not."""

import json
import random
import signal
import subprocess
import time

import pytest

from training import TINY, assert_same_weights, events_of, metadata_of

# Checkpoints after every step, so that a kill may hit the writing of one.
RUN = ("--data", "procedural:32", *TINY, "--epochs", 20, "--set", "train.checkpoint_minutes=0",
       "--set", "train.average=0.9")


@pytest.fixture(scope="module")
def uninterrupted(pointpng, tmp_path_factory):
    run = tmp_path_factory.mktemp("resume") / "straight"
    process = pointpng("pretrain", "--out", run, *RUN)
    assert process.returncode == 0, process.stderr
    return run


def start(pointpng, *arguments):
    return subprocess.Popen([pointpng.program, *map(str, arguments)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def wait_for(path, process):
    deadline = time.monotonic() + 180
    while not path.exists():
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)


def step_of(run):
    return int(metadata_of(run / "checkpoint.safetensors")["step"])


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM])
def test_a_polite_stop_saves_and_says_how_to_go_on(pointpng, uninterrupted, tmp_path, asked):
    run = tmp_path / "run"
    process = start(pointpng, "pretrain", "--out", run, *RUN)
    wait_for(run / "checkpoint.safetensors", process)
    process.send_signal(asked)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    assert "Go on with:\n  pointpng pretrain --resume --out " + str(run) in out
    assert 0 < step_of(run) < step_of(uninterrupted)

    resumed = pointpng("pretrain", "--resume", "--out", run, "--threads", 1, "--json")
    assert resumed.returncode == 0, resumed.stderr
    assert json.loads(resumed.stdout)["finished"] is True
    assert events_of(run) == ["stop", "resume", "done"]
    assert_same_weights(uninterrupted / "model.safetensors", run / "model.safetensors")
    assert_same_weights(uninterrupted / "checkpoint.safetensors", run / "checkpoint.safetensors")


def test_killed_again_and_again_it_loses_nothing(pointpng, uninterrupted, tmp_path):
    run = tmp_path / "run"
    chance = random.Random(4)
    call = ("pretrain", "--out", run, *RUN)
    for _ in range(4):
        process = start(pointpng, *call)
        wait_for(run / "checkpoint.safetensors", process)
        time.sleep(chance.uniform(0.0, 0.4))
        process.kill()
        process.communicate()
        assert step_of(run) > 0  # complete, whatever was being written
        call = ("pretrain", "--resume", "--out", run, "--threads", 1)
    finished = pointpng(*call)
    assert finished.returncode == 0, finished.stderr
    assert_same_weights(uninterrupted / "model.safetensors", run / "model.safetensors")


def test_a_run_killed_before_its_first_checkpoint_starts_again(pointpng, uninterrupted, tmp_path):
    run = tmp_path / "run"
    process = start(pointpng, "pretrain", "--out", run, *RUN)
    wait_for(run / "config.json", process)
    process.kill()
    process.communicate()
    (run / "checkpoint.safetensors").unlink(missing_ok=True)
    with open(run / "log.jsonl", "a") as log:
        log.write('{"step": 3, "lo')  # half a line
    resumed = pointpng("pretrain", "--resume", "--out", run, "--threads", 1)
    assert resumed.returncode == 0 and "no checkpoint yet" in resumed.stderr
    assert_same_weights(uninterrupted / "model.safetensors", run / "model.safetensors")
    assert pointpng("report", run).returncode == 0


def test_a_finished_run_stays_as_it_is(pointpng, uninterrupted):
    before = (uninterrupted / "checkpoint.safetensors").read_bytes()
    process = pointpng("pretrain", "--resume", "--out", uninterrupted, "--threads", 1, "--json")
    assert process.returncode == 0 and json.loads(process.stdout)["steps"] == step_of(uninterrupted)
    assert (uninterrupted / "checkpoint.safetensors").read_bytes() == before


def refused(process, *words):
    assert process.returncode == 2, (process.returncode, process.stderr)
    lines = process.stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("pointpng error: "), process.stderr
    for word in words:
        assert word in lines[0]


@pytest.fixture
def half_done(pointpng, tmp_path):
    """A run on its own data file, stopped in the middle."""
    cloud = tmp_path / "cup.xyz"
    chance = random.Random(1)
    cloud.write_text("".join(f"{chance.random()} {chance.random()} {chance.random()}\n" for _ in range(300)))
    run = tmp_path / "run"
    process = start(pointpng, "pretrain", "--data", cloud, "--out", run, *TINY, "--batch", 2, "--epochs", 5000,
                    "--set", "train.checkpoint_minutes=0")
    wait_for(run / "checkpoint.safetensors", process)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    return run, cloud


def test_resume_refuses_what_has_changed(pointpng, half_done):
    run, cloud = half_done
    resume = ("pretrain", "--resume", "--out", run)
    refused(pointpng("mae", "--resume", "--out", run), "pointpng pretrain")
    refused(pointpng(*resume, "--epochs", 9), "--resume", "--epochs")
    refused(pointpng(*resume, "--data", cloud), "--resume", "--data")

    whole = cloud.read_text()
    cloud.write_text(whole + "1 2 3\n")
    refused(pointpng(*resume), "cup.xyz has changed", "points")
    first, second, rest = whole.split("\n", 2)
    cloud.write_text(f"{second}\n{first}\n{rest}")  # as many points, another order
    refused(pointpng(*resume), "cup.xyz has changed", "checksum")
    cloud.unlink()
    refused(pointpng(*resume), "cup.xyz")
    cloud.write_text(whole)

    stored = (run / "config.json").read_text()
    config = json.loads(stored)
    config["model"]["width"] = 32
    (run / "config.json").write_text(json.dumps(config))
    refused(pointpng(*resume), "another architecture")
    (run / "config.json").write_text("[]")
    refused(pointpng(*resume), "config.json")
    (run / "config.json").write_text("{}")
    refused(pointpng(*resume), "config.json")
    (run / "config.json").write_text(stored)

    checkpoint = run / "checkpoint.safetensors"
    checkpoint.write_bytes(checkpoint.read_bytes()[:-100])
    refused(pointpng(*resume), "checkpoint.safetensors", "cut off")


def test_a_new_run_does_not_overwrite_an_old_one(pointpng, uninterrupted):
    before = {path.name: path.read_bytes() for path in uninterrupted.iterdir()}
    refused(pointpng("pretrain", "--out", uninterrupted, *RUN), "--resume")
    assert {path.name: path.read_bytes() for path in uninterrupted.iterdir()} == before


def test_there_must_be_something_to_resume(pointpng, tmp_path):
    refused(pointpng("pretrain", "--resume", "--out", tmp_path / "nothing"), "no run")
    assert not (tmp_path / "nothing").exists()
