import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD_DIR", ROOT / "build" / "core"))


@pytest.fixture(scope="session")
def built():
    """The path of something that `make test` builds; skips where this build has none."""

    def find(name):
        found = next((path for path in BUILD.rglob(name) if path.is_file()), None)
        if found is None:
            pytest.skip(f"{name} was not built: it needs Debian's LibTorch 1.13")
        return found

    return find


@pytest.fixture
def on_cuda(built, tmp_path):
    """Runs the command line on the counting device: (process, counts)."""
    device = built("libpointpng_counting_device.so")
    program = os.environ.get("POINTPNG", str(ROOT / "install" / "bin" / "pointpng"))

    def call(*arguments, fail_after=None, device_name="cuda"):
        counts = tmp_path / "counts.json"
        counts.unlink(missing_ok=True)
        environment = {**os.environ, "LD_PRELOAD": str(device), "POINTPNG_COUNTS": str(counts)}
        if fail_after is not None:
            environment["POINTPNG_FAIL_AFTER"] = str(fail_after)
        process = subprocess.run([program, *map(str, arguments), "--device", device_name], capture_output=True, text=True,
                                 timeout=600, env=environment)
        return process, json.loads(counts.read_text()) if counts.exists() else None

    return call
