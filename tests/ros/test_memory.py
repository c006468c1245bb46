"""The memory of the nodes stays constant: a short run of the ten-minute benchmark."""

import subprocess
import sys
from pathlib import Path

MEMORY = Path(__file__).parents[2] / "bench" / "ros" / "memory.py"


def test_memory_does_not_grow_during_a_replay_at_full_rate():
    ended = subprocess.run([sys.executable, MEMORY, "--seconds", "20", "--points", "6000"], capture_output=True, text=True,
                           timeout=300)
    assert ended.returncode == 0, ended.stdout + ended.stderr
