"""Stand-in for launch_ros: nodes, their parameters, namespaces and remappings."""

from . import actions, parameter_descriptions, substitutions

__all__ = ["actions", "parameter_descriptions", "substitutions"]
