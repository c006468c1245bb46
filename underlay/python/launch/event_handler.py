"""What is done when something has happened."""


class EventHandler:
    def __init__(self, *, matcher, entities=None, handle_once=False):
        self._matcher = matcher
        self._entities = entities
        self.handle_once = handle_once

    def matches(self, event):
        return self._matcher(event)

    def handle(self, event, context):
        """Entities to be visited."""
        entities = self._entities
        if callable(entities):
            entities = entities(event, context)
        if entities is None:
            return []
        return entities if isinstance(entities, (list, tuple)) else [entities]

    def describe_sub_entities(self):
        entities = self._entities
        if entities is None or callable(entities):
            return []
        return entities if isinstance(entities, (list, tuple)) else [entities]
