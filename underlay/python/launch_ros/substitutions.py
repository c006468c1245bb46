"""Places of packages."""

import os

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch.substitution import Substitution
from launch.substitutions import describe
from launch.utilities import perform

__all__ = ["ExecutableInPackage", "FindPackage", "FindPackagePrefix", "FindPackageShare"]


def prefix_of(package):
    try:
        return get_package_prefix(package)
    except PackageNotFoundError as error:
        raise RuntimeError(f"package '{package}' not found; is install/setup.bash sourced?") from error


class FindPackage(Substitution):
    def __init__(self, package):
        self.package = package

    def describe(self):
        return f"{type(self).__name__}({describe(self.package)})"


class FindPackagePrefix(FindPackage):
    def perform(self, context):
        return prefix_of(perform(context, self.package))


class FindPackageShare(FindPackage):
    def perform(self, context):
        package = perform(context, self.package)
        return os.path.join(prefix_of(package), "share", package)


class ExecutableInPackage(Substitution):
    def __init__(self, executable, package):
        self.executable, self.package = executable, package

    def perform(self, context):
        executable, package = perform(context, self.executable), perform(context, self.package)
        path = os.path.join(prefix_of(package), "lib", package, executable)
        if not os.access(path, os.X_OK):
            raise RuntimeError(f"executable '{executable}' not found in package '{package}' ({path})")
        return path

    def describe(self):
        return f"ExecInPkg({describe(self.package)}, {describe(self.executable)})"
