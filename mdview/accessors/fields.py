"""Fields are all that an accessor keeps by itself; its methods depend on them and on constants."""

from __future__ import annotations

from types import MemberDescriptorType
from typing import Any

from mdview.accessors.base import Accessor

# Any throughout: an accessor keeps objects of any type.


def has_fields(kind: type) -> bool:
    """Tell whether a class is one of accessors, of values, or a data class, and looks its attributes up as usual."""
    if Accessor not in kind.__mro__ and "__match_args__" not in kind.__dict__:
        return False
    found: object = kind.__getattribute__
    return found is object.__getattribute__ and not hasattr(kind, "__getattr__")


def is_frozen(given: Any) -> bool:
    """Tell whether no field can change: who has some refuses to set them."""
    if type(given) is tuple:
        return all(map(is_frozen, given))
    kind = type(given)
    if not has_fields(kind):
        return True
    fields = fields_of(given)
    setting: object = kind.__setattr__
    return not fields or (setting is not object.__setattr__ and all(map(is_frozen, fields.values())))


def fields_of(given: Any) -> dict[str, Any]:
    """All that an object keeps by itself, in its dictionary and in slots."""
    kind = type(given)
    found: dict[str, Any] = {}
    for cls in kind.__mro__:
        if cls.__dict__.get("__slots__"):
            for name, slot in cls.__dict__.items():
                if type(slot) is MemberDescriptorType and name not in found:
                    try:
                        found[name] = slot.__get__(given, kind)
                    except AttributeError:  # not set
                        continue
    if kind.__dictoffset__:
        found |= given.__dict__
    return found
