"""Makes the ros-jazzy wheels of this environment usable from C++. Repeating it changes nothing.

The wheels were made for Python alone: their CMake files name the build machine's folders, their libraries
find each other through LD_LIBRARY_PATH only, the message libraries need a libpython that they do not name, the
bundled spdlog gets into the way of other versions, and a .pth file starts every Python of the environment twice
to set LD_LIBRARY_PATH.
"""

import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

PREFIX = Path(sys.prefix)
SITE = Path(sysconfig.get_path("platlib"))
INCLUDE = sysconfig.get_path("include", scheme="posix_prefix", vars={"installed_base": sys.base_prefix})
LIBPYTHON = sysconfig.get_config_var("INSTSONAME")
PATCHELF = PREFIX / "bin" / "patchelf"


def repair_cmake_files():
    """Puts this machine's folders in the place of the build machine's."""
    numpy_include = f"{SITE}/numpy/_core/include"
    for path in PREFIX.glob("share/*/cmake/*.cmake"):
        text = path.read_text()
        fixed = re.sub(r"/opt/python/[^;\"]*/site-packages/numpy/[^;\"]*include", numpy_include, text)
        fixed = re.sub(r"/opt/python/[^;\"]*/include/python[\d.]+", INCLUDE, fixed)
        # libfastrtps.so names the TinyXML that was bundled with it; nobody else needs one.
        fixed = fixed.replace("/usr/lib64/libtinyxml2.so;", "")
        if path.name == "rosidl_generator_py_generate_interfaces.cmake":
            fixed = name_libpython(fixed)
        if fixed != text:
            replace(path, fixed)


def name_libpython(text):
    """Message libraries generated here shall name libpython, for the programs that link them."""
    addition = "target_link_libraries(${_target_name_lib} PRIVATE -l:%s)\n" % LIBPYTHON
    include = re.search(r"target_include_directories\(\$\{_target_name_lib\} PUBLIC .*\n", text)
    return text if addition in text else text[: include.end()] + addition + text[include.end() :]


def replace(path, text):
    """All at once: an interrupted repair leaves the old file or the new one."""
    draft = path.with_name(path.name + ".draft")
    draft.write_text(text)
    draft.replace(path)


def patchelf(*arguments):
    return subprocess.run([PATCHELF, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def patch(library, *arguments):
    draft = library.with_name(library.name + ".draft")
    patchelf(*arguments, "--output", draft, library)
    draft.chmod(library.stat().st_mode)
    draft.replace(library)


def bundled_folders(library):
    """The ros_*.libs folders that a library's wheel brought for it, by the run path that it came with."""
    return [part.rsplit("/", 1)[-1] for part in patchelf("--print-rpath", library).strip().split(":") if ".libs" in part]


def repair_library(library, to_prefix):
    """Gives a library a run path to the others. to_prefix: the way from its folder to the prefix's lib."""
    site = SITE.relative_to(PREFIX / "lib")
    wanted = [to_prefix] + [f"{to_prefix}/{site}/{folder}" for folder in bundled_folders(library)]
    if patchelf("--print-rpath", library).strip() != ":".join(wanted):
        patch(library, "--set-rpath", ":".join(wanted))


def repair_libraries():
    for library in sorted((PREFIX / "lib").glob("lib*.so*")):
        if library.is_symlink():
            continue
        repair_library(library, "$ORIGIN")
        if "__rosidl_generator_py" in library.name and LIBPYTHON not in patchelf("--print-needed", library):
            patch(library, "--add-needed", LIBPYTHON)
    for library in SITE.glob("ros_*.libs/*.so*"):
        if patchelf("--print-rpath", library).strip() != "$ORIGIN":
            patch(library, "--set-rpath", "$ORIGIN")
    for wheel in SITE.glob("ros_*.dist-info"):
        record = (line.split(",")[0] for line in (wheel / "RECORD").read_text().splitlines())
        for name in record:
            if re.fullmatch(r"\w+/[^/]+\.so", name) and "/_dummy." not in name:
                repair_library(SITE / name, "$ORIGIN/../../..")


def separate_spdlog():
    """Renames the namespace of the bundled spdlog, inside the libraries that use it.

    A program that logs with its own spdlog, of another version, would else mix the two, and crash.
    """
    for library in [PREFIX / "lib" / "librcl_logging_spdlog.so", *SITE.glob("ros_*.libs/libspdlog-*.so*")]:
        listed = subprocess.run(["nm", "-D", "--format=just-symbols", library], check=True, capture_output=True, text=True)
        names = {name.split("@")[0] for name in listed.stdout.split() if "6spdlog" in name}
        if not names:
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as renames:
            renames.writelines(f"{name} {name.replace('6spdlog', '6rclspd')}\n" for name in sorted(names))
            renames.flush()
            patch(library, "--rename-dynamic-symbols", renames.name)


def stop_second_start():
    """With run paths in place no Python has to start anew for LD_LIBRARY_PATH."""
    for path in SITE.glob("*.pth"):
        if "ros_wheels_bootstrapper" in path.read_text():
            replace(path, "# not needed: the libraries know where they are\n")


if __name__ == "__main__":
    repair_cmake_files()
    repair_libraries()
    separate_spdlog()
    stop_second_start()
