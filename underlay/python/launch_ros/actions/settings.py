"""Settings for all nodes that follow in a scope."""

import json

from launch.action import Action
from launch.utilities import perform

from ..parameter_descriptions import evaluate

# Launch configurations are text, and scoped: the right place for settings with a scope.
_NAMESPACE, _PARAMETERS, _REMAPS = "ros_namespace", "global_params", "ros_remaps"


def namespace(context):
    return context.launch_configurations.get(_NAMESPACE, "")


def global_parameters(context):
    return json.loads(context.launch_configurations.get(_PARAMETERS, "{}"))


def global_remaps(context):
    return json.loads(context.launch_configurations.get(_REMAPS, "[]"))


def join_namespaces(outer, inner):
    if inner.startswith("/") or not outer:
        return inner
    return f"{outer.rstrip('/')}/{inner}" if inner else outer


class PushRosNamespace(Action):
    def __init__(self, namespace, **kwargs):
        super().__init__(**kwargs)
        self._namespace = namespace

    def execute(self, context):
        context.launch_configurations[_NAMESPACE] = join_namespaces(namespace(context), perform(context, self._namespace))


PushROSNamespace = PushRosNamespace


class SetParameter(Action):
    def __init__(self, name, value, **kwargs):
        super().__init__(**kwargs)
        self._name, self._value = name, value

    def execute(self, context):
        parameters = global_parameters(context)
        parameters[perform(context, self._name)] = evaluate(context, self._value)
        context.launch_configurations[_PARAMETERS] = json.dumps(parameters)


class SetRemap(Action):
    def __init__(self, src, dst, **kwargs):
        super().__init__(**kwargs)
        self._src, self._dst = src, dst

    def execute(self, context):
        remaps = global_remaps(context) + [[perform(context, self._src), perform(context, self._dst)]]
        context.launch_configurations[_REMAPS] = json.dumps(remaps)
