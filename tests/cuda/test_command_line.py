"""The command line on `cuda`, on a device that is none: it counts launches and copies, and the host can't touch its memory."""

import json
import shutil
from pathlib import Path

import numpy
import pytest

ROOT = Path(__file__).resolve().parents[2]
CLOUDS = [ROOT / "docs" / "examples" / name for name in ("chair_seen.ply", "chair.ply")]
SHORT = ("--data", "procedural:12", "--epochs", 0.1, "--batch", 4, "--threads", 1)


def result_of(process):
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def pose_of(process):
    return numpy.array(result_of(process)["target_from_source"]).reshape(4, 4)


def test_pose_is_the_cpus_within_the_budget(on_cuda):
    there, counts = on_cuda("pose", *CLOUDS, "--json")
    here, _ = on_cuda("pose", *CLOUDS, "--json", device_name="cpu")
    assert numpy.allclose(pose_of(there), pose_of(here), atol=1e-2)
    assert 0 < counts["launches"] <= 250
    assert counts["copies_to_device"] + counts["copies_to_host"] <= 20
    assert counts["own_stream"] == counts["launches"]


@pytest.mark.parametrize("after", [0, 30])
def test_pose_goes_on_on_the_cpu_where_the_device_fails(on_cuda, after):
    there, _ = on_cuda("pose", *CLOUDS, "--json", fail_after=after)
    here, _ = on_cuda("pose", *CLOUDS, "--json", device_name="cpu")
    assert numpy.allclose(pose_of(there), pose_of(here), atol=1e-2)


def test_a_sequence_is_tracked(on_cuda, tmp_path):
    folder = tmp_path / "frames"
    folder.mkdir()
    for number in range(3):
        shutil.copy(CLOUDS[0], folder / f"{number}.ply")
    process, counts = on_cuda("track", folder, "--reference", CLOUDS[1], "--json")
    assert len(result_of(process)["frames"]) == 3
    assert counts["launches"] > 0


@pytest.mark.parametrize("command", [("pretrain",), ("mae",)])
def test_training_runs_and_reads_little_back(on_cuda, tmp_path, command):
    process, counts = on_cuda(*command, "--preset", "tiny", *SHORT, "--out", tmp_path / "run", "--json")
    assert process.returncode == 0, process.stderr
    assert counts["launches"] > 0


def test_a_model_is_finetuned(on_cuda, tmp_path):
    process, counts = on_cuda("finetune", "pose", *SHORT, "--out", tmp_path / "run", "--json")
    assert process.returncode == 0, process.stderr
    assert counts["launches"] > 0


def test_poses_are_evaluated_and_compared(on_cuda, tmp_path):
    process, counts = on_cuda("eval", "pose", "--data", "procedural:4", "--protocol", "resampled", "--pairs", 3, "--save-pairs",
                              tmp_path / "pairs", "--json")
    assert result_of(process)["pairs"] == 3
    # One pair that warms up and three together: two batches.
    assert counts["operations"]["pointpng::farthest_points"] == 2
    process, counts = on_cuda("bench", "pose", "--pairs-dir", tmp_path / "pairs", "--json")
    assert result_of(process)["methods"][0]["method"] == "Point-PNG"
    assert counts["launches"] > 0


def test_doctor_finds_the_device(on_cuda):
    process, _ = on_cuda("doctor", "--json")
    assert result_of(process)["cuda"]["usable"]
