"""The package manifests: valid, complete, and all of one version."""

import re
import subprocess
from pathlib import Path

import pytest
from catkin_pkg.package import parse_package

SOURCES = Path(__file__).parents[2] / "src"
PACKAGES = sorted(file.parent.name for file in SOURCES.glob("*/package.xml"))
# Found by CMake under another name than rosdep knows, or brought by the compiler and the build tools.
NAMES = {"Eigen3": "eigen", "nlohmann_json": "nlohmann-json-dev", "CLI11": "cli11", "HDF5": "hdf5", "SQLite3": "libsqlite3-dev",
         "PNG": "libpng-dev", "PkgConfig": "pkg-config", "GTest": "libgmock-dev", "libzstd": "libzstd-dev", "liblz4": "liblz4-dev",
         "cairo": "libcairo2-dev"}
NOT_PACKAGED = {"OpenMP", "Threads"}


def declared(package):
    kinds = ("buildtool", "build", "build_export", "exec", "test")
    return {entry.name for kind in kinds for entry in getattr(package, f"{kind}_depends")}


def found_by_cmake(folder):
    text = "\n".join(file.read_text() for file in [folder / "CMakeLists.txt", *folder.glob("tests/CMakeLists.txt"), *folder.glob("cmake/*.cmake")])
    names = set(re.findall(r"find_package\((\w[\w-]*)", text)) | set(re.findall(r"pkg_check_modules\(.* (\S+)\)", text))
    for listed in re.findall(r"set\(dependencies\s+([^)]*)\)", text):
        names |= set(listed.split())
    return {NAMES.get(name, name) for name in names} - NOT_PACKAGED - {folder.name}


def test_there_are_all_packages():
    assert PACKAGES == ["pointpng", "pointpng_cli", "pointpng_core", "pointpng_msgs", "pointpng_ros"]


def test_colcon_finds_them_and_nothing_else():
    """It takes every folder with one of these files for a package, unless COLCON_IGNORE is there or above."""
    root = SOURCES.parent
    listed = subprocess.run(["git", "ls-files", "*CMakeLists.txt", "*package.xml"], cwd=root, capture_output=True, text=True,
                            check=True).stdout.splitlines()
    folders = {file.parent for file in map(Path, listed)
               if not any((root / folder / "COLCON_IGNORE").exists() for folder in file.parents)}
    outermost = {folder for folder in folders if folders.isdisjoint(folder.parents)}
    assert outermost == {Path("src", name) for name in PACKAGES}


@pytest.mark.parametrize("name", PACKAGES)
def test_a_description_is_valid_and_names_all_that_the_build_looks_for(name):
    warnings = []
    package = parse_package(SOURCES / name / "package.xml", warnings=warnings)
    package.validate(warnings=warnings)
    assert warnings == []
    assert (package.name, package.package_format, package.licenses) == (name, 3, ["Apache-2.0"])
    assert found_by_cmake(SOURCES / name) - declared(package) == set()


def test_all_have_the_same_version():
    assert len({parse_package(SOURCES / name / "package.xml").version for name in PACKAGES}) == 1


def test_what_launch_files_and_scripts_import_is_declared():
    root = SOURCES.parent
    shared = SOURCES / "pointpng" / "pointpng_launch"
    files = [*root.glob("launch/*.py"), *shared.glob("*.py"), *(SOURCES / "pointpng" / "scripts").iterdir()]
    imported = {name for file in files for name in re.findall(r"^(?:from|import) (\w+)", file.read_text(), re.MULTILINE)}
    packages = {entry.name for entry in parse_package(SOURCES / "pointpng" / "package.xml").exec_depends}
    standard = {"html", "math", "os", "pathlib", "shutil", "statistics", "subprocess", "sys", "time"}
    assert imported - standard - packages == {shared.name}
