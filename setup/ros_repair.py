"""Makes the ros-jazzy wheels of this environment usable from C++. Idempotent.

The wheels were made for Python only: their CMake files contain the build machine's paths, their libraries find
each other only through LD_LIBRARY_PATH, the message libraries need libpython but do not declare it, the bundled
spdlog clashes with other versions, and a .pth file restarts every Python of the environment to set
LD_LIBRARY_PATH.
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
    """Replaces the build machine's paths with this machine's."""
    numpy_include = f"{SITE}/numpy/_core/include"
    for path in PREFIX.glob("share/*/cmake/*.cmake"):
        text = path.read_text()
        fixed = re.sub(r"/opt/python/[^;\"]*/site-packages/numpy/[^;\"]*include", numpy_include, text)
        fixed = re.sub(r"/opt/python/[^;\"]*/include/python[\d.]+", INCLUDE, fixed)
        # libfastrtps.so links its bundled TinyXML; nothing else needs one.
        fixed = fixed.replace("/usr/lib64/libtinyxml2.so;", "")
        if path.name == "rosidl_generator_py_generate_interfaces.cmake":
            fixed = name_libpython(fixed)
        if fixed != text:
            replace(path, fixed)


def name_libpython(text):
    """Links libpython to message libraries generated here, for the programs that use them."""
    addition = "target_link_libraries(${_target_name_lib} PRIVATE -l:%s)\n" % LIBPYTHON
    include = re.search(r"target_include_directories\(\$\{_target_name_lib\} PUBLIC .*\n", text)
    return text if addition in text else text[: include.end()] + addition + text[include.end() :]


def replace(path, text):
    """Atomic: an interrupted repair leaves either the old file or the new one."""
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
    """The ros_*.libs folders of a library's wheel, from its original RPATH."""
    return [part.rsplit("/", 1)[-1] for part in patchelf("--print-rpath", library).strip().split(":") if ".libs" in part]


def repair_library(library, to_prefix):
    """Sets a library's RPATH to the others. to_prefix: path from its folder to the prefix's lib."""
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
    """Renames the namespace of the bundled spdlog in the libraries that use it.

    Otherwise a program with its own version of spdlog would mix the two and crash.
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
    """With RPATHs set, Python need not restart for LD_LIBRARY_PATH."""
    for path in SITE.glob("*.pth"):
        if "ros_wheels_bootstrapper" in path.read_text():
            replace(path, "# not needed: the libraries have RPATHs\n")


if __name__ == "__main__":
    repair_cmake_files()
    repair_libraries()
    separate_spdlog()
    stop_second_start()
