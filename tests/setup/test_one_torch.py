"""One LibTorch in a build: the one that the user names wins, and a mixture of two is rejected."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(choice CXX)
list(APPEND CMAKE_MODULE_PATH "{modules}")
if(NO_SYSTEM)
  set(CMAKE_SYSTEM_PREFIX_PATH "")
endif()
include(OneTorch)
message(STATUS "chosen: ${{POINTPNG_TORCH_PREFIX}}")
"""


@pytest.fixture
def configure(tmp_path):
    """Configures a project that includes OneTorch; returns (succeeded, CMake's output on one line)."""
    (tmp_path / "CMakeLists.txt").write_text(
        PROJECT.format(modules=ROOT / "src" / "pointpng_core" / "cmake")
    )

    def call(*options, **environment):
        process = subprocess.run(
            ["cmake", "-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "build", *options],
            capture_output=True, text=True, env={**clean_environment(), **environment},
        )
        return process.returncode == 0, " ".join((process.stdout + process.stderr).split())

    return call


def clean_environment():
    chosen = ("Torch_DIR", "CMAKE_PREFIX_PATH", "LD_LIBRARY_PATH")
    return {name: value for name, value in os.environ.items() if name not in chosen}


@pytest.fixture(scope="session")
def torch_folder(pointpng_doctor):
    """The library folder of the LibTorch that this build uses."""
    return Path(pointpng_doctor["libtorch"]["library"]).parent


@pytest.fixture(scope="session")
def pointpng_doctor():
    program = os.environ.get("POINTPNG", str(ROOT / "install" / "bin" / "pointpng"))
    return json.loads(subprocess.run([program, "doctor", "--json"], capture_output=True, text=True).stdout)


@pytest.fixture
def own_torch(tmp_path, torch_folder):
    """A second LibTorch in another folder: its libraries are links to the first one's, so that
    programs load those, and its only header is the version."""

    def make(headers, package):
        prefix = tmp_path / "own"
        config = prefix / "share" / "cmake" / "Torch"
        api = prefix / "include" / "torch" / "csrc" / "api" / "include" / "torch"
        for folder in (config, api, prefix / "lib"):
            folder.mkdir(parents=True)
        (config / "TorchConfig.cmake").write_text("")
        (config / "TorchConfigVersion.cmake").write_text(f'set(PACKAGE_VERSION "{package}.0")\n')
        major, minor = headers.split(".")
        (api / "version.h").write_text(
            f"#define TORCH_VERSION_MAJOR {major}\n#define TORCH_VERSION_MINOR {minor}\n"
        )
        for name in ("libtorch", "libtorch_cpu", "libc10"):
            os.symlink((torch_folder / f"{name}.so").resolve(), prefix / "lib" / f"{name}.so")
        return prefix

    return make


def test_the_systems_is_taken_where_none_is_named(configure):
    if not list(Path("/usr/lib").glob("*/cmake/Torch/TorchConfig.cmake")):
        pytest.skip("no LibTorch in the system")
    succeeded, said = configure()
    assert succeeded and "chosen: /usr" in said


def test_without_any_a_build_stops_unless_it_may_do_without(configure):
    succeeded, said = configure("-DNO_SYSTEM=ON")
    assert not succeeded and "There is no LibTorch: install libtorch-dev" in said
    succeeded, said = configure("-DNO_SYSTEM=ON", "-DPOINTPNG_LEARNING=AUTO")
    assert succeeded and "chosen: " in said and "LibTorch" not in said
    succeeded, said = configure("-DNO_SYSTEM=ON", "-DPOINTPNG_LEARNING=AUTO", "-DTorch_DIR=/nonexistent")
    assert not succeeded and "There is no LibTorch" in said


def test_one_that_is_named_is_taken_before_the_systems(configure, own_torch):
    prefix = own_torch(headers="9.9", package="9.9")
    for options, environment in (
        ([f"-DTorch_DIR={prefix}/share/cmake/Torch"], {}),
        ([f"-DCMAKE_PREFIX_PATH={prefix}"], {}),
        ([], {"Torch_DIR": f"{prefix}/share/cmake/Torch"}),
        ([], {"CMAKE_PREFIX_PATH": f"/nonexistent:{prefix}/share/cmake"}),
    ):
        _, said = configure(*options, **environment)
        assert f"this build takes the one in {prefix}" in said


def test_headers_of_another_version_are_refused(configure, own_torch):
    prefix = own_torch(headers="9.8", package="9.9")
    succeeded, said = configure(f"-DTorch_DIR={prefix}/share/cmake/Torch")
    assert not succeeded
    assert re.search(r"Two LibTorch are mixed: .* headers of 9\.8, .* is 9\.9", said)


def test_libraries_of_another_folder_are_refused(configure, own_torch, torch_folder):
    prefix = own_torch(headers="9.9", package="9.9")
    succeeded, said = configure(f"-DTorch_DIR={prefix}/share/cmake/Torch")
    assert not succeeded
    assert f"Two LibTorch are mixed: this build takes the one in {prefix}, but programs load the one in {torch_folder}" in said


def test_an_incomplete_one_is_refused(configure, own_torch):
    prefix = own_torch(headers="9.9", package="9.9")
    (prefix / "lib" / "libc10.so").unlink()
    succeeded, said = configure(f"-DTorch_DIR={prefix}/share/cmake/Torch")
    assert not succeeded and "has no libc10.so" in said


def test_one_of_the_old_abi_is_refused(configure, own_torch):
    prefix = own_torch(headers="2.1", package="2.1")
    config = prefix / "share" / "cmake" / "Torch" / "TorchConfig.cmake"
    config.write_text('set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI=0")\n')
    succeeded, said = configure(f"-DTorch_DIR={prefix}/share/cmake/Torch")
    assert not succeeded and "old C++ ABI" in said


def test_an_fmt_that_it_brings_along_does_not_hide_the_systems(configure, own_torch, tmp_path):
    prefix = own_torch(headers="9.9", package="9.9")
    (prefix / "include" / "fmt").mkdir()
    configure(f"-DTorch_DIR={prefix}/share/cmake/Torch")  # refused as above, but the headers are chosen before
    headers = tmp_path / "build" / "torch_headers"
    assert (headers / "torch" / "csrc").is_dir()
    assert not (headers / "fmt").exists()
