"""What of an accessor its formula may depend on: numbers, text, tuples, and objects that are nothing but their fields.

Whatever else is *opaque*: it may be there, but an accessor that uses it has no formula, since it may change unnoticed.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable
from struct import pack
from types import MemberDescriptorType
from typing import Any, Final, NoReturn

from mdview.accessors.base import Accessor
from mdview.accessors.formulas import Constant

# Any throughout: an accessor keeps objects of any type.

NUMBERS: Final = (bool, int, float, complex)
"""The types of Python's numbers."""

_MOST: Final = 64
"""How many fields, entries, or objects in all are looked at."""

_MOST_BITS: Final = 1024
_OPAQUE: Final = "opaque"


class NoFormulaError(Exception):
    """Why there is no formula; it goes no further than the module `tracing`."""


def refuse(reason: str) -> NoReturn:
    """Say that there is no formula."""
    raise NoFormulaError(reason)


def state(given: Any, kinds: list[type]) -> Hashable:
    """Return all that a formula may depend on, as plain values, and add the classes that it speaks of to ``kinds``."""
    kind = type(given)
    if kind is float or kind is complex:
        return kind, pack("<dd", given.real, given.imag)
    if is_number(given) or _is_text(given):
        return kind, given
    if len(kinds) > _MOST:
        refuse("it has too many parts")
    if is_tuple(given):
        return tuple([state(entry, kinds) for entry in given])
    kinds.append(kind)
    if has_fields(kind):
        return id(kind), tuple([(name, state(field, kinds)) for name, field in fields_of(given).items()])
    number = foreign_number(given)
    return id(kind), _OPAQUE if number is None else number  # the refusal names the class


def admitted(given: Any) -> Any:
    """Return an object that is no opaque one."""
    if is_number(given) or _is_text(given) or is_tuple(given) or has_fields(type(given)):
        return given
    return given if foreign_number(given) is not None else refuse(f"it uses an object of {type(given).__name__}")


def is_number(given: Any) -> bool:
    """Tell whether an object is a number of Python; one of thousands of digits is none here."""
    kind = type(given)
    return kind in NUMBERS and (kind is not int or given.bit_length() <= _MOST_BITS)


def _is_text(given: Any) -> bool:
    return given is None or (type(given) is str and len(given) < _MOST_BITS)


def is_tuple(given: Any) -> bool:
    """Tell whether an object is a plain tuple of a few entries."""
    return type(given) is tuple and len(given) <= _MOST


def has_fields(kind: type) -> bool:
    """Tell whether a class is one of accessors, of values, or a data class, and looks its attributes up as usual."""
    if Accessor not in kind.__mro__ and "__match_args__" not in kind.__dict__:
        return False
    found: object = kind.__getattribute__
    return found is object.__getattribute__


def is_frozen(given: Any) -> bool:
    """Tell whether nothing that a formula may depend on can change: who has fields refuses to set them."""
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
        found.pop("_hashed", None)  # what a value notes when it is asked for its hash
    if len(found) > _MOST:
        refuse("it has too many fields")
    return found


def foreign_number(given: Any) -> Constant | None:
    """Return a scalar of NumPy as a number of Python, or None."""
    if type(given).__module__ != "numpy" or not isinstance(given, sys.modules["numpy"].generic):
        return None
    number = given.item()
    return Constant.of(number, is_foreign=True) if type(number) in NUMBERS else None
