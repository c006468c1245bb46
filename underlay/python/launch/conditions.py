"""The conditions."""

from .condition import Condition
from .utilities import is_true, perform

__all__ = ["IfCondition", "LaunchConfigurationEquals", "LaunchConfigurationNotEquals", "UnlessCondition"]


class IfCondition(Condition):
    def __init__(self, predicate_expression):
        super().__init__(predicate=lambda context: is_true(perform(context, predicate_expression), "IfCondition"))


class UnlessCondition(Condition):
    def __init__(self, predicate_expression):
        super().__init__(
            predicate=lambda context: not is_true(perform(context, predicate_expression), "UnlessCondition"))


class LaunchConfigurationEquals(Condition):
    def __init__(self, launch_configuration_name, expected_value):
        def equal(context):
            actual = context.launch_configurations.get(launch_configuration_name)
            return actual == (None if expected_value is None else perform(context, expected_value))

        super().__init__(predicate=equal)


class LaunchConfigurationNotEquals(Condition):
    def __init__(self, launch_configuration_name, expected_value):
        equals = LaunchConfigurationEquals(launch_configuration_name, expected_value)
        super().__init__(predicate=lambda context: not equals.evaluate(context))
