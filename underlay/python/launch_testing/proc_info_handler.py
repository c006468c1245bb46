"""How processes have started and ended."""

import threading

from .proc_lookup import find


class ActiveProcInfoHandler:
    def __init__(self):
        self._changed = threading.Condition()
        self._started = []
        self._exits = {}

    def started(self, event):
        with self._changed:
            if event.action not in self._started:
                self._started.append(event.action)
            self._exits.pop(id(event.action), None)  # it was started again
            self._changed.notify_all()

    def exited(self, event):
        with self._changed:
            self._exits[id(event.action)] = event
            self._changed.notify_all()

    def processes(self):
        with self._changed:
            return list(self._started)

    def process_names(self):
        return [action.process_details["name"] for action in self.processes()]

    def __iter__(self):
        with self._changed:
            return iter(list(self._exits.values()))

    def __getitem__(self, process):
        """The exit event of a process; KeyError while it runs."""
        action = find(self.processes(), process)[0]
        return self._exits[id(action)]

    def assertWaitForStartup(self, process, timeout=10):
        def is_up():
            try:
                return bool(find(self._started, process))
            except AssertionError:
                return False

        with self._changed:
            assert self._changed.wait_for(is_up, timeout), f"process '{process}' did not start in {timeout} s"

    def assertWaitForShutdown(self, process, timeout=10):
        def is_down():
            return all(id(action) in self._exits for action in find(self._started, process))

        with self._changed:
            assert self._changed.wait_for(is_down, timeout), f"process '{process}' did not end in {timeout} s"
