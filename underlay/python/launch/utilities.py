"""Lists of substitutions: what launch files may give wherever text is wanted."""

from pathlib import Path
from typing import Iterable, Text, Union

from .substitution import Substitution

SomeSubstitutionsType = Union[Text, Path, Substitution, Iterable[Union[Text, Path, Substitution]]]


def normalize_to_list_of_substitutions(subs):
    from .substitutions import TextSubstitution

    if isinstance(subs, Substitution):
        return [subs]
    if isinstance(subs, (str, Path)):
        return [TextSubstitution(text=str(subs))]
    if isinstance(subs, Iterable):
        return [part for sub in subs for part in normalize_to_list_of_substitutions(sub)]
    raise TypeError(f"expected text or a substitution, got {subs!r}")


def perform_substitutions(context, subs):
    return "".join(context.perform_substitution(sub) for sub in subs)


def perform(context, value):
    """Text of anything that normalize_to_list_of_substitutions takes."""
    return perform_substitutions(context, normalize_to_list_of_substitutions(value))


def is_true(text, where):
    lowered = text.strip().lower()
    if lowered in ("true", "1", "on", "yes"):
        return True
    if lowered in ("false", "0", "off", "no"):
        return False
    raise ValueError(f"{where}: expected true or false, got '{text}'")
