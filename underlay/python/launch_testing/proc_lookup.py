"""Finds processes by action, by name, or by a part of their name."""


def find(actions, process):
    """The actions that `process` means: None is all; text is a part of the name; else the action itself."""
    if process is None:
        return list(actions)
    if isinstance(process, str):
        found = [action for action in actions if process in action.process_details["name"]]
    else:
        found = [action for action in actions if action is process]
    if not found:
        names = ", ".join(action.process_details["name"] for action in actions) or "none"
        raise AssertionError(f"no process '{process}'; known: {names}")
    return found
