"""What scripts rely on: help, exit statuses, one JSON object on stdout, one sentence per error."""

import json
import re
import subprocess

import pytest


def subcommands(help_text):
    _, _, listed = help_text.partition("Subcommands:\n")
    return re.findall(r"^  (\w[\w-]*)", listed, re.MULTILINE)


def all_commands(pointpng, path=()):
    """Every command that does something, as ("bag", "info")."""
    below = subcommands(pointpng(*path, "--help").stdout)
    if not below:
        return [path]
    return [command for name in below for command in all_commands(pointpng, (*path, name))]


def one_sentence(process):
    lines = process.stderr.strip().splitlines()
    assert len(lines) == 1, process.stderr
    return lines[0]


def test_every_command_has_help_with_examples_and_json(pointpng):
    commands = all_commands(pointpng)
    assert ("doctor",) in commands and ("bag", "info") in commands
    for command in commands:
        process = pointpng(*command, "--help")
        assert process.returncode == 0 and process.stderr == ""
        assert "--json" in process.stdout, command
        examples = process.stdout.partition("Examples:\n")[2]
        assert f"  pointpng {' '.join(command)}" in examples, command


def test_options_in_examples_exist(pointpng):
    for command in all_commands(pointpng):
        usage, _, examples = pointpng(*command, "--help").stdout.partition("Examples:\n")
        for line in examples.splitlines():
            called = line.split("|")[0]
            if called.startswith("  pointpng " + " ".join(command)):
                for option in re.findall(r"(?<=\s)--[\w-]+", called):
                    assert option in usage, f"{command}: {option}"


def test_version(pointpng):
    process = pointpng("--version")
    assert process.returncode == 0
    assert re.fullmatch(r"pointpng \d+\.\d+\.\d+\n", process.stdout)


def test_no_command_is_wrong_usage(pointpng):
    process = pointpng()
    assert process.returncode == 2 and process.stdout == ""
    assert "doctor" in one_sentence(process)


def test_an_unknown_command_suggests_a_near_one(pointpng):
    process = pointpng("docter")
    assert process.returncode == 2 and process.stdout == ""
    assert "did you mean 'doctor'" in one_sentence(process)


def test_an_unknown_command_of_a_group_suggests_a_near_one(pointpng):
    process = pointpng("bag", "inof", "x.mcap")
    assert process.returncode == 2
    assert "pointpng bag" in one_sentence(process)


def test_an_unknown_option_suggests_a_near_one(pointpng):
    process = pointpng("doctor", "--jsn")
    assert process.returncode == 2
    assert "'--jsn'" in one_sentence(process) and "'--json'" in one_sentence(process)


@pytest.mark.parametrize(
    "arguments",
    [("doctor", "--device", "tpu"), ("bag", "info")],
)
def test_a_wrong_value_or_a_missing_argument_is_wrong_usage(pointpng, arguments):
    process = pointpng(*arguments)
    assert process.returncode == 2 and process.stdout == ""
    assert "--help" in one_sentence(process)


@pytest.mark.parametrize(
    "value, sentence", [("many", "threads must be a whole number, got 'many'"), ("-1", "threads must be in [0, 1024], got -1")]
)
def test_a_wrong_number_is_refused_in_the_librarys_words(pointpng, value, sentence):
    process = pointpng("doctor", "--threads", value)
    assert process.returncode == 2 and process.stdout == ""
    assert sentence in one_sentence(process)


def test_wrong_input_is_one_sentence_that_names_it(pointpng, tmp_path):
    process = pointpng("bag", "info", tmp_path / "missing.mcap")
    assert process.returncode == 2 and process.stdout == ""
    assert "missing.mcap" in one_sentence(process)


def test_with_json_an_error_is_an_object_too(pointpng, tmp_path):
    process = pointpng("bag", "info", tmp_path / "missing.mcap", "--json")
    assert process.returncode == 2
    told = json.loads(process.stdout)
    assert told["status"] == 2 and "missing.mcap" in told["error"]


def test_a_full_disk_is_a_failure_and_not_silence(pointpng):
    with open("/dev/full", "w") as full:
        process = subprocess.run([pointpng.program, "doctor", "--json"], stdout=full, stderr=subprocess.PIPE)
    assert process.returncode == 1
