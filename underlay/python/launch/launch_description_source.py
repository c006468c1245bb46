"""A launch description that is in a file."""

from .utilities import perform


class LaunchDescriptionSource:
    def __init__(self, launch_description=None, location=""):
        self._location = location
        self._description = launch_description

    def path(self, context):
        return perform(context, self._location)

    def get_launch_description(self, context):
        if self._description is None:
            self._description = self._load(self.path(context))
        return self._description

    def try_get_launch_description_without_context(self):
        """None where the path depends on what is known only when the launch runs."""
        from .launch_context import LaunchContext

        try:
            return self.get_launch_description(LaunchContext())
        except RuntimeError:
            return None

    def _load(self, path):
        raise NotImplementedError(f"{type(self).__name__} cannot load {path}")
