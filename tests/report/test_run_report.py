"""The page of a training run, in a browser without a network."""

import html.parser
import re
import shutil
import subprocess
import xml.etree.ElementTree

import pytest
from fake_run import CONFIG, good_log, write_run

VOID = {"meta", "link", "br", "hr", "img", "input"}
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")

# Points at the middle of the first chart, as a reader would.
HOVER = """<script>
const svg = document.querySelector('figure.chart svg'), box = svg.getBoundingClientRect();
svg.dispatchEvent(new PointerEvent('pointermove', {clientX: box.left + box.width / 2, clientY: box.top + 9}));
</script>"""


class Outline(html.parser.HTMLParser):
    """Collects tags, attributes and text, and records wrong nesting."""

    def __init__(self, page):
        super().__init__()
        self.open, self.faults, self.tags, self.links, self.text = [], [], [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href", "srcset", "action")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> while {self.open[-3:]} is open")
        else:
            self.open.pop()

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="session")
def page(write_report, tmp_path_factory):
    """The page of a run that went well."""
    folder = tmp_path_factory.mktemp("runs")
    result = write_report(write_run(folder / "chairs", good_log()), folder / "page.html")
    assert result.returncode == 0, result.stderr
    return folder / "page.html"


def test_tags_are_balanced(page):
    outline = Outline(page.read_text())
    assert outline.faults == []
    assert outline.open == []


def test_nothing_is_loaded_from_elsewhere(page):
    text = page.read_text()
    outline = Outline(text)
    assert all(link.startswith("#") for link in outline.links)
    assert not {"link", "img", "iframe", "object", "embed", "base"} & set(outline.tags)
    without_namespace = text.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?://|@import|url\(", without_namespace)


def test_links_lead_somewhere(page):
    text = page.read_text()
    for link in Outline(text).links:
        assert f'id="{link[1:]}"' in text


def test_drawings_are_xml_with_as_many_values_as_points(page):
    drawings = re.findall(r"<svg.*?</svg>", page.read_text(), re.S)
    assert len(drawings) == 10
    for drawing in drawings:
        root = xml.etree.ElementTree.fromstring(drawing)
        for path in root.iter("{http://www.w3.org/2000/svg}path"):
            if "main" not in path.get("class", ""):
                continue
            points = re.findall(r"[ML]", path.get("d"))
            assert len(points) == len(path.get("data-x").split()) == len(path.get("data-y").split()) > 5


def test_names_from_the_run_stay_text(write_report, tmp_path):
    evil = "<script>document.title='owned'</script>"
    config = {**CONFIG, "preset": evil, "data": [{"source": evil}]}
    lines = [{"step": 1, "loss": 1, evil: 2}, {"step": 1, "event": "collapse", "message": evil}]
    result = write_report(write_run(tmp_path / "run", lines, config), tmp_path / "page.html")
    assert result.returncode == 0, result.stderr
    outline = Outline((tmp_path / "page.html").read_text())
    assert outline.tags.count("script") == 1
    assert evil in "".join(outline.text)


def test_a_folder_that_is_no_run_is_refused(write_report, tmp_path):
    result = write_report(tmp_path, tmp_path / "page.html")
    assert result.returncode == 2
    assert "config.json" in result.stderr
    assert not (tmp_path / "page.html").exists()


def browse(page, tmp_path, *options):
    """Opens the page in a headless browser; returns its document and its error messages."""
    result = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]
        + [f"--user-data-dir={tmp_path / 'profile'}", *options, "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout, [line for line in result.stderr.splitlines() if ":CONSOLE" in line]


@needs_chromium
def test_a_browser_shows_it_without_complaint(page, tmp_path):
    document, complaints = browse(page, tmp_path)
    assert complaints == []
    assert document.count('class="cursor"') == 10  # the script reached every chart


@needs_chromium
def test_a_complaint_would_be_seen(page, tmp_path):
    broken = tmp_path / "broken.html"
    broken.write_text(page.read_text().replace("'use strict';", "'use strict'; missing();"))
    assert browse(broken, tmp_path)[1]


@needs_chromium
def test_pointing_at_a_chart_reads_its_values_out(page, tmp_path):
    pointed = tmp_path / "pointed.html"
    pointed.write_text(page.read_text().replace("</body>", HOVER + "</body>"))
    document, complaints = browse(pointed, tmp_path)
    assert complaints == []
    step = int(re.search(r'class="at"[^>]*>at step (\d+)<', document).group(1))
    assert 1800 <= step <= 2200
    shown, last = re.search(r'<b data-last="([^"]+)">([^<]+)</b>', document).groups()
    assert shown != last


@needs_chromium
def test_a_narrow_window_is_not_scrolled_sideways(page, tmp_path):
    measured = tmp_path / "measured.html"
    probe = "<script>document.title = document.documentElement.scrollWidth - innerWidth;</script>"
    measured.write_text(page.read_text().replace("</body>", probe + "</body>"))
    document, _ = browse(measured, tmp_path, "--window-size=500,900")
    assert int(re.search(r"<title>(-?\d+)</title>", document).group(1)) <= 0
