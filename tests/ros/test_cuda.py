"""The pose node on `cuda`, on a device that is none: it counts launches, and fails when it is told to."""

import json
import os
from pathlib import Path

import pytest
from pointpng_testing import chair, cloud_message, degrees_between, matrix_of, motion, moved, node_command

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD_DIR", ROOT / "build" / "core"))
TRUTH = motion((1, 2, -1), 70, (0.1, 0, 1))


@pytest.fixture
def pose_on_cuda(start, listener, tmp_path):
    """Starts a pose node on the counting device and returns a function that shows it the object until it answers so often."""
    device = next((path for path in BUILD.rglob("libpointpng_counting_device.so")), None)
    if device is None:
        pytest.skip("the counting device was not built: it needs Debian's LibTorch 1.13")
    part = tmp_path / "part.xyz"
    part.write_text("".join(f"{x} {y} {z}\n" for x, y, z in chair()))

    def run(answers, **environment):
        words = [f"{name}={value}" for name, value in
                 {"LD_PRELOAD": device, "POINTPNG_COUNTS": tmp_path / "counts.json", **environment}.items()]
        process = start("env", *words, *node_command("pose_node", {"device": "cuda", "reference_file": part}))
        publisher = listener.publisher("/cloud")
        seen = moved(chair(seed=1), TRUTH)
        listener.spin_until(lambda: len(listener.accepted()) >= answers, every=0.2,
                            meanwhile=lambda: publisher.publish(cloud_message(seen)))
        return process

    return run


def turn_of(answer):
    return degrees_between(matrix_of(answer.target_from_source), TRUTH)


def test_poses_are_computed_on_the_device(pose_on_cuda, listener, tmp_path):
    process = pose_on_cuda(3)
    assert all(turn_of(answer) < 3.0 for answer in listener.accepted())
    listener.spin_until(lambda: (listener.last_diagnostic() or {}).get("device") == "cuda:0")
    assert process.stop() == 0
    counts = json.loads((tmp_path / "counts.json").read_text())
    assert counts["launches"] > 0 and counts["own_stream"] == counts["launches"]


def test_a_device_that_fails_is_replaced_and_diagnostics_say_why(pose_on_cuda, listener):
    process = pose_on_cuda(3, POINTPNG_FAIL_AFTER=70)  # the reference is embedded, the first cloud is not
    assert all(turn_of(answer) < 3.0 for answer in listener.accepted())
    failed = "cpu (cuda:0 failed: CUDA error: the counting device was told to fail"
    listener.spin_until(lambda: (listener.last_diagnostic() or {}).get("device", "").startswith(failed))
    listener.spin_until(lambda: "another device" in listener.last_diagnostic()["last event"])
    assert process.stop() == 0
    assert "the model computes on another device now: cpu" in process.output
