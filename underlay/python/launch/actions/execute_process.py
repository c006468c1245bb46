"""Processes."""

import os
import shlex
import signal
import subprocess
import sys
import threading

from .. import logs
from ..action import Action
from ..event_handler import EventHandler
from ..events import process as process_events
from ..utilities import is_true, normalize_to_list_of_substitutions, perform, perform_substitutions

_OUTPUTS = {  # output=: (stdout on the screen, stderr on the screen)
    "screen": (True, True),
    "both": (True, True),
    "log": (False, True),
    "own_log": (False, False),
}


class ExecuteProcess(Action):
    """Runs a program. Its lines are shown as `[name-1] line`; on shutdown it gets SIGINT, then SIGTERM, then SIGKILL."""

    def __init__(self, *, cmd, name=None, cwd=None, env=None, additional_env=None, shell=False, prefix=None,
                 output="log", sigterm_timeout=5.0, sigkill_timeout=5.0, emulate_tty=False, on_exit=None,
                 respawn=False, respawn_delay=0.0, respawn_max_retries=-1, **kwargs):
        super().__init__(**kwargs)
        self._cmd = [normalize_to_list_of_substitutions(part) for part in cmd]
        self._name, self._cwd, self._env, self._additional_env = name, cwd, env, additional_env
        self._shell, self._prefix, self._output = shell, prefix, output
        self._sigterm_timeout, self._sigkill_timeout = sigterm_timeout, sigkill_timeout
        self._on_exit, self._respawn = on_exit, respawn
        self._respawn_delay, self._respawn_left = respawn_delay, respawn_max_retries
        self._process = None
        self._stopping = False
        self.process_details = None
        del emulate_tty  # C++ programs of ROS write whole lines either way

    @property
    def return_code(self):
        return None if self._process is None else self._process.returncode

    @property
    def cmd(self):
        return self._cmd

    # What is run ------------------------------------------------------------------------------------------------------

    def resolve(self, context):
        """The command as a list of words."""
        words = [perform_substitutions(context, part) for part in self._cmd]
        prefix = perform(context, self._prefix) if self._prefix is not None else ""
        return shlex.split(prefix) + words

    def _environment(self, context):
        def texts(pairs):
            items = pairs.items() if hasattr(pairs, "items") else pairs
            return {perform(context, name): perform(context, value) for name, value in items}

        environment = dict(context.environment) if self._env is None else texts(self._env)
        environment.update(texts(self._additional_env or {}))
        return environment

    def execute(self, context):
        if context.is_shutdown:
            return
        words = self.resolve(context)
        base = perform(context, self._name) if self._name is not None else os.path.basename(words[0])
        self.process_details = {
            "name": context.unique_name(base),
            "cmd": words,
            "cwd": None if self._cwd is None else perform(context, self._cwd),
            "env": self._environment(context),
            "pid": 0,
        }
        self._shown = self._output if isinstance(self._output, str) and self._output in _OUTPUTS else None
        if self._shown is None:
            self._shown = perform(context, self._output)
            if self._shown not in _OUTPUTS:
                raise ValueError(f"output of {base}: '{self._shown}' is none of {', '.join(_OUTPUTS)}")
        if isinstance(self._respawn, (bool, int)):
            self._respawns = bool(self._respawn)
        else:
            self._respawns = is_true(perform(context, self._respawn), "respawn")
        context.register_event_handler(EventHandler(matcher=self._is_for_me, entities=self._obey))
        if self._on_exit is not None:
            context.register_event_handler(EventHandler(
                matcher=lambda event: isinstance(event, process_events.ProcessExited) and event.action is self,
                entities=self._on_exit))
        self._start(context)

    def _start(self, context):
        details = self.process_details
        try:
            # A session of its own: Ctrl-C at the terminal reaches the children through us alone.
            self._process = subprocess.Popen(
                " ".join(details["cmd"]) if self._shell else details["cmd"], shell=self._shell, cwd=details["cwd"],
                env=details["env"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                start_new_session=True)
        except OSError as error:
            raise RuntimeError(f"could not start {details['cmd'][0]}: {error.strerror}") from error
        details["pid"] = self._process.pid
        context.running[details["name"]] = self
        logs.info(f"process started with pid [{self._process.pid}]", name=details["name"])
        context.emit_event_sync(process_events.ProcessStarted(action=self))
        threading.Thread(target=self._watch, args=(context, self._process), daemon=True).start()

    # What it says and how it ends -------------------------------------------------------------------------------------

    def _watch(self, context, process):
        readers = [
            threading.Thread(target=self._read, args=(context, stream, from_stdout), daemon=True)
            for stream, from_stdout in ((process.stdout, True), (process.stderr, False))
        ]
        for reader in readers:
            reader.start()
        process.wait()
        for reader in readers:
            reader.join(timeout=2.0)  # a grandchild may hold the pipe open
        context.call_soon(lambda: self._ended(context, process.returncode))

    def _read(self, context, stream, from_stdout):
        on_screen = _OUTPUTS[self._shown][0 if from_stdout else 1]
        name = self.process_details["name"]
        for line in stream:
            text = line.decode(errors="replace").rstrip("\n")
            logs.write(f"[{name}] {text}", screen=on_screen, stream=sys.stdout if from_stdout else sys.stderr)
            context.emit_event_sync(process_events.ProcessIO(action=self, text=line, from_stdout=from_stdout))

    def _ended(self, context, returncode):
        name = self.process_details["name"]
        if returncode == 0:
            logs.info(f"process has finished cleanly [pid {self.process_details['pid']}]", name=name)
        else:
            command = " ".join(self.process_details["cmd"])
            logs.error(f"process has died [pid {self.process_details['pid']}, exit code {returncode}, cmd '{command}']", name=name)
        del context.running[name]
        context.emit_event_sync(process_events.ProcessExited(action=self, returncode=returncode))
        if self._respawns and not self._stopping and not context.is_shutdown and self._respawn_left != 0:
            self._respawn_left -= 1
            self._start_again_later(context)

    def _start_again_later(self, context):
        def start():
            context.pending_timers -= 1
            if not context.is_shutdown and not self._stopping:
                self._start(context)

        context.pending_timers += 1
        timer = threading.Timer(self._respawn_delay, lambda: context.call_soon(start))
        timer.daemon = True
        timer.start()

    # How it is stopped ------------------------------------------------------------------------------------------------

    def _is_for_me(self, event):
        return isinstance(event, process_events.ProcessTargetedEvent) and event.process_matcher(self)

    def _obey(self, event, context):
        if isinstance(event, process_events.SignalProcess):
            self._send(event.signal)
        else:
            self.stop(context, event)

    def _send(self, number):
        if self._process is None or self._process.poll() is not None:
            return
        logs.info(f"sending signal '{signal.Signals(number).name}' to process[{self.process_details['name']}]")
        try:
            self._process.send_signal(number)
        except ProcessLookupError:
            pass  # it ended by itself in this moment

    def stop(self, context, event):
        if self._stopping:
            return
        self._stopping = True
        process = self._process
        self._send(signal.SIGINT)

        def seconds(value):
            return value if isinstance(value, (int, float)) else float(perform(context, value))

        patience = [(signal.SIGTERM, seconds(self._sigterm_timeout)), (signal.SIGKILL, seconds(self._sigkill_timeout))]

        def insist():
            for number, after in patience:
                try:
                    process.wait(timeout=after)
                    return
                except subprocess.TimeoutExpired:
                    logs.warning(f"process[{self.process_details['name']}] did not stop in {after:g} s")
                    self._send(number)

        threading.Thread(target=insist, daemon=True).start()


ExecuteLocal = ExecuteProcess
