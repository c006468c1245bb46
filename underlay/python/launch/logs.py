"""What a launch says: on the terminal, and in launch.log below ROS_LOG_DIR or ~/.ros/log."""

import datetime
import functools
import os
import socket
import sys
import threading
import time
from pathlib import Path

_lock = threading.Lock()


@functools.lru_cache(maxsize=None)
def directory():
    home = Path(os.environ.get("ROS_HOME") or Path.home() / ".ros")
    base = Path(os.environ.get("ROS_LOG_DIR") or home / "log").expanduser()
    stamp = datetime.datetime.now().strftime("%Y-%m-%d-%H-%M-%S-%f")
    path = base / f"{stamp}-{socket.gethostname()}-{os.getpid()}"
    path.mkdir(parents=True, exist_ok=True)
    return path


@functools.lru_cache(maxsize=None)
def _file():
    return open(directory() / "launch.log", "a", buffering=1)


def write(text, *, screen, log=True, stream=None):
    with _lock:
        if log:
            _file().write(f"{time.time():.7f} {text}\n")
        if screen:
            print(text, file=stream or sys.stdout, flush=True)


def info(text, name="launch"):
    write(f"[INFO] [{name}]: {text}", screen=True)


def warning(text, name="launch"):
    write(f"[WARNING] [{name}]: {text}", screen=True, stream=sys.stderr)


def error(text, name="launch"):
    write(f"[ERROR] [{name}]: {text}", screen=True, stream=sys.stderr)
