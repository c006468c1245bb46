"""What decides whether an action is done."""


class Condition:
    def __init__(self, *, predicate):
        self._predicate = predicate

    def evaluate(self, context):
        return self._predicate(context)
