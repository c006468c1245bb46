"""Stand-in for launch: the part that launch files and launch tests of Point-PNG use, under the same names."""

from . import actions, conditions, event_handlers, events, launch_description_sources, substitutions, utilities
from .action import Action
from .condition import Condition
from .event import Event
from .event_handler import EventHandler
from .launch_context import LaunchContext
from .launch_description import LaunchDescription
from .launch_description_entity import LaunchDescriptionEntity
from .launch_description_source import LaunchDescriptionSource
from .launch_service import LaunchService
from .substitution import Substitution
from .utilities import SomeSubstitutionsType

__all__ = [
    "Action", "Condition", "Event", "EventHandler", "LaunchContext", "LaunchDescription", "LaunchDescriptionEntity",
    "LaunchDescriptionSource", "LaunchService", "SomeSubstitutionsType", "Substitution", "actions", "conditions",
    "event_handlers", "events", "launch_description_sources", "substitutions", "utilities",
]
