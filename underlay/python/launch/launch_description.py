"""What is to be launched, in order."""

from .launch_description_entity import LaunchDescriptionEntity


class LaunchDescription(LaunchDescriptionEntity):
    def __init__(self, initial_entities=None):
        self.entities = list(initial_entities or [])

    def add_action(self, action):
        self.entities.append(action)

    def add_entity(self, entity):
        self.entities.append(entity)

    def visit(self, context):
        return self.entities

    def describe_sub_entities(self):
        return self.entities

    def get_launch_arguments(self):
        """Every DeclareLaunchArgument in here and in what is included, each name once."""
        from .actions import DeclareLaunchArgument

        found = {}

        def collect(entities):
            for entity in entities:
                if isinstance(entity, DeclareLaunchArgument):
                    found.setdefault(entity.name, entity)
                collect(entity.describe_sub_entities())

        collect(self.entities)
        return list(found.values())
