"""The command ros2."""

import argparse
import os
import signal
import sys

from . import graph


def add_launch(commands):
    parser = commands.add_parser("launch", help="run a launch file")
    parser.add_argument("package", help="name of the package, or path of a launch file")
    parser.add_argument("rest", nargs="*", metavar="[file] name:=value")
    parser.add_argument("-s", "--show-args", "--show-arguments", action="store_true", help="show the arguments and end")
    parser.add_argument("-n", "--noninteractive", action="store_true", help="not attached to a terminal")
    parser.add_argument("-d", "--debug", action="store_true", help="show tracebacks")
    parser.set_defaults(main=launch)


def launch(options):
    from ros2launch import api

    rest = list(options.rest)
    if os.path.isfile(options.package):
        path = options.package
    elif rest and ":=" not in rest[0]:
        path = api.find_launch_file(options.package, rest.pop(0))
    else:
        raise RuntimeError(f"there is no launch file '{options.package}'; usage: ros2 launch PACKAGE FILE [name:=value ...]")
    if options.show_args:
        return api.show_arguments(path)
    return api.launch(path, rest, noninteractive=options.noninteractive, debug=options.debug)


def add_run(commands):
    parser = commands.add_parser("run", help="run an executable of a package")
    parser.add_argument("package")
    parser.add_argument("executable")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    parser.set_defaults(main=run)


def run(options):
    from launch import LaunchContext
    from launch_ros.substitutions import ExecutableInPackage

    path = ExecutableInPackage(options.executable, options.package).perform(LaunchContext())
    os.execv(path, [path, *options.arguments])


def add_pkg(commands):
    verbs = commands.add_parser("pkg", help="packages").add_subparsers(required=True)
    prefix = verbs.add_parser("prefix", help="where a package is installed")
    prefix.add_argument("package")
    prefix.set_defaults(main=package_prefix)
    verbs.add_parser("list", help="all packages").set_defaults(main=package_list)


def package_prefix(options):
    from launch_ros.substitutions import prefix_of

    print(prefix_of(options.package))


def package_list(options):
    from ament_index_python.packages import get_packages_with_prefixes

    print("\n".join(sorted(get_packages_with_prefixes())))


def main(argv=None):
    parser = argparse.ArgumentParser(prog="ros2", description="ROS 2 (stand-in of Point-PNG; see docs/underlay.md)")
    commands = parser.add_subparsers(title="commands", required=True, metavar="command")
    for add in (add_launch, add_run, add_pkg, *graph.COMMANDS):
        add(commands)
    options = parser.parse_args(argv)
    try:
        status = options.main(options) or 0
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except BrokenPipeError:  # of `ros2 … | head`; what is still to be flushed goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except RuntimeError as error:
        print(f"ros2: {error}", file=sys.stderr)
        return 1
