#!/usr/bin/env python3
"""clang-tidy over the sources of the core and of the ROS 2 nodes, two at a time or as many as there are cores.

LibTorch's headers make it slow (ten seconds a file), so a file that passed is not looked at again
until it, a header of the project that it includes, or .clang-tidy changes; --all looks at everything.
Needs a build (`make build`): the compile commands come from there.
"""

import argparse
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [ROOT / "src" / "pointpng_core" / "src", ROOT / "src" / "pointpng_cli" / "src", ROOT / "src" / "pointpng_ros"]
INCLUDE_FOLDERS = [*SOURCES[:2], SOURCES[2] / "src", ROOT / "src" / "pointpng_core" / "include"]
CORE_BUILD = Path(os.environ.get("BUILD_DIR", ROOT / "build" / "core"))
BUILDS = [CORE_BUILD, CORE_BUILD.parent / "ros" / "pointpng_ros"]
PASSED = ROOT / ".setup" / "tidy"
CLANG_TIDY = ROOT / ".venv" / "bin" / "clang-tidy"  # of the version in setup/python.txt


def by_source(entry):
    """The entry itself, or one for each source that a unity build compiles at once."""
    if not re.search(r"/(Unity/unity_\d+_cxx\.cxx|batches/\w+\.cpp)$", entry["file"]):
        return [entry]
    sources = re.findall(r'^#include "(.+)"$', Path(entry["directory"], entry["file"]).read_text(), re.MULTILINE)
    return [{**entry, "file": source, "command": entry["command"].replace(entry["file"], source)} for source in sources]


def compile_commands():
    """The build's commands without its precompiled header, which only the compiler that made it reads."""
    commands = []
    entries = [entry for build in BUILDS for entry in json.loads((build / "compile_commands.json").read_text())]
    for entry in (one for entry in entries for one in by_source(entry)):
        if any(Path(entry["file"]).is_relative_to(folder) for folder in SOURCES):
            command = re.sub(r"-include \S*cmake_pch\S*", "", entry["command"])
            entry["command"] = re.sub(r"-Winvalid-pch|-fopenmp\S*", "", command)
            commands.append(entry)
    return commands


@functools.cache
def included_by(path):
    """The project's own headers that a file includes itself."""
    names = re.findall(r'^\s*#\s*include\s*"([^"]+)"', path.read_text(), re.MULTILINE)
    found = (next((folder / name for folder in INCLUDE_FOLDERS if (folder / name).exists()), None) for name in names)
    return [header for header in found if header]


def project_files(source):
    """A source and all of the project's own headers behind it."""
    files, due = set(), [source]
    while due:
        if (path := due.pop()) not in files:
            files.add(path)
            due += included_by(path)
    return files


def fingerprint(entry):
    """Changes whenever the answer of clang-tidy could."""
    digest = hashlib.sha256((ROOT / ".clang-tidy").read_bytes() + (ROOT / "setup" / "python.txt").read_bytes())
    digest.update(re.sub(r"-o \S+", "", entry["command"]).encode())  # batches of a unity build change with their sources
    for path in sorted(project_files(Path(entry["file"]))):
        digest.update(path.read_bytes())
    return digest.hexdigest()


@functools.cache
def gcc_headers():
    """Where the compiler keeps omp.h, which clang-tidy's package lacks."""
    return subprocess.run(["g++", "-print-file-name=include"], capture_output=True, text=True, check=True).stdout.strip()


def check(source, database):
    """Whether it is clean, and what was found. What clang can't parse of system headers is none of this check's business:
    the compiler is GCC, and clang stumbles over LibTorch's vectors of incomplete types."""
    omp_h = f"--extra-arg=-idirafter{gcc_headers()}"
    process = subprocess.run(
        [CLANG_TIDY, "--quiet", "--extra-arg=-ferror-limit=0", omp_h, "-p", database, source], capture_output=True, text=True
    )
    output = process.stdout
    found = [block for block in re.split(r"^(?=\S+:\d+:\d+: (?:error|warning): )", output, flags=re.MULTILINE)
             if block.startswith(f"{ROOT}/")]
    explained = found or re.search(r"^/usr/\S+: error: .*\[clang-diagnostic-error\]$", output, flags=re.MULTILINE)
    if process.returncode < 0 or (process.returncode > 0 and not explained):
        return False, output + process.stderr  # it did not get as far as looking
    return not found, "".join(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="look at files that passed before, too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()

    commands = compile_commands()
    PASSED.mkdir(parents=True, exist_ok=True)
    marks = {entry["file"]: PASSED / fingerprint(entry) for entry in commands}
    due = [source for source, mark in marks.items() if arguments.all or not mark.exists()]
    failed = 0
    with tempfile.TemporaryDirectory() as database, ThreadPoolExecutor(arguments.jobs) as pool:
        (Path(database) / "compile_commands.json").write_text(json.dumps(commands))
        for source, (clean, output) in zip(due, pool.map(lambda source: check(source, database), due)):
            name = Path(source).relative_to(ROOT)
            print(f"clang-tidy {name}: {'clean' if clean else 'FAILED'}", flush=True)
            if clean:
                marks[source].touch()
            else:
                failed += 1
                print(output)
    print(f"clang-tidy: {len(due)} of {len(commands)} files looked at, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
