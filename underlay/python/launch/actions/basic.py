"""Actions that are done in a moment."""

import os
import threading

from .. import events, logs
from ..action import Action
from ..launch_description_source import LaunchDescriptionSource
from ..substitutions import describe
from ..utilities import perform


class _Do(Action):
    """A function of the context."""

    def __init__(self, function):
        super().__init__()
        self._function = function

    def execute(self, context):
        self._function(context)


class DeclareLaunchArgument(Action):
    def __init__(self, name, *, default_value=None, description=None, choices=None, **kwargs):
        super().__init__(**kwargs)
        self.name = name
        self.default_value = default_value
        self.choices = None if choices is None else list(choices)
        if choices is not None and not self.choices:
            raise ValueError(f"the choices of launch argument '{name}' are empty")
        self.description = description or "no description given"
        if self.choices:
            suffix = f"Valid choices are: {self.choices}"
            self.description = f"{description}. {suffix}" if description else suffix

    def describe_default(self):
        return None if self.default_value is None else describe(self.default_value)

    def execute(self, context):
        given = context.launch_configurations
        if self.name not in given:
            if self.default_value is None:
                raise RuntimeError(f"Required launch argument '{self.name}' (description: '{self.description}') was not provided")
            given[self.name] = perform(context, self.default_value)
        if self.choices and given[self.name] not in self.choices:
            raise RuntimeError(
                f"Argument '{self.name}' provided value '{given[self.name]}' is not valid. Valid options are: {self.choices}")


class SetLaunchConfiguration(Action):
    def __init__(self, name, value, **kwargs):
        super().__init__(**kwargs)
        self._name, self._value = name, value

    def execute(self, context):
        context.launch_configurations[perform(context, self._name)] = perform(context, self._value)


class SetEnvironmentVariable(Action):
    def __init__(self, name, value, **kwargs):
        super().__init__(**kwargs)
        self._name, self._value = name, value

    def execute(self, context):
        context.environment[perform(context, self._name)] = perform(context, self._value)


class AppendEnvironmentVariable(Action):
    def __init__(self, name, value, prepend=False, separator=os.pathsep, **kwargs):
        super().__init__(**kwargs)
        self._name, self._value, self._prepend, self._separator = name, value, prepend, separator

    def execute(self, context):
        name, value = perform(context, self._name), perform(context, self._value)
        parts = [part for part in (context.environment.get(name, ""), value) if part]
        context.environment[name] = self._separator.join(reversed(parts) if self._prepend else parts)


class UnsetEnvironmentVariable(Action):
    def __init__(self, name, **kwargs):
        super().__init__(**kwargs)
        self._name = name

    def execute(self, context):
        context.environment.pop(perform(context, self._name), None)


class LogInfo(Action):
    def __init__(self, *, msg, **kwargs):
        super().__init__(**kwargs)
        self._msg = msg

    def execute(self, context):
        logs.info(perform(context, self._msg), name="launch.user")


class OpaqueFunction(Action):
    def __init__(self, *, function, args=None, kwargs=None, **action_kwargs):
        super().__init__(**action_kwargs)
        self._function, self._args, self._kwargs = function, args or (), kwargs or {}

    def execute(self, context):
        return self._function(context, *self._args, **self._kwargs)


class GroupAction(Action):
    def __init__(self, actions, *, scoped=True, forwarding=True, launch_configurations=None, **kwargs):
        super().__init__(**kwargs)
        if not forwarding:
            raise NotImplementedError("the stand-in for launch has no GroupAction without forwarding")
        self._actions = list(actions)
        self._scoped = scoped
        self._configurations = launch_configurations or {}

    def describe_sub_entities(self):
        return self._actions

    def execute(self, context):
        inside = [SetLaunchConfiguration(name, value) for name, value in self._configurations.items()] + self._actions
        if not self._scoped:
            return inside
        return [_Do(lambda context: context.push_scope()), *inside, _Do(lambda context: context.pop_scope())]


class IncludeLaunchDescription(Action):
    def __init__(self, launch_description_source, *, launch_arguments=None, **kwargs):
        super().__init__(**kwargs)
        if not isinstance(launch_description_source, LaunchDescriptionSource):
            from ..launch_description_sources import AnyLaunchDescriptionSource

            launch_description_source = AnyLaunchDescriptionSource(launch_description_source)
        self._source = launch_description_source
        self._arguments = list(launch_arguments or [])

    def describe_sub_entities(self):
        given = {name for name, _ in self._arguments if isinstance(name, str)}
        description = self._source.try_get_launch_description_without_context()
        entities = [] if description is None else description.get_launch_arguments()
        return [argument for argument in entities if argument.name not in given]

    def execute(self, context):
        outer = context.current_launch_file
        description = self._source.get_launch_description(context)

        def enter(context):
            context.current_launch_file = os.path.abspath(self._source.path(context))

        def leave(context):
            context.current_launch_file = outer

        arguments = [SetLaunchConfiguration(name, value) for name, value in self._arguments]
        return [*arguments, _Do(enter), description, _Do(leave)]


class EmitEvent(Action):
    def __init__(self, *, event, **kwargs):
        super().__init__(**kwargs)
        self.event = event

    def execute(self, context):
        context.emit_event_sync(self.event)


class Shutdown(EmitEvent):
    def __init__(self, *, reason="reason not given", **kwargs):
        super().__init__(event=events.Shutdown(reason=reason), **kwargs)


class RegisterEventHandler(Action):
    def __init__(self, event_handler, **kwargs):
        super().__init__(**kwargs)
        self.event_handler = event_handler

    def describe_sub_entities(self):
        return self.event_handler.describe_sub_entities()

    def execute(self, context):
        context.register_event_handler(self.event_handler)


class UnregisterEventHandler(Action):
    def __init__(self, event_handler, **kwargs):
        super().__init__(**kwargs)
        self.event_handler = event_handler

    def execute(self, context):
        context.unregister_event_handler(self.event_handler)


class TimerAction(Action):
    """Actions after a while, in the scope of where the timer stands."""

    def __init__(self, *, period, actions, cancel_on_shutdown=True, **kwargs):
        super().__init__(**kwargs)
        self._period, self._actions, self._cancel_on_shutdown = period, list(actions), cancel_on_shutdown
        self._canceled = False

    def describe_sub_entities(self):
        return self._actions

    def cancel(self):
        self._canceled = True

    def execute(self, context):
        period = self._period if isinstance(self._period, (int, float)) else float(perform(context, self._period))
        scope = (context.launch_configurations, context.environment)
        context.pending_timers += 1
        timer = threading.Timer(period, lambda: context.emit_event_sync(_TimerFired(self)))
        timer.daemon = True

        def fire(event, context):
            context.pending_timers -= 1
            if self._canceled or (context.is_shutdown and self._cancel_on_shutdown):
                return []

            def enter(context):
                context.push_scope()
                context.launch_configurations, context.environment = (dict(part) for part in scope)

            return [_Do(enter), *self._actions, _Do(lambda context: context.pop_scope())]

        from ..event_handler import EventHandler

        context.register_event_handler(EventHandler(
            matcher=lambda event: isinstance(event, _TimerFired) and event.timer is self, entities=fire, handle_once=True))
        timer.start()


class _TimerFired(events.Event):
    def __init__(self, timer):
        self.timer = timer
