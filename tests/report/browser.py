"""A headless browser, driven through the DevTools protocol over a pair of pipes."""

import base64
import fcntl
import itertools
import json
import os
import select
import shutil
import subprocess
import time

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# Without a graphics card WebGL is rendered in software.
OPTIONS = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars"]


def pipe_above_the_standard_ones():
    """Two ends that leave descriptors 3 and 4 free."""
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return moved


class Browser:
    """Connection to one Chromium; its events are kept for the tabs."""

    def __init__(self, profile):
        here_in, there_out = pipe_above_the_standard_ones()
        there_in, here_out = pipe_above_the_standard_ones()

        def arrange():  # Chromium reads commands from descriptor 3 and answers on 4
            os.dup2(there_in, 3)
            os.dup2(there_out, 4)

        self.process = subprocess.Popen(
            [CHROMIUM, *OPTIONS, "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(3, 4), preexec_fn=arrange, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(there_in)
        os.close(there_out)
        self.incoming, self.outgoing = here_in, here_out
        self.buffer, self.events, self.numbers = b"", [], itertools.count(1)

    def close(self):
        self.send("Browser.close")
        self.process.wait(timeout=30)
        os.close(self.incoming)
        os.close(self.outgoing)

    def send(self, method, session=None, **params):
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.outgoing, data):]
        deadline = time.monotonic() + 120
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == number:
                assert "error" not in answer, f"{method}: {answer.get('error')}"
                return answer["result"]
            self.events.append(answer)

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.incoming], [], [], max(0, deadline - time.monotonic()))
            assert ready, "the browser does not answer"
            data = os.read(self.incoming, 1 << 20)
            assert data, "the browser has ended"
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)


class Tab:
    """One open page."""

    def __init__(self, browser, width=1280, height=1000, dark=False, first=""):
        self.browser = browser
        self.target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.send("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        if first:
            self.send("Page.addScriptToEvaluateOnNewDocument", source=first)

    def send(self, method, **params):
        return self.browser.send(method, self.session, **params)

    def open(self, path):
        self.send("Page.navigate", url=path.as_uri())
        self.wait("document.readyState === 'complete' && location.protocol === 'file:'")

    def close(self):
        self.browser.send("Target.closeTarget", targetId=self.target)

    def evaluate(self, expression):
        """The value of an expression, or of the promise that it is."""
        answer = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, condition):
        deadline = time.monotonic() + 60
        while not self.evaluate(condition):
            assert time.monotonic() < deadline, f"never came true: {condition}"
            time.sleep(0.02)

    def mouse(self, kind, x, y, **params):
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **params)

    def screenshot(self, clip):
        """A PNG of a part of the document: x, y, width and height."""
        box = dict(zip(("x", "y", "width", "height"), clip), scale=1)
        answer = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=box)
        return base64.b64decode(answer["data"])

    def complaints(self):
        """Errors and warnings on the console, exceptions, and failed loads."""
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            params = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"])
            elif event["method"] == "Runtime.consoleAPICalled":
                found.append(params)
            elif event["method"] == "Log.entryAdded":
                found.append(params["entry"])
        return found
