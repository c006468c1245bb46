#!/usr/bin/env python3
"""clang-tidy over the sources of the core and of the ROS 2 nodes, two at a time or as many as there are cores.

LibTorch's headers make it slow (ten seconds a file), so a file that passed is not looked at again
until it, a header of the project that it includes, or .clang-tidy changes; --all looks at everything.
Needs a build (`make build`): the compile commands and the includes come from there.
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
CORE_BUILD = Path(os.environ.get("BUILD_DIR", ROOT / "build" / "core"))
BUILDS = [CORE_BUILD, CORE_BUILD.parent / "ros" / "pointpng_ros"]
PASSED = ROOT / ".setup" / "tidy"
CLANG_TIDY = ROOT / ".venv" / "bin" / "clang-tidy"  # of the version in setup/python.txt


def compile_commands():
    """The build's commands without its precompiled header, which only the compiler that made it reads."""
    commands = []
    entries = [entry for build in BUILDS for entry in json.loads((build / "compile_commands.json").read_text())]
    for entry in entries:
        if any(Path(entry["file"]).is_relative_to(folder) for folder in SOURCES):
            command = re.sub(r"-include \S*cmake_pch\S*", "", entry["command"])
            entry["command"] = re.sub(r"-Winvalid-pch|-fopenmp\S*", "", command)
            commands.append(entry)
    return commands


def project_includes():
    """Object file → the project's own files that it was made from, as ninja recorded them."""
    lines = [line for build in BUILDS for line in subprocess.run(
        ["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout.splitlines()]
    includes, current = {}, []
    for line in lines:
        if line.startswith(" "):
            path = Path(line.strip())
            if path.is_relative_to(ROOT / "src"):
                current.append(path)
        elif ": #deps" in line:
            current = includes.setdefault(line.split(": #deps")[0], [])
    return includes


def fingerprint(entry, includes):
    """Changes whenever the answer of clang-tidy could."""
    output = re.search(r" -o (\S+)", entry["command"])
    files = {Path(entry["file"]), *includes.get(output.group(1) if output else "", [])}
    digest = hashlib.sha256((ROOT / ".clang-tidy").read_bytes() + (ROOT / "setup" / "python.txt").read_bytes())
    digest.update(entry["command"].encode())
    for path in sorted(files):
        digest.update(path.read_bytes() if path.exists() else b"")
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

    commands, includes = compile_commands(), project_includes()
    PASSED.mkdir(parents=True, exist_ok=True)
    marks = {entry["file"]: PASSED / fingerprint(entry, includes) for entry in commands}
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
