"""Data flows one way: no file of the core includes a header of a later stage."""

import re
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[2] / "src" / "pointpng_core"

# What each stage may include besides itself; as in CMakeLists.txt, followed through.
MAY_USE = {
    "base": set(),
    "io": {"base"},
    "cloud": {"base", "io"},
    "model": {"base", "io", "cloud"},
    "train": {"base", "io", "cloud", "model"},
    "pose": {"base", "io", "cloud", "model"},
    "eval": {"base", "io", "cloud", "model", "train", "pose"},
    "report": {"base", "pose"},
    "cli": {"base", "io", "cloud", "model", "train", "pose", "eval", "report"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]pointpng/([^/>"]+)/', re.MULTILINE)


def stages_included(text):
    return set(INCLUDE.findall(text))


def forbidden(stage, text):
    return stages_included(text) - MAY_USE[stage] - {stage}


def sources_of(stage):
    folders = [CORE / "include" / "pointpng" / stage, CORE / "src" / stage]
    return [path for folder in folders for path in folder.rglob("*") if path.suffix in {".h", ".cpp", ".cu"}]


@pytest.mark.parametrize("stage", MAY_USE)
def test_a_stage_includes_only_earlier_ones(stage):
    wrong = {
        str(path.relative_to(CORE)): sorted(forbidden(stage, path.read_text()))
        for path in sources_of(stage)
        if forbidden(stage, path.read_text())
    }
    assert not wrong


def test_every_folder_of_the_core_is_a_known_stage():
    for parent in (CORE / "include" / "pointpng", CORE / "src"):
        folders = {path.name for path in parent.iterdir() if path.is_dir() and any(path.iterdir())}
        assert folders <= set(MAY_USE)


def test_the_core_knows_nothing_of_ros():
    ros = re.compile(r'#\s*include\s*[<"](rclcpp|sensor_msgs|geometry_msgs|tf2|rosbag2)')
    wrong = [str(path) for stage in MAY_USE for path in sources_of(stage) if ros.search(path.read_text())]
    assert not wrong


def test_a_wrong_include_would_be_noticed():
    assert forbidden("io", '#include "pointpng/train/trainer.h"\n') == {"train"}
    assert forbidden("report", "#  include <pointpng/cloud/filters.h>\n") == {"cloud"}
    assert forbidden("train", '#include "pointpng/io/bag.h"\n') == set()
