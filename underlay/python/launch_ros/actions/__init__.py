"""Actions of ROS. Composable nodes and lifecycle nodes are left out."""

from .node import Node
from .settings import PushROSNamespace, PushRosNamespace, SetParameter, SetRemap

__all__ = ["Node", "PushROSNamespace", "PushRosNamespace", "SetParameter", "SetRemap"]
