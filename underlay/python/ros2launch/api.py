"""ros2 launch, as functions."""

import os
from pathlib import Path

from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import AnyLaunchDescriptionSource, get_launch_description_from_python_launch_file
from launch_ros.substitutions import prefix_of


def find_launch_file(package, name):
    """The launch file of a package, wherever below its share folder."""
    share = Path(prefix_of(package)) / "share" / package
    found = sorted(path for path in share.rglob(name) if path.is_file())
    if len(found) == 1:
        return str(found[0])
    if found:
        raise RuntimeError(f"package '{package}' has several files '{name}': {', '.join(map(str, found))}")
    others = sorted(path.name for path in share.rglob("*.launch.py"))
    raise RuntimeError(f"package '{package}' has no launch file '{name}'; it has: {', '.join(others) or 'none'}")


def parse_arguments(texts):
    """name:=value, each name once; the last one counts."""
    arguments = {}
    for text in texts:
        name, separator, value = text.partition(":=")
        if not separator or not name:
            raise RuntimeError(f"malformed launch argument '{text}', expected format '<name>:=<value>'")
        arguments[name] = value
    return list(arguments.items())


def describe_arguments(description):
    declared = description.get_launch_arguments()
    if not declared:
        return "Arguments (pass arguments as '<name>:=<value>'):\n\n  No arguments."
    lines = ["Arguments (pass arguments as '<name>:=<value>'):"]
    for argument in declared:
        lines += ["", f"    '{argument.name}':"]
        lines += [f"        {line}" for line in argument.description.splitlines()]
        if argument.describe_default() is not None:
            lines.append(f"        (default: {argument.describe_default()})")
    return "\n".join(lines)


def show_arguments(path):
    print(describe_arguments(get_launch_description_from_python_launch_file(path)))
    return 0


def launch(path, arguments, *, noninteractive=False, debug=False):
    if not os.path.isfile(path):
        raise RuntimeError(f"there is no launch file {path}")
    service = LaunchService(argv=arguments, noninteractive=noninteractive, debug=debug)
    service.include_launch_description(LaunchDescription([
        IncludeLaunchDescription(AnyLaunchDescriptionSource(path), launch_arguments=parse_arguments(arguments))]))
    return service.run()
