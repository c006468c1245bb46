"""Parameters that need more than a name and a value."""

import tempfile

import yaml
from launch.utilities import perform

__all__ = ["ParameterFile", "ParameterValue"]


class ParameterValue:
    """A value with its type: a substitution alone is taken as YAML, so that '5' is a number."""

    def __init__(self, value, *, value_type=None):
        self.value, self.value_type = value, value_type

    def evaluate(self, context):
        return evaluate(context, self.value, self.value_type)


class ParameterFile:
    def __init__(self, param_file, *, allow_substs=False):
        if allow_substs:
            raise NotImplementedError("the stand-in for launch_ros has no parameter files with substitutions")
        self._param_file = param_file

    def evaluate(self, context):
        return perform(context, self._param_file)


def evaluate(context, value, value_type=None):
    """A parameter's value as plain Python."""
    if isinstance(value, ParameterValue):
        return value.evaluate(context)
    if isinstance(value, (bool, int, float)):
        return value if value_type is None else value_type(value)
    if isinstance(value, str):
        return value if value_type in (None, str) else _typed(value, value_type)
    if isinstance(value, (list, tuple)) and value and not _is_text(value):
        return [evaluate(context, element) for element in value]
    if isinstance(value, (list, tuple)) and all(isinstance(element, str) for element in value):
        return list(value)
    text = perform(context, value)
    return text if value_type is str else _typed(text, value_type)


def _is_text(parts):
    """True for a list of substitutions, which is one text; lists of text alone are lists."""
    from launch.substitution import Substitution

    return any(isinstance(part, Substitution) for part in parts)


def _typed(text, value_type):
    value = yaml.safe_load(text)
    value = "" if value is None else value
    if value_type is None:
        return value
    if value_type is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, value_type):
        raise TypeError(f"expected a parameter of type {value_type.__name__}, got '{text}'")
    return value


def flatten(context, parameters, prefix=""):
    """{'a': {'b': 1}} as {'a.b': 1}, with all values evaluated."""
    flat = {}
    for name, value in parameters.items():
        full = prefix + (name if isinstance(name, str) else perform(context, name))
        if isinstance(value, dict):
            flat.update(flatten(context, value, full + "."))
        else:
            flat[full] = evaluate(context, value)
    return flat


def write_parameter_file(node_pattern, parameters):
    with tempfile.NamedTemporaryFile("w", prefix="launch_params_", suffix=".yaml", delete=False) as file:
        yaml.safe_dump({node_pattern: {"ros__parameters": parameters}}, file, default_flow_style=False)
        return file.name
