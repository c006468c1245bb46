"""Launch files in Python."""

import importlib.machinery
import importlib.util
import os

from .launch_description import LaunchDescription
from .launch_description_source import LaunchDescriptionSource

__all__ = ["AnyLaunchDescriptionSource", "PythonLaunchDescriptionSource", "get_launch_description_from_python_launch_file"]


def load_python_file(path):
    if not os.path.isfile(path):
        raise FileNotFoundError(f"there is no launch file {path}")
    name = os.path.basename(path).replace(".", "_")
    spec = importlib.util.spec_from_loader(name, importlib.machinery.SourceFileLoader(name, path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def get_launch_description_from_python_launch_file(path):
    module = load_python_file(path)
    if not hasattr(module, "generate_launch_description"):
        raise ValueError(f"{path} has no function generate_launch_description")
    description = module.generate_launch_description()
    if not isinstance(description, LaunchDescription):
        raise ValueError(f"generate_launch_description of {path} returned {description!r}")
    return description


class PythonLaunchDescriptionSource(LaunchDescriptionSource):
    def __init__(self, launch_file_path):
        super().__init__(location=launch_file_path)

    def _load(self, path):
        return get_launch_description_from_python_launch_file(path)


class AnyLaunchDescriptionSource(PythonLaunchDescriptionSource):
    """Of any kind; launch files in XML and YAML are refused."""

    def _load(self, path):
        if not path.endswith(".py"):
            raise NotImplementedError(f"the stand-in for launch reads Python files only, not {path}")
        return super()._load(path)
