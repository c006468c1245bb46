"""POINTPNG_CUDA: kernels where they can be built, a sentence where they can't."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(choice CXX)
list(APPEND CMAKE_MODULE_PATH "{modules}")
add_library(pointpng_torch INTERFACE)
include(Cuda)
message(STATUS "kernels: ${{POINTPNG_HAS_CUDA}}")
"""


@pytest.fixture
def configure(tmp_path):
    """Configures a project with a LibTorch of these libraries; returns (succeeded, CMake's output on one line)."""
    (tmp_path / "CMakeLists.txt").write_text(PROJECT.format(modules=ROOT / "src" / "pointpng_core" / "cmake"))

    def call(choice, libraries, *options):
        process = subprocess.run(["cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DPOINTPNG_CUDA={choice}",
                                  f"-DPOINTPNG_TORCH_LIBRARIES={';'.join(map(str, libraries))}", *options],
                                 capture_output=True, text=True)
        return process.returncode == 0, " ".join((process.stdout + process.stderr).split())

    return call


@pytest.fixture
def other_cuda(tmp_path):
    """A LibTorch for CUDA 9, and a compiler of CUDA 13."""
    for name in ("libtorch_cuda.so", "libc10_cuda.so"):
        (tmp_path / name).write_text("libcudart.so.9\n")
    compiler = tmp_path / "nvcc"
    compiler.write_text("#!/bin/sh\necho 'Cuda compilation tools, release 13.0, V13.0.88'\n")
    compiler.chmod(0o755)
    return [tmp_path / "libtorch_cuda.so", tmp_path / "libc10_cuda.so"], f"-DPOINTPNG_NVCC={compiler}"


def test_auto_goes_on_without_and_says_why(configure):
    succeeded, output = configure("AUTO", ["libtorch_cpu.so"])
    assert succeeded and "kernels: OFF" in output and "built without CUDA" in output


def test_on_is_refused_with_a_sentence(configure):
    succeeded, output = configure("ON", ["libtorch_cpu.so"])
    assert not succeeded and "POINTPNG_CUDA=ON, but this LibTorch was built without CUDA" in output


def test_off_asks_nothing(configure, other_cuda):
    succeeded, output = configure("OFF", *other_cuda)
    assert succeeded and "kernels: OFF" in output


def test_different_major_versions_are_refused(configure, other_cuda):
    succeeded, output = configure("ON", *other_cuda)
    assert not succeeded and "LibTorch is for CUDA 9" in output and "of CUDA 13" in output
