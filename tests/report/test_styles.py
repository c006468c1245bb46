"""The browser understands every declaration of the style sheets: a misspelt property is silently dropped."""

import json
import pathlib
import re

import pytest
from browser import CHROMIUM, Browser, Tab

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
STYLES = sorted((REPOSITORY / "src" / "pointpng_cli" / "src" / "report" / "assets").glob("*.css"))
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")

UNKNOWN = """%s.filter(([name, value]) => !CSS.supports(name, value)).map(pair => pair.join(': '))"""


def declarations(css):
    """Names and values, custom properties aside."""
    found = re.findall(r"^\s+([a-z][\w-]*):\s([^;{}]*);$", css, re.MULTILINE)
    return [(name, re.sub(r"\s*!important$", "", " ".join(value.split()))) for name, value in found]


@pytest.fixture(scope="module")
def tab(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield Tab(browser)
    browser.close()


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.name)
def test_every_declaration_is_understood(tab, path):
    found = declarations(path.read_text())
    assert found
    assert tab.evaluate(UNKNOWN % json.dumps(found)) == []


def test_a_wrong_declaration_is_noticed(tab):
    wrong = declarations("a {\n  colour: var(--ink);\n  color: red;\n  margin: 1 px;\n}\n")
    assert tab.evaluate(UNKNOWN % json.dumps(wrong)) == ["colour: var(--ink)", "margin: 1 px"]
