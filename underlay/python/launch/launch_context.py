"""What is known while a launch runs."""

import os
import queue


class LaunchContext:
    def __init__(self, *, argv=None, noninteractive=False):
        self.argv = list(argv or [])
        self.noninteractive = noninteractive
        self.launch_configurations = {}
        self.environment = dict(os.environ)
        self.event_handlers = []
        self.current_launch_file = ""
        self.is_shutdown = False
        self.running = {}  # the actions whose processes run, by their names
        self.pending_timers = 0
        self._scopes = []
        self._queue = queue.SimpleQueue()  # a signal handler may put while the same thread gets: Queue would deadlock
        self._started = 0

    def perform_substitution(self, sub):
        return sub.perform(self)

    def push_scope(self):
        self._scopes.append((self.launch_configurations, self.environment))
        self.launch_configurations = dict(self.launch_configurations)
        self.environment = dict(self.environment)

    def pop_scope(self):
        self.launch_configurations, self.environment = self._scopes.pop()

    def register_event_handler(self, handler):
        self.event_handlers.insert(0, handler)

    def unregister_event_handler(self, handler):
        self.event_handlers.remove(handler)

    def emit_event_sync(self, event):
        """From any thread."""
        self._queue.put(event)

    def call_soon(self, function):
        """Has the thread of the launch service call a function. From any thread."""
        self._queue.put(function)

    def next_event(self, timeout):
        return self._queue.get(timeout=timeout)

    def has_events(self):
        return not self._queue.empty()

    def unique_name(self, base):
        """pose_node-1, replay_node-2, …: counted over all processes of a launch."""
        self._started += 1
        return f"{base}-{self._started}"
