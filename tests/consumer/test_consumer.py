"""The installed library in a project of somebody else's: found by CMake, compiled, linked, and right."""

import json
import os
import subprocess
from pathlib import Path

import numpy
import pytest

HERE = Path(__file__).resolve().parent
PROGRAM = Path(os.environ.get("POINTPNG", HERE.parents[1] / "install" / "bin" / "pointpng"))
PREFIX = PROGRAM.parents[1]
MODEL = PREFIX / "share" / "pointpng_core" / "models" / "object.safetensors"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """Builds the project outside of the tree; gives the program that it makes."""
    build = tmp_path_factory.mktemp("consumer")
    for command in (["cmake", "-G", "Ninja", "-S", HERE, "-B", build, f"-DCMAKE_PREFIX_PATH={PREFIX}"],
                    ["cmake", "--build", build]):
        process = subprocess.run(command, capture_output=True, text=True)
        assert process.returncode == 0, process.stdout + process.stderr
    return build / "align"


@pytest.fixture(scope="module")
def align(program):
    return lambda *arguments: subprocess.run([program, *arguments], capture_output=True, text=True)


def test_it_aligns_two_clouds(align, tmp_path):
    pairs = tmp_path / "pairs"
    subprocess.run([PROGRAM, "eval", "pose", "--data", "procedural:1:3", "--protocol", "resampled", "--pairs", "1",
                    "--save-pairs", pairs], check=True, capture_output=True)
    pair = json.loads((pairs / "pairs.json").read_text())[0]
    process = align(MODEL, pairs / pair["source"], pairs / pair["target"])
    assert process.returncode == 0, process.stderr
    found, truth = numpy.array(process.stdout.split(), float), numpy.array(pair["target_from_source"])
    assert numpy.abs(found - truth).max() < 0.03  # of rotations and of a unit sphere: some two degrees


def test_it_hears_the_librarys_sentences(align, tmp_path):
    (tmp_path / "empty.xyz").write_text("")
    process = align(MODEL, tmp_path / "empty.xyz", tmp_path / "empty.xyz")
    assert process.returncode == 2 and "empty.xyz" in process.stderr


def test_it_sees_neither_libtorch_nor_hdf5_nor_json(program):
    libraries = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    assert "libpointpng.so" in libraries and "torch" not in libraries and "hdf5" not in libraries
    headers = subprocess.run(["ninja", "-C", program.parent, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    assert "pointpng/registration.h" in headers
    assert "torch" not in headers and "nlohmann" not in headers
