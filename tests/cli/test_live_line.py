"""One live line on a terminal; plain text without control characters elsewhere."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

from training import TINY

RUN = ("--data", "procedural:32", *TINY, "--minutes", 0.06)


def on_a_terminal(program, *arguments):
    """The output of a program on a terminal of 200 columns."""
    screen, program_side = pty.openpty()
    fcntl.ioctl(program_side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))
    process = subprocess.Popen([program, *map(str, arguments)], stdin=program_side, stdout=program_side,
                               stderr=program_side)
    os.close(program_side)
    shown = b""
    while True:
        try:
            part = os.read(screen, 4096)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        shown += part
    os.close(screen)
    return process.wait(timeout=60), shown.decode()


def test_a_terminal_shows_how_the_run_goes(pointpng, tmp_path):
    status, shown = on_a_terminal(pointpng.program, "pretrain", "--out", tmp_path / "run", *RUN)
    assert status == 0, shown
    lines = [line for line in shown.split("\r") if "clouds/s" in line]
    assert len(lines) >= 2
    pattern = r"\d+ %  step \d+  loss -?\d.*  align .*  cope .*  unif .*  PA -?\d\.\d+  AE -?\d\.\d+  \d+ clouds/s  \d+ s left"
    assert re.search(pattern, lines[0]), lines[0]
    assert "\x1b[K" in shown and "\n" not in lines[0]  # it rewrites itself
    assert shown.count("clouds/s") == len(lines)  # and leaves no other lines behind


def test_a_pipe_gets_plain_text(pointpng, tmp_path):
    process = pointpng("pretrain", "--out", tmp_path / "run", *RUN)
    assert process.returncode == 0
    for text in (process.stdout, process.stderr):
        assert not re.search(r"[\x00-\x09\x0b-\x1f]", text), repr(text)
    assert "model.safetensors" in process.stdout


def test_quiet_says_nothing_on_the_way(pointpng, tmp_path):
    process = pointpng("pretrain", "--out", tmp_path / "run", *RUN, "--quiet")
    assert process.returncode == 0 and process.stderr == ""
