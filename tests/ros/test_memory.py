"""The memory of the nodes is flat: some seconds of the benchmark that runs for ten minutes."""

import subprocess
import sys
from pathlib import Path

MEMORY = Path(__file__).parents[2] / "bench" / "ros" / "memory.py"


def test_a_replay_at_full_rate_needs_no_more_and_more_memory():
    ended = subprocess.run([sys.executable, MEMORY, "--seconds", "20", "--points", "6000"], capture_output=True, text=True,
                           timeout=300)
    assert ended.returncode == 0, ended.stdout + ended.stderr
