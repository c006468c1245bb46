"""The substitutions."""

import os
import shutil

from .substitution import Substitution
from .utilities import is_true, normalize_to_list_of_substitutions, perform, perform_substitutions

_MISSING = object()


def describe(value):
    return " + ".join(sub.describe() for sub in normalize_to_list_of_substitutions(value))


class TextSubstitution(Substitution):
    def __init__(self, *, text):
        if not isinstance(text, str):
            raise TypeError(f"TextSubstitution expects text, got {text!r}")
        self.text = text

    def perform(self, context):
        return self.text

    def describe(self):
        return f"'{self.text}'"


class LaunchConfiguration(Substitution):
    """The value of a launch argument."""

    def __init__(self, variable_name, *, default=_MISSING):
        self.variable_name = normalize_to_list_of_substitutions(variable_name)
        self._default = default

    def perform(self, context):
        name = perform_substitutions(context, self.variable_name)
        if name in context.launch_configurations:
            return context.launch_configurations[name]
        if self._default is _MISSING:
            raise RuntimeError(f"launch configuration '{name}' does not exist")
        return perform(context, self._default)

    def describe(self):
        return f"LaunchConfig({describe(self.variable_name)})"


class PathJoinSubstitution(Substitution):
    def __init__(self, substitutions):
        self.substitutions = list(substitutions)

    def perform(self, context):
        return os.path.join(*(perform(context, part) for part in self.substitutions))

    def describe(self):
        return f"PathJoin({', '.join(describe(part) for part in self.substitutions)})"


class EnvironmentVariable(Substitution):
    def __init__(self, name, *, default_value=_MISSING):
        self.name = name
        self._default = default_value

    def perform(self, context):
        name = perform(context, self.name)
        if name in context.environment:
            return context.environment[name]
        if self._default is _MISSING:
            raise RuntimeError(f"environment variable '{name}' does not exist")
        return perform(context, self._default)

    def describe(self):
        return f"EnvVar({describe(self.name)})"


class FindExecutable(Substitution):
    def __init__(self, *, name):
        self.name = name

    def perform(self, context):
        name = perform(context, self.name)
        found = shutil.which(name, path=context.environment.get("PATH"))
        if found is None:
            raise RuntimeError(f"executable '{name}' not found on the PATH")
        return found

    def describe(self):
        return f"FindExec({describe(self.name)})"


class PythonExpression(Substitution):
    """Evaluates Python, with the module math at hand."""

    def __init__(self, expression):
        self.expression = normalize_to_list_of_substitutions(expression)

    def perform(self, context):
        import math

        names = {name: getattr(math, name) for name in dir(math) if not name.startswith("_")}
        return str(eval(perform_substitutions(context, self.expression), {"math": math, **names}, {}))

    def describe(self):
        return f"PythonExpr({describe(self.expression)})"


class ThisLaunchFile(Substitution):
    def perform(self, context):
        return context.current_launch_file

    def describe(self):
        return "ThisLaunchFile()"


class ThisLaunchFileDir(Substitution):
    def perform(self, context):
        return os.path.dirname(context.current_launch_file)

    def describe(self):
        return "ThisLaunchFileDir()"


class NotSubstitution(Substitution):
    def __init__(self, value):
        self.value = value

    def perform(self, context):
        return str(not is_true(perform(context, self.value), "NotSubstitution")).lower()

    def describe(self):
        return f"Not({describe(self.value)})"


class _Both(Substitution):
    def __init__(self, left, right):
        self.left, self.right = left, right

    def _texts(self, context):
        return perform(context, self.left), perform(context, self.right)

    def _values(self, context):
        return [is_true(text, type(self).__name__) for text in self._texts(context)]

    def describe(self):
        return f"{type(self).__name__}({describe(self.left)}, {describe(self.right)})"


class AndSubstitution(_Both):
    def perform(self, context):
        return str(all(self._values(context))).lower()


class OrSubstitution(_Both):
    def perform(self, context):
        return str(any(self._values(context))).lower()


class EqualsSubstitution(_Both):
    def perform(self, context):
        left, right = self._texts(context)
        return str(left == right).lower()


class NotEqualsSubstitution(_Both):
    def perform(self, context):
        left, right = self._texts(context)
        return str(left != right).lower()
