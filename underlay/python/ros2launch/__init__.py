"""Stand-in for ros2launch."""
