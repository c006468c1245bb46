"""What the tests of training share: short runs, and their files read by Python."""

import json

import numpy
from safetensors import safe_open

TINY = ("--preset", "tiny", "--threads", 1)


def tensors_of(path):
    """All tensors of a file, as the `safetensors` package reads them."""
    with safe_open(path, "numpy") as file:
        return {name: file.get_tensor(name) for name in file.keys()}


def metadata_of(path):
    with safe_open(path, "numpy") as file:
        return file.metadata()


def assert_same_weights(one, other):
    one, other = tensors_of(one), tensors_of(other)
    assert one and one.keys() == other.keys()
    for name, tensor in one.items():
        assert tensor.dtype == other[name].dtype and numpy.array_equal(tensor, other[name]), name


def log_of(run):
    return [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]


def events_of(run):
    return [line["event"] for line in log_of(run) if "event" in line]
