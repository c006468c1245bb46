"""Events of processes, and events that processes obey."""

import signal as signals

from ..event import Event


class RunningProcessEvent(Event):
    def __init__(self, *, action):
        details = action.process_details
        self.action = action
        self.process_name = details["name"]
        self.cmd = details["cmd"]
        self.cwd = details["cwd"]
        self.env = details["env"]
        self.pid = details["pid"]


class ProcessStarted(RunningProcessEvent):
    name = "launch.events.process.ProcessStarted"


class ProcessExited(RunningProcessEvent):
    name = "launch.events.process.ProcessExited"

    def __init__(self, *, action, returncode):
        super().__init__(action=action)
        self.returncode = returncode


class ProcessIO(RunningProcessEvent):
    def __init__(self, *, action, text, from_stdout):
        super().__init__(action=action)
        self.text = text
        self.from_stdout = from_stdout
        self.from_stderr = not from_stdout


class ProcessTargetedEvent(Event):
    def __init__(self, *, process_matcher):
        self.process_matcher = process_matcher


class SignalProcess(ProcessTargetedEvent):
    name = "launch.events.process.SignalProcess"

    def __init__(self, *, signal_number, process_matcher):
        super().__init__(process_matcher=process_matcher)
        self.signal = signals.Signals[signal_number] if isinstance(signal_number, str) else signals.Signals(signal_number)


class ShutdownProcess(ProcessTargetedEvent):
    name = "launch.events.process.ShutdownProcess"
