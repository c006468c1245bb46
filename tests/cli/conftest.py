import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def pointpng():
    """Calls the installed command line: pointpng("doctor", "--json") gives the finished process."""
    program = os.environ.get("POINTPNG", str(ROOT / "install" / "bin" / "pointpng"))

    def call(*arguments, **options):
        return subprocess.run(
            [program, *map(str, arguments)], capture_output=True, text=True, timeout=120, **options
        )

    call.program = program
    return call
