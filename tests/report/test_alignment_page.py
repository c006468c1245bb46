"""The page of an alignment in a real browser: it draws, its controls do what they say."""

import base64
import os
import pathlib
import re
import subprocess

import pytest
from browser import CHROMIUM, Browser, Tab

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")

# The pixels of a picture; the browser itself decodes it.
DECODE = """const decode = async png => {
  const image = new Image();
  image.src = 'data:image/png;base64,' + png;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, image.width, image.height).data;
};"""

# Counts pixels by what they belong to.
COUNT = """(async () => {
  %s
  const data = await decode('%s');
  const count = {source: 0, target: 0, drawn: 0};
  for (let i = 0; i < data.length; i += 4) {
    const [r, g, b] = data.slice(i, i + 3), away = [0, 1, 2].map(k => Math.abs(data[i + k] - data[k]));
    if (r - b > 50) ++count.source;
    if (b - r > 50) ++count.target;
    if (Math.max(...away) > 40) ++count.drawn;
  }
  return count;
})()"""

# Counts the pixels that clearly differ between two pictures.
COMPARE = """(async () => {
  %s
  const a = await decode('%s'), b = await decode('%s');
  let count = 0;
  for (let i = 0; i < a.length; i += 4)
    if ([0, 1, 2].some(k => Math.abs(a[i + k] - b[i + k]) > 40)) ++count;
  return count;
})()"""

SPIN = """new Promise(done => {
  const canvas = document.querySelector('canvas'), gl = canvas.getContext('webgl'), pixel = new Uint8Array(4);
  let frames = 0, start;
  const step = now => {
    gl?.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);  // waits until the frame is drawn
    start ??= now;
    if (now - start > 2000) return done(1000 * frames / (now - start));
    ++frames;
    canvas.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft'}));
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})"""

# Counts what is drawn from here on.
WATCH = """(() => {
  const gl = document.querySelector('canvas').getContext('webgl'), draw = gl.drawArrays;
  window.draws = 0;
  gl.drawArrays = function (...all) { ++window.draws; return draw.apply(gl, all); };
})()"""

# The page uses WebGL only on a graphics card: here software rendering pretends to be one, or there is no WebGL.
PAINTERS = {
    "webgl": """const getParameter = WebGLRenderingContext.prototype.getParameter;
WebGLRenderingContext.prototype.getParameter = function (name) {
  const value = getParameter.call(this, name);
  return typeof value === 'string' ? 'a graphics card' : value;
};""",
    "2d": """const getContext = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...options) {
  return kind === 'webgl' ? null : getContext.call(this, kind, ...options);
};""",
}
both_painters = pytest.mark.parametrize("painter", PAINTERS)


def page_tool():
    """The tool that writes pages of made-up alignments, as `make build` leaves it."""
    build = pathlib.Path(os.environ.get("BUILD_DIR", REPOSITORY / "build" / "core"))
    path = os.environ.get("POINTPNG_ALIGNMENT_PAGE_TOOL") or build / "cli" / "tests" / "pointpng_alignment_page_tool"
    if not os.access(path, os.X_OK):
        pytest.fail(f"{path} is not built; run `make build`, or set POINTPNG_ALIGNMENT_PAGE_TOOL")
    return path


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    """The path of a page, by the name of its example."""
    folder = tmp_path_factory.mktemp("alignments")

    def write(example):
        path = folder / f"{example}.html"
        if not path.exists():
            subprocess.run([page_tool(), example, path], check=True, timeout=60)
        return path

    return write


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


class View(Tab):
    """A page of an alignment, used as a reader would."""

    def open(self, path):
        super().open(path)
        self.settle()

    def settle(self):
        """Waits until nothing moves and the last frame is on the screen."""
        self.wait("document.querySelector('canvas').dataset.moving === 'no'")
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def click(self, selector):
        self.evaluate(f"document.querySelector({selector!r}).click()")
        self.settle()

    def picture(self):
        """The visible canvas, without the legend and the axes at the bottom."""
        box = self.evaluate(
            "(b => [b.x + scrollX, b.y + scrollY, b.width, b.height - 110])"
            "(document.querySelector('canvas').getBoundingClientRect())"
        )
        return base64.b64encode(self.screenshot(clip=box)).decode()

    def pixels(self):
        return self.evaluate(COUNT % (DECODE, self.picture()))

    def changed(self, before, after=None):
        """How many pixels differ between two pictures, or between one and what is seen now."""
        return self.evaluate(COMPARE % (DECODE, before, after or self.picture()))

    def middle(self):
        """Of the canvas, in the window."""
        return self.evaluate(
            "(b => [b.x + b.width / 2, b.y + b.height / 2])(document.querySelector('canvas').getBoundingClientRect())"
        )

    def text(self, selector):
        """The visible text at a selector."""
        return self.evaluate(
            f"[...document.querySelectorAll({selector!r})].filter(e => e.checkVisibility())"
            ".map(e => e.textContent).join('|')"
        )

    def press(self, key):
        self.evaluate(
            f"document.querySelector('canvas').dispatchEvent(new KeyboardEvent('keydown', {{key: {key!r}, bubbles: true}}))"
        )
        self.settle()


@pytest.fixture
def look(browser, written):
    """Opens an example; the console must be empty afterwards."""
    opened = []

    def open_example(example, painter="webgl", **how):
        view = View(browser, first=PAINTERS[painter], **how)
        opened.append(view)
        view.open(written(example))
        assert view.evaluate("document.querySelector('canvas').dataset.painter") == painter
        return view

    yield open_example
    for view in opened:
        complaints = view.complaints()
        view.close()
        assert complaints == []


@both_painters
def test_both_clouds_are_drawn(look, painter):
    view = look("accepted", painter)
    pixels = view.pixels()
    assert pixels["source"] > 2000 and pixels["target"] > 2000


def test_an_error_would_be_seen(browser, written, tmp_path):
    broken = tmp_path / "broken.html"
    broken.write_text(written("accepted").read_text().replace("paintColours();\nchoosePair(0);", "missing();"))
    view = Tab(browser)
    view.open(broken)
    assert any("missing is not defined" in str(complaint) for complaint in view.complaints())
    view.close()


def test_nothing_is_loaded_from_elsewhere(written):
    text = written("accepted").read_text()
    assert not re.search(r"https?://|@import|url\(", text.replace("http://www.w3.org/2000/svg", ""))
    assert not re.search(r"<(link|img|iframe|object|embed|base)\b", text)


@both_painters
def test_another_hypothesis_changes_picture_and_numbers(look, painter):
    view = look("accepted", painter)
    picture, numbers = view.picture(), view.text("[data-pose-of]")
    assert "Hypothesis 1" in numbers
    view.click('[data-pose="1"]')
    assert view.changed(picture) > 1000
    assert "Hypothesis 2" in view.text("[data-pose-of]") and "Hypothesis 1" not in view.text("[data-pose-of]")
    assert "hypothesis 2" in view.text(".shown")
    assert view.evaluate("document.querySelector('[data-pose=\"1\"]').getAttribute('aria-pressed')") == "true"
    view.click('[data-pose="0"]')
    assert view.changed(picture) == 0
    assert view.text("[data-pose-of]") == numbers


def test_before_and_after_move_the_source_smoothly(look):
    view = look("accepted")
    after = view.picture()
    view.evaluate("document.querySelector('[data-show=before]').click()")
    view.wait("document.querySelector('canvas').dataset.moving === 'yes'")
    on_the_way = view.picture()
    view.settle()
    before = view.picture()
    assert min(view.changed(after, on_the_way), view.changed(on_the_way, before), view.changed(before, after)) > 1000
    assert "Before" in view.text(".shown")
    view.press(" ")
    assert view.changed(after) == 0


@both_painters
@pytest.mark.parametrize("cloud, other", [("source", "target"), ("target", "source")])
def test_a_cloud_can_be_taken_away(look, cloud, other, painter):
    view = look("accepted", painter)
    both = view.pixels()
    view.click(f"#show-{cloud}")
    alone = view.pixels()
    assert alone[cloud] == 0
    assert alone[other] >= both[other]
    view.click(f"#show-{cloud}")
    assert view.pixels() == both


@both_painters
def test_colour_by_residual_has_a_legend_and_tells_good_from_bad(look, painter):
    view = look("accepted", painter)
    plain = view.picture()
    assert view.text(".scale") == ""
    view.click("[data-colour=residual]")
    view.click("#show-target")
    good = view.pixels()
    assert view.changed(plain) > 1000
    assert re.search(r"≥ [\d.]+\u202fm.*median [\d.]+\u202fm, \d+ % below", view.text(".scale"))
    near = float(re.search(r"median ([\d.]+)", view.text(".scale")).group(1))
    view.click("[data-show=before]")
    bad = view.pixels()
    assert float(re.search(r"median (?:≥ )?([\d.]+)", view.text(".scale")).group(1)) > 1.4 * near
    assert good["target"] > good["source"]  # blue is near, red is far
    assert bad["source"] > bad["target"]


def test_residuals_are_the_distances_to_the_nearest_points(look):
    """The page's hash table finds the same as a search over all pairs."""
    view = look("accepted")
    view.click("[data-colour=residual]")
    shown = float(re.search(r"median ([\d.]+)", view.text(".scale")).group(1))
    true = view.evaluate("""(() => {
      const [{source, target, poses}] = JSON.parse(document.querySelector('#alignments').textContent), m = poses[0];
      const points = ({centre, points}) => {
        const offsets = new Float32Array(Uint8Array.from(atob(points), c => c.charCodeAt(0)).buffer);
        return [...Array(offsets.length / 3).keys()].map(i => [0, 1, 2].map(k => offsets[3 * i + k] + centre[k]));
      };
      const goal = points(target);
      return points(source).map(p => {
        const q = [0, 4, 8].map(r => m[r] * p[0] + m[r + 1] * p[1] + m[r + 2] * p[2] + m[r + 3]);
        return Math.min(...goal.map(t => Math.hypot(t[0] - q[0], t[1] - q[1], t[2] - q[2])));
      }).sort((a, b) => a - b)[source.points.length / 16 >> 1];
    })()""")
    assert shown == pytest.approx(true, rel=0.06)  # two digits are shown


@both_painters
def test_dragging_turns_and_reset_turns_back(look, painter):
    view = look("accepted", painter)
    start = view.picture()
    x, y = view.middle()
    view.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
    for step in range(1, 6):
        view.mouse("mouseMoved", x + 20 * step, y + 8 * step, button="left", buttons=1)
    view.mouse("mouseReleased", x + 100, y + 40, button="left")
    view.settle()
    turned = view.picture()
    assert view.changed(start, turned) > 1000
    view.mouse("mouseMoved", x, y)
    view.settle()
    assert view.changed(turned) == 0  # the button is up
    view.click("#reset")
    assert view.changed(start) == 0


def test_wheel_and_keys_zoom_and_turn(look):
    view = look("accepted")
    start, small = view.picture(), view.pixels()["drawn"]
    x, y = view.middle()
    view.mouse("mouseWheel", x, y, deltaX=0, deltaY=-300)
    view.settle()
    assert view.pixels()["drawn"] > 1.1 * small
    assert view.evaluate("scrollY") == 0
    view.press("0")
    assert view.changed(start) == 0
    for key in ("ArrowLeft", "ArrowUp", "+", "-"):
        last = view.picture()
        view.press(key)
        assert view.changed(last) > 1000, key


def test_two_fingers_zoom(look):
    view = look("accepted", width=390, height=844)
    small = view.pixels()["drawn"]
    view.evaluate("document.querySelector('canvas').scrollIntoView({block: 'center'})")
    x, y = view.middle()

    def touch(kind, apart):
        points = [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}] if apart else []
        view.send("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    touch("touchStart", 40)
    for apart in (50, 60, 70, 80):
        touch("touchMove", apart)
    touch("touchEnd", 0)
    view.settle()
    assert view.pixels()["drawn"] > 1.2 * small


def test_larger_points_cover_more(look):
    view = look("accepted")
    small = view.pixels()["drawn"]
    view.evaluate("(s => { s.value = 9; s.dispatchEvent(new Event('input')); })(document.querySelector('#point-size'))")
    view.settle()
    assert view.pixels()["drawn"] > 1.5 * small


def test_of_several_alignments_another_can_be_chosen(look):
    view = look("several")
    picture = view.picture()
    assert "Accepted" in view.text(".verdict")
    view.evaluate("(s => { s.value = 1; s.dispatchEvent(new Event('change')); })(document.querySelector('#alignment'))")
    view.settle()
    assert "Rejected" in view.text(".verdict") and "Accepted" not in view.text(".verdict")
    assert view.changed(picture) > 1000
    assert view.text("#alignment").count("<i>") == 1  # a name stays text


def test_without_hypotheses_the_clouds_are_seen_as_they_are(look):
    view = look("nothing")
    pixels = view.pixels()
    assert pixels["source"] > 500 and pixels["target"] > 500
    assert view.evaluate("document.querySelector('[data-show=after]').disabled")
    assert "Before" in view.text(".shown")


def test_both_painters_paint_the_same(look):
    view = look("accepted", "webgl")
    picture, wanted = view.picture(), view.pixels()
    flat = look("accepted", "2d")
    found = flat.pixels()
    for cloud in ("source", "target"):
        assert found[cloud] == pytest.approx(wanted[cloud], rel=0.25)
    assert flat.changed(picture) < 0.5 * wanted["drawn"]


def test_webgl_on_the_processor_is_not_taken(browser, written):
    view = View(browser)
    view.open(written("accepted"))
    assert view.evaluate("document.querySelector('canvas').dataset.painter") == "2d"
    assert view.complaints() == []
    view.close()


def test_a_lost_graphics_context_comes_back(look):
    view = look("accepted")
    picture = view.picture()
    view.evaluate("""new Promise(done => {
      const canvas = document.querySelector('canvas'), lose = canvas.getContext('webgl').getExtension('WEBGL_lose_context');
      canvas.addEventListener('webglcontextlost', () => setTimeout(() => lose.restoreContext()));
      canvas.addEventListener('webglcontextrestored', () => setTimeout(() => done(1)));
      lose.loseContext();
    })""")
    view.settle()
    assert view.changed(picture) == 0


def test_dark_is_dark_and_drawn(look):
    view = look("accepted", dark=True)
    assert view.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(15, 20, 27)"
    pixels = view.pixels()
    assert pixels["source"] > 2000 and pixels["target"] > 2000


@pytest.mark.parametrize("example", ["accepted", "rejected", "several", "nothing"])
def test_a_phone_is_not_scrolled_sideways(look, example):
    view = look(example, width=360, height=740)
    assert view.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert view.pixels()["drawn"] > 500


def test_controls_have_names(look):
    view = look("several")
    nameless = view.evaluate("""[...document.querySelectorAll('button, input, select, canvas')].filter(e =>
      !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.[0]?.textContent.trim())).length""")
    assert nameless == 0


@both_painters
def test_twenty_thousand_points_each_can_be_turned(look, record_property, painter):
    frames_per_second = look("large", painter).evaluate(SPIN)
    record_property("frames_per_second", round(frames_per_second, 1))
    print(f"2 x 20 000 points, {painter} on the processor: {frames_per_second:.0f} frames a second")
    assert frames_per_second > 0


def test_nothing_is_drawn_when_nothing_moves(look):
    view = look("large")
    view.evaluate(WATCH)
    view.evaluate("new Promise(done => setTimeout(done, 300))")
    assert view.evaluate("window.draws") == 0
    view.press("ArrowLeft")
    assert view.evaluate("window.draws") == 2  # one call per cloud
