"""Runs launch descriptions."""

import queue
import signal
import threading
import traceback

from . import logs
from .event import Event
from .event_handler import EventHandler
from .events import Shutdown
from .launch_context import LaunchContext
from .launch_description_entity import LaunchDescriptionEntity


class LaunchService:
    """Everything happens in the thread that calls run(): other threads put events into its queue."""

    def __init__(self, *, argv=None, noninteractive=False, debug=False):
        self.context = LaunchContext(argv=argv, noninteractive=noninteractive)
        self._debug = debug
        self._return_code = 0

    def include_launch_description(self, launch_description):
        self.context.call_soon(lambda: self._visit(launch_description))

    def emit_event(self, event):
        self.context.emit_event_sync(event)

    def shutdown(self, force_sync=False):
        self.emit_event(Shutdown(reason="LaunchService.shutdown() called"))

    def run(self, *, shutdown_when_idle=True):
        """Returns 0, or 1 where something in the launch went wrong."""
        logs.info(f"All log files can be found below {logs.directory()}")
        old = self._install_signal_handlers()
        try:
            while True:
                try:
                    self._handle(self.context.next_event(timeout=0.1))
                except queue.Empty:
                    pass
                if self._finished(shutdown_when_idle):
                    return self._return_code
        finally:
            for number, handler in old.items():
                signal.signal(number, handler)

    def _finished(self, shutdown_when_idle):
        if self.context.running or self.context.has_events():
            return False
        if self.context.is_shutdown:
            return True
        if shutdown_when_idle and not self.context.pending_timers:
            self._shut_down(Shutdown(reason="idle"))
            return not self.context.running and not self.context.has_events()
        return False

    def _install_signal_handlers(self):
        if threading.current_thread() is not threading.main_thread():
            return {}

        def on_signal(number, _frame):
            name = signal.Signals(number).name
            logs.warning(f"user interrupted with {name}")
            self.emit_event(Shutdown(reason=name, due_to_sigint=number == signal.SIGINT))

        return {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}

    def _handle(self, item):
        try:
            if isinstance(item, Shutdown):
                self._shut_down(item)
            elif isinstance(item, Event):
                self._dispatch(item)
            else:
                item()
        except Exception as error:
            self._fail(error)

    def _fail(self, error):
        logs.error(f"Caught exception in launch (see debug for traceback): {error}")
        if self._debug:
            traceback.print_exception(error)
        self._return_code = 1
        if not self.context.is_shutdown:
            self._handle(Shutdown(reason=f"Caught exception in launch: {error}"))

    def _dispatch(self, event):
        for handler in list(self.context.event_handlers):
            if handler in self.context.event_handlers and handler.matches(event):
                if handler.handle_once:
                    self.context.unregister_event_handler(handler)
                self._visit_all(handler.handle(event, self.context))

    def _shut_down(self, event):
        if self.context.is_shutdown:
            return
        self._dispatch(event)
        self.context.is_shutdown = True
        for action in list(self.context.running.values()):
            action.stop(self.context, event)

    def _visit_all(self, entities):
        for entity in entities:
            self._visit(entity)

    def _visit(self, entity):
        if isinstance(entity, EventHandler):
            self.context.register_event_handler(entity)
            return
        if not isinstance(entity, LaunchDescriptionEntity):
            raise TypeError(f"a launch description can't hold {entity!r}")
        self._visit_all(entity.visit(self.context) or [])
