"""The ROS 2 nodes are users of the library: they include its public headers and nothing else of this repository."""

import re
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "src"
NODES = SOURCES / "pointpng_ros"
PUBLIC = {path.name for path in (SOURCES / "pointpng_core" / "include" / "pointpng").glob("*.h")}
LEARNING = {"training.h", "model.h", "evaluation.h", "study.h", "json.h"}
FILES = sorted(path for path in NODES.rglob("*") if path.suffix in {".h", ".cpp"})
QUOTED = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
ANY = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)', re.MULTILINE)


def private_includes(text):
    """Those that are neither a public header of the library nor a header of the nodes."""
    own = {str(path.relative_to(folder)) for folder in (NODES / "src", NODES / "src" / "training") for path in folder.rglob("*.h")}
    return [name for name in QUOTED.findall(text)
            if name not in own and not (name.startswith("pointpng/") and name.removeprefix("pointpng/") in PUBLIC)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(NODES)))
def test_only_public_headers_are_included(path):
    assert private_includes(path.read_text()) == []


def test_only_training_needs_libtorch():
    def needs_libtorch(name):
        return name.startswith(("torch/", "ATen/", "c10/")) or name.removeprefix("pointpng/") in LEARNING

    wrong = {str(path.relative_to(NODES)): [name for name in ANY.findall(path.read_text()) if needs_libtorch(name)]
             for path in FILES if "training" not in path.relative_to(NODES).parts}
    assert {path: names for path, names in wrong.items() if names} == {}


def test_a_private_include_would_be_noticed():
    assert private_includes('#include "cli/options.h"\n#include "pointpng/cloud.h"\n') == ["cli/options.h"]
    assert private_includes('#include "../../pointpng_core/src/base/rows.h"\n') == ["../../pointpng_core/src/base/rows.h"]
    assert private_includes('#  include "pointpng/pose/fit.h"\n') == ["pointpng/pose/fit.h"]
    assert private_includes('#include "stamped.h"\n') == []
