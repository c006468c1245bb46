"""The event handlers."""

from .event_handler import EventHandler
from .events import Shutdown
from .events.process import ProcessExited, ProcessIO, ProcessStarted

__all__ = ["OnProcessExit", "OnProcessIO", "OnProcessStart", "OnShutdown"]


class _OnProcess(EventHandler):
    def __init__(self, event_type, target_action, entities, handle_once=False):
        def matches(event):
            if not isinstance(event, event_type):
                return False
            if target_action is None or event.action is target_action:
                return True
            return callable(target_action) and not hasattr(target_action, "visit") and target_action(event.action)

        super().__init__(matcher=matches, entities=entities, handle_once=handle_once)


class OnProcessStart(_OnProcess):
    def __init__(self, *, target_action=None, on_start, handle_once=False):
        super().__init__(ProcessStarted, target_action, on_start, handle_once)


class OnProcessExit(_OnProcess):
    def __init__(self, *, target_action=None, on_exit, handle_once=False):
        super().__init__(ProcessExited, target_action, on_exit, handle_once)


class OnProcessIO(_OnProcess):
    """Callbacks take the event, whose text is bytes."""

    def __init__(self, *, target_action=None, on_stdout=None, on_stderr=None):
        def handle(event, context):
            callback = on_stdout if event.from_stdout else on_stderr
            return callback(event) if callback else None

        super().__init__(ProcessIO, target_action, handle)


class OnShutdown(EventHandler):
    def __init__(self, *, on_shutdown):
        super().__init__(matcher=lambda event: isinstance(event, Shutdown), entities=on_shutdown)
