"""Pages with drawings of marks, in a real browser: nothing overlaps or is cut off, and hovering shows values."""

import os
import pathlib
import subprocess

import pytest
from browser import CHROMIUM, Browser, Tab

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")

COMMANDS = {
    "tsne": ("--data", "procedural:60", "--method", "pca", "--poses", "random"),
    "trajectory": ("--data", "procedural:4", "--shapes", "4", "--steps", "24"),
    "landscape": ("--data", "procedural:4", "--pair", "1", "--latitudes", "12"),
}

# Labels of a drawing that overlap or lie outside of it.
FAULTS = """(() => {
  const faults = [];
  for (const svg of document.querySelectorAll('figure.picture svg')) {
    const edge = svg.getBoundingClientRect();
    const boxes = [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()]);
    boxes.forEach(([words, a], i) => {
      if (a.left < edge.left - 1 || a.right > edge.right + 1 || a.top < edge.top - 1 || a.bottom > edge.bottom + 1)
        faults.push(words + ' is cut');
      for (const [others, b] of boxes.slice(i + 1))
        if (a.left < b.right - 2 && b.left < a.right - 2 && a.top < b.bottom - 4 && b.top < a.bottom - 4)
          faults.push(words + ' is on ' + others);
    });
  }
  return faults;
})()"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """One page of each command, of the shipped model."""
    command = os.environ.get("POINTPNG", str(REPOSITORY / "install" / "bin" / "pointpng"))
    folder = tmp_path_factory.mktemp("pictures")
    for name, arguments in COMMANDS.items():
        done = subprocess.run([command, "eval", name, *arguments, "--out", folder / f"{name}.html"],
                              capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture(params=COMMANDS)
def name(request):
    return request.param


def opened(browser, page, **options):
    tab = Tab(browser, **options)
    tab.open(page)
    return tab


@pytest.mark.parametrize("dark", [False, True])
def test_words_of_drawings_keep_apart(browser, pages, name, dark):
    tab = opened(browser, pages / f"{name}.html", dark=dark)
    assert tab.evaluate("document.querySelectorAll('figure.picture svg text').length") > 3
    assert tab.evaluate(FAULTS) == []
    assert tab.complaints() == []
    tab.close()


def test_pointing_at_a_mark_says_what_it_is(browser, pages, name):
    tab = opened(browser, pages / f"{name}.html")
    at = tab.evaluate("""(() => {
      const mark = document.querySelector('figure.picture [data-tip]');
      mark.scrollIntoView({block: 'center'});
      const box = mark.getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2, mark.dataset.tip];
    })()""")
    tab.mouse("mouseMoved", at[0], at[1])
    tab.wait("document.querySelector('figure.picture .tip').textContent !== ''")
    shown = tab.evaluate("document.querySelector('figure.picture .tip').textContent")
    assert shown.split()[0] == at[2].split()[0]
    tab.mouse("mouseMoved", 1, 1)
    tab.wait("document.querySelector('figure.picture .tip').textContent === ''")
    tab.close()


def test_pointing_at_a_name_shows_its_marks_alone(browser, pages):
    tab = opened(browser, pages / "tsne.html")
    at = tab.evaluate("""(() => {
      const name = document.querySelector('text[data-legend="2"]');
      name.scrollIntoView({block: 'center'});
      const box = name.getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2];
    })()""")
    tab.mouse("mouseMoved", *at)
    tab.wait("document.querySelector('figure.picture svg.one') !== null")
    shown = "[...document.querySelectorAll('[data-group]')].filter(m => getComputedStyle(m).opacity > 0.5)"
    assert tab.evaluate(f"{shown}.length") == 12  # six shapes, unrotated and rotated
    assert tab.evaluate(f"{shown}.every(m => m.dataset.group === '2')")
    tab.close()


def test_a_narrow_window_is_not_scrolled_sideways(browser, pages, name):
    tab = opened(browser, pages / f"{name}.html", width=400)
    assert tab.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    tab.close()
