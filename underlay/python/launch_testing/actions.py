"""The action that starts the tests."""

import threading

from launch.action import Action

__all__ = ["ReadyToTest"]


class ReadyToTest(Action):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.ready = threading.Event()

    def execute(self, context):
        self.ready.set()
