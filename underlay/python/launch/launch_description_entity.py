"""What a launch description is made of."""


class LaunchDescriptionEntity:
    def visit(self, context):
        """Does what there is to do; returns entities to be visited next, or None."""
        raise NotImplementedError(f"{type(self).__name__}.visit")

    def describe_sub_entities(self):
        """Entities inside, as far as they are known without running."""
        return []
