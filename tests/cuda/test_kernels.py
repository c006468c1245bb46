"""The CUDA kernels without a GPU: nvcc compiles them, and their tests notice every barrier that is taken out."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src" / "pointpng_core" / "src"
NVCC = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
COMPILED = re.compile(r"Compiling entry function '(\w+)' for 'sm_(\d+)'\n.*\n"
                      r" +(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads\n.*Used (\d+) registers")
JETSONS = ("87", "110")  # Orin, Thor


def kernels():
    """Their names, from the list that the launcher instantiates."""
    listed = re.search(r"define POINTPNG_FOR_EACH_KERNEL\(X\)(.*)", (SOURCES / "cuda" / "launch.h").read_text(), re.DOTALL)
    return re.findall(r"X\((\w+)\)", listed.group(1))


def documented():
    """Kernel → registers on each Jetson, as docs/gpu.md says."""
    rows = re.findall(r"^\| `(\w+)` \|.*\| (\d+) \| (\d+) \|$", (ROOT / "docs" / "gpu.md").read_text(), re.MULTILINE)
    return {name: dict(zip(JETSONS, map(int, registers))) for name, *registers in rows}


def test_the_documentation_lists_every_kernel():
    assert sorted(documented()) == sorted(kernels())


@pytest.mark.skipif(NVCC is None, reason="there is no nvcc on this machine")
def test_nvcc_compiles_them_without_spills(tmp_path):
    targets = [option for jetson in JETSONS for option in ("-gencode", f"arch=compute_{jetson},code=sm_{jetson}")]
    process = subprocess.run([NVCC, "-std=c++17", "-O3", *targets, "-Xptxas", "-v", "-I", SOURCES, "-c", SOURCES / "cuda" / "kernels.cu",
                              "-o", tmp_path / "kernels.o"], capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    found = {}
    for entry, jetson, stack, stores, loads, registers in COMPILED.findall(process.stderr):
        name = next(name for name in kernels() if f"{len(name)}{name}E" in entry)
        assert (stack, stores, loads) == ("0", "0", "0"), f"{name} spills registers on sm_{jetson}"
        found.setdefault(name, {})[jetson] = int(registers)
    assert sorted(found) == sorted(kernels())
    if "release 13.0," in subprocess.run([NVCC, "--version"], capture_output=True, text=True).stdout:
        assert found == documented()  # another compiler may use other numbers


def run_tests(program, **environment):
    """The kernels' tests under ThreadSanitizer, which can't handle addresses as random as Linux makes them."""
    return subprocess.run(["setarch", "-R", program, "--gtest_brief=1", "--gtest_filter=-*Million*"], capture_output=True,
                          text=True, timeout=600, env={**os.environ, **environment})


def test_every_barrier_that_is_left_out_is_noticed(built, tmp_path):
    program = built("pointpng_cuda_tests_thread")
    listed = tmp_path / "barriers"
    whole = run_tests(program, POINTPNG_BARRIERS=str(listed))
    assert whole.returncode == 0, whole.stdout + whole.stderr
    barriers = listed.read_text().split()
    written = sum(path.read_text().count("block.sync();") for path in (SOURCES / "cuda").glob("*_kernels.h"))
    assert len(barriers) == written, "a barrier is met by no test"
    unnoticed = [barrier for barrier in barriers if run_tests(program, POINTPNG_LEAVE_OUT=barrier).returncode == 0]
    assert unnoticed == []
