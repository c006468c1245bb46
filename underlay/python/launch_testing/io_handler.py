"""What processes have written."""

import re
import threading
import time

from .proc_lookup import find


class ActiveIoHandler:
    def __init__(self):
        self._changed = threading.Condition()
        self._lines = []

    def append(self, event):
        with self._changed:
            self._lines.append(event)
            self._changed.notify_all()

    def __iter__(self):
        with self._changed:
            return iter(list(self._lines))

    def text(self, process=None, stream=None):
        """All that was written so far; process and stream None: by all, on both."""
        with self._changed:
            lines = list(self._lines)
        actions = list({id(line.action): line.action for line in lines}.values())
        wanted = {id(action) for action in find(actions, process)} if actions else set()
        return "".join(
            line.text.decode(errors="replace") for line in lines
            if id(line.action) in wanted and stream in (None, "stdout" if line.from_stdout else "stderr"))

    def waitFor(self, expected_output, process=None, timeout=10, stream="stdout"):
        def is_there():
            try:
                return contains(self.text(process, stream), expected_output)
            except AssertionError:
                return False  # the process has written nothing yet

        end = time.monotonic() + timeout
        while not is_there():
            with self._changed:
                left = end - time.monotonic()
                if left <= 0:
                    return False
                self._changed.wait(min(left, 0.1))
        return True

    def assertWaitFor(self, expected_output, process=None, timeout=10, stream="stdout"):
        assert self.waitFor(expected_output, process, timeout, stream), (
            f"'{expected_output}' was not on {stream} within {timeout} s")


def contains(text, expected):
    """expected: text, a compiled regular expression, or a list of them that follow each other."""
    if isinstance(expected, (list, tuple)):
        position = 0
        for part in expected:
            match = _search(part, text[position:])
            if match is None:
                return False
            position += match
        return True
    return _search(expected, text) is not None


def _search(part, text):
    if isinstance(part, re.Pattern):
        match = part.search(text)
        return None if match is None else match.end()
    place = text.find(part)
    return None if place < 0 else place + len(part)
