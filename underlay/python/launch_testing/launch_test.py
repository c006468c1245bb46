"""launch_test FILE [name:=value ...]: runs one launch test. Ends with 0 where all tests passed."""

import argparse
import os
import sys
import xml.etree.ElementTree as ElementTree

from launch.launch_description_sources import load_python_file

from .test_runner import LaunchTestRunner


def write_junit(path, package, results):
    suite = ElementTree.Element("testsuite", name=package)
    counts = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}

    def add(test, kind=None, text=""):
        counts["tests"] += 1
        case = ElementTree.SubElement(suite, "testcase", name=getattr(test, "_testMethodName", str(test)),
                                      classname=f"{package}.{type(test).__name__}")
        if kind:
            counts["skipped" if kind == "skipped" else kind + "s"] += 1
            ElementTree.SubElement(case, kind, message=text.strip().splitlines()[-1] if text.strip() else "").text = text

    for result in results:
        for test in result.passed:
            add(test)
        for kind, found in (("failure", result.failures), ("error", result.errors), ("skipped", result.skipped)):
            for test, text in found:
                add(test, kind, text)
    for name, count in counts.items():
        suite.set(name, str(count))
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def main(argv=None):
    parser = argparse.ArgumentParser(prog="launch_test", description="Runs a launch test.")
    parser.add_argument("test_file")
    parser.add_argument("launch_arguments", nargs="*", metavar="name:=value")
    parser.add_argument("-s", "--show-args", action="store_true", help="show the arguments of the test and end")
    parser.add_argument("-v", "--verbose", action="store_true", help="show tracebacks of the launch")
    parser.add_argument("--junit-xml", metavar="FILE", help="write the results to a file for CTest and colcon")
    parser.add_argument("--package-name", default=None, help="name of the package in that file")
    options = parser.parse_args(argv)

    module = load_python_file(options.test_file)
    if not hasattr(module, "generate_test_description"):
        parser.error(f"{options.test_file} has no function generate_test_description")
    try:
        arguments = dict(argument.split(":=", 1) for argument in options.launch_arguments)
    except ValueError:
        parser.error("arguments are given as name:=value")
    runner = LaunchTestRunner(module, arguments, debug=options.verbose)
    if options.show_args:
        from ros2launch.api import describe_arguments

        print(describe_arguments(runner.describe()[0]))
        return 0
    results = runner.run()
    package = options.package_name or os.path.basename(options.test_file).split(".")[0]
    if options.junit_xml:
        write_junit(options.junit_xml, package, results)
    return 0 if all(result.wasSuccessful() for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
