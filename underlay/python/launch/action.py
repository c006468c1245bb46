"""An entity that does something, where its condition holds."""

from .launch_description_entity import LaunchDescriptionEntity


class Action(LaunchDescriptionEntity):
    def __init__(self, *, condition=None):
        self.condition = condition

    def visit(self, context):
        if self.condition is None or self.condition.evaluate(context):
            return self.execute(context)
        return None

    def execute(self, context):
        raise NotImplementedError(f"{type(self).__name__}.execute")
