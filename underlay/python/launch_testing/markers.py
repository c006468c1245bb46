"""Marks of test descriptions."""

__all__ = ["keep_alive"]


def keep_alive(function):
    """Tests go on when all processes have ended."""
    function.keep_alive = True
    return function
