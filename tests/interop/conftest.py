"""What the interoperability tests share: the tool that drives our own readers and writers."""

import json
import os
import shutil
import subprocess

import pytest


class Tool:
    """Runs `pointpng_io_tool`, found through POINTPNG_IO_TOOL or the PATH."""

    def __init__(self, path):
        self.path = path

    def __call__(self, *arguments):
        done = subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def refusal(self, *arguments):
        """The error message for rejected input."""
        done = subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == 2, f"status {done.returncode}: {done.stdout}{done.stderr}"
        return done.stderr


@pytest.fixture(scope="session")
def tool():
    path = os.environ.get("POINTPNG_IO_TOOL") or shutil.which("pointpng_io_tool")
    if not path:
        pytest.fail("set POINTPNG_IO_TOOL to the built pointpng_io_tool")
    return Tool(path)
