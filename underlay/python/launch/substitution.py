"""Text that is known when the launch runs."""


class Substitution:
    def perform(self, context):
        raise NotImplementedError(f"{type(self).__name__}.perform")

    def describe(self):
        return f"{type(self).__name__}()"
