"""Training in several processes: the same run, whoever is killed."""

import json
import os
import signal
import socket
import subprocess
import time

import numpy
import pytest

from training import TINY, assert_same_weights, events_of, log_of, metadata_of, tensors_of

RUN = ("--data", "procedural:32", *TINY, "--epochs", 20, "--set", "train.checkpoint_minutes=0")
LONG = ("--data", "procedural:32", *TINY, "--epochs", 5000, "--set", "train.checkpoint_minutes=0")
VARIABLES = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")


@pytest.fixture(scope="module", autouse=True)
def gloo(pointpng, tmp_path_factory):
    run = tmp_path_factory.mktemp("gloo") / "run"
    process = pointpng("pretrain", "--data", "procedural:4", "--out", run, *TINY, "--batch", 4, "--epochs", 1,
                       "--processes", 2)
    if "built without Gloo" in process.stderr:
        pytest.skip("built without Gloo: training runs in one process")
    assert process.returncode == 0, process.stderr


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def environment(**values):
    others = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    return others | {name: str(value) for name, value in values.items()}


def start(pointpng, rank, port, *arguments):
    """One process of two, as a launcher starts it."""
    return subprocess.Popen(
        [pointpng.program, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=environment(RANK=rank, WORLD_SIZE=2, LOCAL_RANK=rank, LOCAL_WORLD_SIZE=2, MASTER_ADDR="127.0.0.1",
                        MASTER_PORT=port))


def start_both(pointpng, *arguments):
    port = free_port()
    return [start(pointpng, rank, port, *arguments) for rank in (0, 1)]


def wait_for(path, process):
    deadline = time.monotonic() + 100
    while not path.exists():
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)


def finish(process, seconds=100):
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return process.returncode, out, err


def step_of(run):
    return int(metadata_of(run / "checkpoint.safetensors")["step"])


def largest_difference(one, other):
    one, other = tensors_of(one), tensors_of(other)
    assert one and one.keys() == other.keys()
    return max(numpy.abs(tensor.astype(float) - other[name]).max() for name, tensor in one.items())


@pytest.fixture(scope="module")
def straight(pointpng, tmp_path_factory):
    """Uninterrupted runs of two processes and of one."""
    runs = {}
    for processes in (1, 2):
        runs[processes] = tmp_path_factory.mktemp("straight") / "run"
        process = pointpng("pretrain", "--out", runs[processes], *RUN, "--processes", processes, "--json")
        assert process.returncode == 0, process.stderr
        assert json.loads(process.stdout)["finished"] is True  # one object: only the first process prints
    return runs


def test_two_processes_are_as_good_as_one(straight):
    assert largest_difference(straight[1] / "model.safetensors", straight[2] / "model.safetensors") < 1e-3
    assert {path.name for path in straight[2].iterdir()} == {
        "config.json", "log.jsonl", "checkpoint.safetensors", "model.safetensors"
    }
    assert events_of(straight[2]) == ["done"]
    assert json.loads((straight[2] / "config.json").read_text())["machine"]["processes"] == 2
    assert any(line.get("exchanged_bytes", 0) > 0 for line in log_of(straight[2]))


def test_a_launchers_environment_gives_the_same_run(pointpng, straight, tmp_path):
    first, second = start_both(pointpng, "pretrain", "--out", tmp_path / "run", *RUN, "--json")
    status, out, err = finish(first)
    assert status == 0, err
    assert json.loads(out)["finished"] is True
    status, out, err = finish(second)
    assert (status, out, err) == (0, "", "")
    assert_same_weights(straight[2] / "checkpoint.safetensors", tmp_path / "run" / "checkpoint.safetensors")


@pytest.mark.parametrize("command", [("mae",), ("finetune", "pose", "--model", "object")])
def test_the_other_commands_run_in_two_processes(pointpng, tmp_path, command):
    size = () if command[0] == "finetune" else ("--preset", "tiny")
    process = pointpng(*command, "--data", "procedural:8", "--out", tmp_path / "run", *size, "--threads", 1, "--batch", 4,
                       "--epochs", 1, "--processes", 2, "--json")
    assert process.returncode == 0, process.stderr
    assert json.loads(process.stdout)["steps"] == 2


def test_a_classifier_is_fine_tuned_in_two_processes(pointpng, tmp_path):
    chance = numpy.random.default_rng(1)
    for name in ("cup", "jug"):
        (tmp_path / "data" / name).mkdir(parents=True)
        for i in range(3):
            cloud = chance.normal(size=(300, 3)) * (1, 1, 1 if name == "cup" else 0.2)
            numpy.save(tmp_path / "data" / name / f"{i}.npy", cloud.astype("f4"))
    process = pointpng("finetune", "classify", "--data", tmp_path / "data", "--out", tmp_path / "run", "--batch", 2,
                       "--epochs", 1, "--threads", 1, "--processes", 2, "--json")
    assert process.returncode == 0, process.stderr
    assert (tmp_path / "run" / "classifier.safetensors").exists()


@pytest.mark.parametrize("killed", [0, 1])
def test_whoever_is_killed_the_other_ends_and_the_run_goes_on(pointpng, straight, tmp_path, killed):
    run = tmp_path / "run"
    both = start_both(pointpng, "pretrain", "--out", run, *LONG)
    wait_for(run / "checkpoint.safetensors", both[0])
    both[killed].kill()
    at = time.monotonic()
    status, _, err = finish(both[1 - killed])
    assert time.monotonic() - at < 30
    assert status == 1
    lines = err.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("pointpng error: ") and lines[0].endswith("go on with --resume")
    both[killed].communicate()

    before = step_of(run)  # readable: the folder is whole
    resumed = start_both(pointpng, "pretrain", "--resume", "--out", run, "--threads", 1)
    deadline = time.monotonic() + 100
    while step_of(run) < before + 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    resumed[1].send_signal(signal.SIGINT)  # any of them may be asked to stop
    assert finish(resumed[0])[0] == 1 and finish(resumed[1])[0] == 0
    assert step_of(run) >= before + 3 and events_of(run)[-2:] == ["resume", "stop"]


def test_killed_in_the_middle_it_ends_to_the_bit_as_if_not(pointpng, straight, tmp_path):
    run = tmp_path / "run"
    both = start_both(pointpng, "pretrain", "--out", run, *RUN)
    wait_for(run / "checkpoint.safetensors", both[0])
    both[1].kill()
    assert finish(both[0])[0] == 1
    both[1].communicate()
    assert step_of(run) < step_of(straight[2])
    process = pointpng("pretrain", "--resume", "--out", run, "--threads", 1, "--processes", 2)
    assert process.returncode == 0, process.stderr
    assert_same_weights(straight[2] / "checkpoint.safetensors", run / "checkpoint.safetensors")


@pytest.mark.parametrize("missing", [0, 1])
def test_who_never_comes_is_not_waited_for(pointpng, tmp_path, missing):
    process = start(pointpng, 1 - missing, free_port(), "pretrain", "--out", tmp_path / "run", *RUN)
    at = time.monotonic()
    status, _, err = finish(process)
    assert time.monotonic() - at < 40  # 25 s, and the start of the program on a busy machine
    assert status in (1, 2) and len(err.strip().splitlines()) == 1
    assert ("no process listens at 127.0.0.1" if missing == 0 else "process 1 of 2 did not come") in err


def test_a_process_that_hangs_ends_the_others(pointpng, tmp_path):
    both = start_both(pointpng, "pretrain", "--out", tmp_path / "run", *LONG)
    try:
        wait_for(tmp_path / "run" / "checkpoint.safetensors", both[0])
        both[1].send_signal(signal.SIGSTOP)
        at = time.monotonic()
        status, _, err = finish(both[0])
        assert status == 1 and time.monotonic() - at < 30
        assert "process 1 of 2 has given no sign of life" in err
    finally:
        both[1].kill()
        both[1].communicate()


def refused(process, *words):
    assert process.returncode == 2, (process.returncode, process.stderr)
    lines = process.stderr.strip().splitlines()
    assert len(lines) == 1, process.stderr
    for word in words:
        assert word in lines[0]


def test_what_can_not_work_is_refused_with_a_sentence(pointpng, tmp_path):
    call = ("pretrain", "--out", tmp_path / "run", *RUN)
    refused(pointpng(*call, "--processes", 0), "processes must be in [1, 64], got 0")
    refused(pointpng(*call, "--processes", 3), "a batch of 16 shapes can't be shared by 3 processes")
    refused(pointpng(*call, env=environment(RANK=2, WORLD_SIZE=2)), "RANK must be a number in [0, 1], got '2'")
    refused(pointpng(*call, env=environment(RANK="x", WORLD_SIZE=2)), "RANK must be a number")
    refused(pointpng(*call, env=environment(RANK=0, WORLD_SIZE=2)), "MASTER_ADDR is not set")
    with socket.socket() as taken:
        taken.bind(("", 0))
        taken.listen()
        port = taken.getsockname()[1]
        place = environment(RANK=0, WORLD_SIZE=2, MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
        refused(pointpng(*call, env=place), f"can't listen on port {port}")
        refused(pointpng(*call, "--processes", 4, env=place), "--processes 4 contradicts WORLD_SIZE=2")
    assert not (tmp_path / "run").exists()


def test_a_folder_with_a_run_is_refused_once(pointpng, straight):
    refused(pointpng("pretrain", "--out", straight[2], *RUN, "--processes", 2), "holds a run already")
