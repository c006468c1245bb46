"""Runs the tests of one file: those beside the launch, then those of what it left."""

import inspect
import threading
import unittest

from launch import LaunchDescription, LaunchService
from launch.actions import RegisterEventHandler, SetLaunchConfiguration
from launch.event_handler import EventHandler
from launch.event_handlers import OnProcessExit, OnProcessStart
from launch.events.process import ProcessIO

from .actions import ReadyToTest
from .io_handler import ActiveIoHandler
from .proc_info_handler import ActiveProcInfoHandler
from .util import KeepAliveProc


def post_shutdown_test():
    """Marks a TestCase that runs when all processes have ended."""

    def mark(test_case):
        test_case.__post_shutdown_test__ = True
        return test_case

    return mark


class LaunchTestRunner:
    def __init__(self, module, arguments, ready_timeout=60.0, debug=False):
        self._module = module
        self._arguments = arguments
        self._ready_timeout = ready_timeout
        self._debug = debug
        self.proc_info = ActiveProcInfoHandler()
        self.proc_output = ActiveIoHandler()

    def describe(self):
        """The launch description, the ready action or None, and the names that the description gave to tests."""
        generate = self._module.generate_test_description
        given = {}
        ready = None
        if "ready_fn" in inspect.signature(generate).parameters:
            raise NotImplementedError("generate_test_description(ready_fn) is history: use ReadyToTest()")
        described = generate()
        if isinstance(described, tuple):
            described, given = described
        ready = _find_ready(described)
        if ready is None:
            raise RuntimeError("generate_test_description() has no launch_testing.actions.ReadyToTest()")
        if getattr(generate, "keep_alive", False):
            described.add_action(KeepAliveProc())
        return described, ready, given

    def run(self):
        """The unittest results of both parts."""
        described, ready, given = self.describe()
        service = LaunchService(argv=[], noninteractive=True, debug=self._debug)
        service.include_launch_description(LaunchDescription([
            *(SetLaunchConfiguration(name, value) for name, value in self._arguments.items()),
            RegisterEventHandler(OnProcessStart(on_start=lambda event, context: self.proc_info.started(event))),
            RegisterEventHandler(OnProcessExit(on_exit=lambda event, context: self.proc_info.exited(event))),
            RegisterEventHandler(EventHandler(
                matcher=lambda event: isinstance(event, ProcessIO),
                entities=lambda event, context: self.proc_output.append(event))),
            described,
        ]))
        known = {"proc_info": self.proc_info, "proc_output": self.proc_output, "launch_service": service,
                 "test_args": self._arguments, **given}
        results = []
        tests = threading.Thread(target=self._run_beside, args=(service, ready, known, results), daemon=True)
        ended = threading.Event()
        self._ended = ended
        tests.start()
        launch_status = service.run(shutdown_when_idle=False)
        ended.set()
        tests.join()
        if launch_status != 0 and all(result.wasSuccessful() for result in results):
            results.append(_failed("the launch itself failed"))
        results.append(self._run_tests(True, known))
        return results

    def _run_beside(self, service, ready, known, results):
        try:
            if not _wait_for_any(ready.ready, self._ended, self._ready_timeout):
                results.append(_failed(f"the launch was not ready within {self._ready_timeout:g} s"))
                return
            results.append(self._run_tests(False, known))
        finally:
            service.shutdown()

    def _run_tests(self, after_shutdown, known):
        suite = unittest.TestSuite()
        for item in vars(self._module).values():
            if inspect.isclass(item) and issubclass(item, unittest.TestCase):
                if getattr(item, "__post_shutdown_test__", False) == after_shutdown:
                    suite.addTests(_bind(item, known))
        return unittest.TextTestRunner(verbosity=2, resultclass=TimedResult).run(suite)


def _wait_for_any(event, other, timeout):
    step = 0.05
    while timeout > 0:
        if event.wait(step):
            return True
        if other.is_set():
            return event.is_set()
        timeout -= step
    return False


class TimedResult(unittest.TextTestResult):
    """Remembers which tests passed, for the JUnit file."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.passed = []

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed.append(test)


def _failed(message):
    def fail():
        raise AssertionError(message)

    suite = unittest.TestSuite([unittest.FunctionTestCase(fail, description=message)])
    return unittest.TextTestRunner(verbosity=2, resultclass=TimedResult).run(suite)


def _find_ready(entity):
    if isinstance(entity, ReadyToTest):
        return entity
    for inner in entity.describe_sub_entities():
        if found := _find_ready(inner):
            return found
    return None


def _bind(test_case, known):
    """The tests of a class, with the arguments that they ask for by name."""

    def with_arguments(function):
        wanted = [name for name in inspect.signature(function).parameters]
        missing = [name for name in wanted if name not in known]
        if missing:
            raise TypeError(f"{test_case.__name__}: unknown arguments {missing}; there are {sorted(known)}")
        return lambda: function(**{name: known[name] for name in wanted})

    # Also as attributes, as the real one has them.
    for name, value in known.items():
        if not hasattr(test_case, name):
            setattr(test_case, name, value)
    for hook in ("setUpClass", "tearDownClass"):
        function = getattr(test_case, hook)
        if inspect.signature(function).parameters:
            setattr(test_case, hook, with_arguments(function))
    for name in unittest.defaultTestLoader.getTestCaseNames(test_case):
        test = test_case(name)
        for method in (name, "setUp", "tearDown"):
            setattr(test, method, with_arguments(getattr(test, method)))
        yield test
