"""Stand-in for ros2cli: launch, run, pkg, node, topic, service and param, with their common options."""
