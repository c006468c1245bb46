"""Checks of the reports' HTML and CSS beyond the formatter and the linter of tests/lint/format.sh."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

REPORT = Path(__file__).resolve().parents[2] / "src" / "pointpng_cli" / "src" / "report"
ASSETS = REPORT / "assets"
STYLES = sorted(ASSETS.glob("*.css"))
PAGES = sorted(ASSETS.glob("*.html"))
VOID = {"br", "input", "link", "meta"}


def users_of_styles():
    """Everything that writes elements or attributes."""
    files = [*REPORT.glob("*.cpp"), *PAGES, *ASSETS.glob("*.js")]
    return "\n".join(path.read_text() for path in files)


def classes_of(css):
    """Class names in the selectors of formatted CSS: lines that do not end a declaration."""
    without_comments = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    selectors = [line for line in without_comments.splitlines() if re.search(r"[{,]$", line) and ": " not in line]
    return {name for line in selectors for name in re.findall(r"\.([a-z][\w-]*)", line)}


def unused_classes(css, users):
    """`line-1` is written as "line-{}"."""
    return {name for name in classes_of(css) if not re.search(rf"(?<![\w-]){re.sub(r'[0-9]+$', '', name)}(?!\w)", users)}


def undefined_variables(users, css):
    return set(re.findall(r"var\((--[\w-]+)\)", users)) - set(re.findall(r"^\s*(--[\w-]+):", css, re.MULTILINE))


class Elements(HTMLParser):
    """Notes elements that are closed in the wrong order or not at all, and ids that are given twice."""

    def __init__(self, html):
        super().__init__()
        self.open, self.ids, self.faults = [], set(), []
        self.feed(html)
        self.faults += [f"<{tag}> is not closed" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        name = dict(attributes).get("id")
        if name in self.ids:
            self.faults.append(f"id {name} is given twice")
        self.ids |= {name} - {None}
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes another element")


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.name)
def test_every_class_of_a_style_sheet_is_used(path):
    assert classes_of(path.read_text()) or path.name == "picture.css"
    assert not unused_classes(path.read_text(), users_of_styles())


def test_every_variable_of_the_styles_is_defined():
    css = "\n".join(path.read_text() for path in STYLES)
    assert not undefined_variables(users_of_styles() + css, css)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_elements_are_closed_and_ids_are_unique(path):
    assert Elements(path.read_text()).faults == []


@pytest.mark.parametrize("path", sorted(ASSETS.iterdir()), ids=lambda path: path.name)
def test_nothing_is_loaded_from_elsewhere(path):
    addresses = re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^'\"\s]*|@import|url\(", path.read_text())
    assert set(addresses) <= {"http://www.w3.org/2000/svg"}


def test_faults_would_be_noticed():
    assert unused_classes(".gone a {\n  color: red;\n}\n.line-2 {\n}\n", '<i class="line-{}">') == {"gone"}
    assert undefined_variables("var(--ink) var(--inc)", ":root {\n  --ink: #000;\n}") == {"--inc"}
    assert Elements("<p><b>text</p></b>").faults and Elements("<p>").faults
    assert Elements('<p id="a"></p><p id="a"></p>').faults == ["id a is given twice"]
