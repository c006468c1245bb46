"""Fixtures of the report tests: the command under test and pages that it wrote."""

import os
import pathlib
import subprocess

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def write_report():
    """Calls `pointpng report RUN --out PAGE` and returns the finished process."""
    command = os.environ.get("POINTPNG", str(REPOSITORY / "install" / "bin" / "pointpng"))

    def call(run, page):
        return subprocess.run(
            [command, "report", str(run), "--out", str(page)], capture_output=True, text=True, timeout=120
        )

    return call
