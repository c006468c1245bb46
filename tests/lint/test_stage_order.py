"""Data flows one way: stages.txt says which stages a stage may include, and what may include the core's private headers."""

import re
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "src"
CORE = SOURCES / "pointpng_core"
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
LIGHT_HEADERS = ("alignment.h", "cloud.h", "error.h", "io.h", "registration.h", "runtime.h", "tracker.h")


def stages():
    """Stage → (library, what it may include besides itself), from the table that CMake reads as well."""
    table = {}
    for line in (CORE / "stages.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, library, *may_use = line.split()
            table[name] = (library, set(may_use))
    return table


STAGES = stages()


def included(text):
    return INCLUDE.findall(text)


def forbidden(stage, text):
    """Headers of later stages and relative paths among the includes of a file of `stage`."""
    allowed = {stage} | STAGES[stage][1]
    return [name for name in included(text)
            if name.startswith("..") or (name.split("/")[0] in STAGES and name.split("/")[0] not in allowed)]


def files_of(folder):
    return [path for path in folder.rglob("*") if path.suffix in {".h", ".cpp", ".cu"}]


def wrong_includes(folder, find):
    found = {str(path.relative_to(SOURCES)): find(path.read_text()) for path in files_of(folder)}
    return {path: names for path, names in found.items() if names}


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_includes_only_earlier_ones(stage):
    assert not wrong_includes(CORE / "src" / stage, lambda text: forbidden(stage, text))


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_may_use_only_stages_before_it(stage):
    before = list(STAGES)[: list(STAGES).index(stage)]
    assert STAGES[stage][1] <= set(before)


def test_every_folder_of_the_core_is_a_stage():
    folders = {path.name for path in (CORE / "src").iterdir() if path.is_dir()}
    assert folders == set(STAGES)


@pytest.mark.parametrize("stage", [name for name, (library, _) in STAGES.items() if library != "pointpng_learning"])
def test_what_robots_need_does_not_know_libtorch(stage):
    torch = re.compile(r"^(torch|ATen|c10)/")
    assert not wrong_includes(CORE / "src" / stage, lambda text: [name for name in included(text) if torch.match(name)])


def test_the_core_knows_nothing_of_ros_or_a_command_line():
    later = re.compile(r"^(rclcpp|sensor_msgs|geometry_msgs|tf2|rosbag2|CLI/|spdlog|cli/|report/)")
    assert not wrong_includes(CORE, lambda text: [name for name in included(text) if later.match(name)])


@pytest.mark.parametrize("package", ["pointpng_cli", "pointpng_ros"])
def test_other_packages_use_the_public_headers_only(package):
    private = lambda text: [name for name in included(text) if name.split("/")[0] in STAGES or name.startswith("..")]
    assert not wrong_includes(SOURCES / package / "src", private)


def test_the_nodes_do_not_use_the_command_line():
    assert not wrong_includes(
        SOURCES / "pointpng_ros", lambda text: [name for name in included(text) if name.startswith(("cli/", "report/"))])


def test_there_are_few_public_headers():
    assert len(list((CORE / "include" / "pointpng").glob("*.h"))) <= 12


@pytest.mark.parametrize("header", LIGHT_HEADERS)
def test_registration_and_tracking_need_eigen_only(header):
    names = included((CORE / "include" / "pointpng" / header).read_text())
    assert all(name.startswith(("pointpng/", "Eigen/")) or "/" not in name and not name.endswith(".h") for name in names)
    assert all(name.removeprefix("pointpng/") in LIGHT_HEADERS for name in names if name.startswith("pointpng/"))


def test_a_wrong_include_would_be_noticed():
    assert forbidden("io", '#include "train/trainer.h"\n') == ["train/trainer.h"]
    assert forbidden("pose", '#  include <../cloud/simd.h>\n') == ["../cloud/simd.h"]
    assert forbidden("train", '#include "io/bag_storage.h"\n') == []
