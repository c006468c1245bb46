"""The events."""

from . import process
from ..event import Event

__all__ = ["Shutdown", "matches_action", "process"]


class Shutdown(Event):
    name = "launch.events.Shutdown"

    def __init__(self, *, reason="reason not given", due_to_sigint=False):
        self.reason = reason
        self.due_to_sigint = due_to_sigint


def matches_action(target_action):
    """For the matcher of an event that goes to one process."""
    return lambda action: action is target_action
