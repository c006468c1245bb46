"""Checks of the whole tree: package manifests, paths, executable scripts."""

import re
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Concatenated so that this file does not match itself.
MACHINE_PATH = re.compile("(?<![\\w.<$}])(?:" + "|".join(("/ho" + "me/\\w", "/ro" + "ot/\\.", "/Use" + "rs/\\w")) + ")")


def tracked_files():
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )
    paths = (ROOT / name for name in listed.stdout.split("\0") if name)
    return [path for path in paths if path.is_file()]


def text_of(path):
    content = path.read_bytes()
    return "" if b"\0" in content[:8192] else content.decode("utf-8", errors="replace")


MANIFESTS = sorted((ROOT / "src").glob("*/package.xml"))


def test_every_package_has_a_manifest():
    packages = {path.parent for path in (ROOT / "src").glob("*/CMakeLists.txt")}
    assert packages and packages == {path.parent for path in MANIFESTS}


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda path: path.parent.name)
def test_a_manifest_is_complete(manifest):
    package = ElementTree.parse(manifest).getroot()
    assert package.tag == "package" and package.get("format") == "3"
    for tag in ("name", "version", "description", "maintainer", "license"):
        assert (package.findtext(tag) or "").strip(), f"<{tag}> is missing or empty"
    assert package.findtext("name") == manifest.parent.name
    assert package.findtext("license") == "Apache-2.0"
    assert package.find("maintainer").get("email")
    assert package.find("buildtool_depend") is not None
    assert package.findtext("export/build_type")


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda path: path.parent.name)
def test_manifest_and_cmake_name_the_same_version(manifest):
    cmake = (manifest.parent / "CMakeLists.txt").read_text()
    named = re.search(r"project\([^)]*VERSION\s+([\d.]+)", cmake)
    version = ElementTree.parse(manifest).getroot().findtext("version")
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    assert named is None or named.group(1) == version


def test_no_path_of_one_machine_is_in_the_tree():
    wrong = {}
    for path in tracked_files():
        if found := MACHINE_PATH.search(text_of(path)):
            wrong[str(path.relative_to(ROOT))] = found.group()
    assert not wrong


def test_scripts_are_executable_and_parse():
    scripts = [path for path in tracked_files() if text_of(path).startswith("#!")]
    assert scripts
    for script in scripts:
        assert script.stat().st_mode & 0o100, f"{script.relative_to(ROOT)} is not executable"
        if "bash" in text_of(script).splitlines()[0]:
            subprocess.run(["bash", "-n", str(script)], check=True)


def test_package_lists_are_plain_and_without_repetition():
    name_alone = r"[a-z0-9][a-z0-9.+-]*"
    forms = {"apt.txt": name_alone, "apt-tests.txt": name_alone, "python.txt": name_alone + r"(==[0-9][0-9.]*)?"}
    for name, form in forms.items():
        lines = (ROOT / "setup" / name).read_text().splitlines()
        entries = [line.split("#")[0].strip() for line in lines if line.split("#")[0].strip()]
        names = [entry.partition("==")[0] for entry in entries]
        assert names and len(names) == len(set(names))
        assert all(re.fullmatch(form, entry) for entry in entries)
