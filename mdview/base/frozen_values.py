"""Frozen value classes, like frozen dataclasses: fields, signature, equality, hash, repr, pickling, replaced fields.

`value` makes such classes from annotated fields, as ``dataclasses.dataclass(frozen=True)`` does and with the same
meaning for a type checker. It exists to keep the import fast: ``dataclasses`` loads ``inspect`` and compiles several
methods per class, which would take longer than the rest of ``import mdview``; here only ``__init__`` is compiled.
"""

from __future__ import annotations

import sys
from abc import ABCMeta
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, cast, final

from typing_extensions import dataclass_transform

from mdview.base.argument_checks import answer_calls
from mdview.base.message_texts import as_text
from mdview.errors import ImmutableError

C = TypeVar("C")


@final
class ValueType(ABCMeta):
    """The metaclass of layouts, accessors and slices: ``dir`` of a class lists the names that it adds to its bases.

    So ``help`` of a layout shows its constructor and the names that it adds; ``help`` of its bases shows the methods of
    all layouts.
    """

    def __dir__(cls) -> list[str]:
        """List the public names that no base class has."""
        inherited = {name for base in cls.__mro__[1:] for name in vars(base)}
        return [name for name in vars(cls) if name not in inherited and not name.startswith("_")]


@dataclass_transform(frozen_default=True)
def value(cls: type[C]) -> type[C]:
    """Make ``cls`` a value class: its annotations name the fields, class attributes their defaults.

    Methods that the class defines itself, and an inherited ``__repr__``, are not replaced. ``__post_init__`` runs after
    a generated ``__init__``. A class with ``__slots__`` cannot have class attributes as defaults, so it defines its own
    ``__init__`` if it needs defaults.
    """
    members = vars(cls)
    annotations: dict[str, str] = cls.__annotations__  # of the class alone, not of its bases
    fields = tuple([name for name, kind in annotations.items() if not str(kind).startswith("ClassVar")])
    methods: dict[str, Any] = {  # Any: functions of any signature
        "__match_args__": fields,
        "__init__": _init(
            cls, fields, {name: members[name] for name in fields if name in members and "__slots__" not in members}
        ),
        "__repr__": _repr,
        "__eq__": _eq(fields),
        "__hash__": _hash(fields),
        "__reduce__": _reduce,
        "__setattr__": _frozen,
        "__delattr__": _frozen,
    }
    if "__init__" in members:
        cls.__init__ = answer_calls(members["__init__"])  # type: ignore[method-assign]
    for name, method in methods.items():
        inherited = name == "__repr__" and cls.__repr__ is not object.__repr__
        if (name not in members and not inherited) or (name == "__hash__" and members[name] is None):
            setattr(cls, name, method)
    return cls


def replace(instance: C, **changes: object) -> C:
    """Return a value of the same class with some fields changed; the ``__init__`` of the class makes and checks it."""
    fields = {name: getattr(instance, name) for name in _fields(instance)}
    return type(instance)(**(fields | changes))


def is_same_value(first: Any, second: Any) -> bool:  # Any: objects of any type
    """Tell whether two objects have the same type and are equal; floats and complex numbers are compared by repr.

    >>> is_same_value(1, 1.0), is_same_value(0.0, -0.0), is_same_value(float("nan"), float("nan"))
    (False, False, True)
    """
    if first is second or type(first) is not type(second):
        return first is second
    return bool(repr(first) == repr(second) if isinstance(first, float | complex) else first == second)


def field_types(instance: object) -> tuple[type | tuple[type, ...], ...]:
    """Return the type of each field of an object; for a field that is a tuple, the types of its entries.

    >>> @value
    ... class Size:
    ...     length: int
    ...     tile: tuple[int, ...]
    >>> field_types(Size(3, (1, 2.0)))
    (<class 'int'>, (<class 'int'>, <class 'float'>))
    """
    fields: Iterable[object]
    try:
        fields = vars(instance).values()
    except TypeError:  # a class with slots
        fields = [getattr(instance, name, None) for name in getattr(type(instance), "__match_args__", ())]
    return tuple([tuple(map(type, field)) if type(field) is tuple else type(field) for field in fields])


def _fields(instance: object) -> tuple[str, ...]:
    names: tuple[str, ...] = cast("Any", type(instance)).__match_args__
    return names


def _state(fields: tuple[str, ...]) -> Callable[[object], object]:
    """Return a function that reads all fields of a value, without a loop in Python."""
    return attrgetter(*fields) if fields else attrgetter("__match_args__")


def _init(cls: type, fields: tuple[str, ...], defaults: dict[str, object]) -> Callable[..., None]:
    """Return the constructor, a function of the fields that sets them and runs ``__post_init__``."""
    parameters = "".join([f", {name}" + f"=_defaults[{name!r}]" * (name in defaults) for name in fields])
    lines = [f"_set(self, {name!r}, {name})" for name in fields]
    lines += ["self.__post_init__()"] if hasattr(cls, "__post_init__") else []
    body = "\n  ".join(lines or ["pass"])
    source = f"def make(_set, _defaults):\n def __init__(self{parameters}):\n  {body}\n return __init__"
    scope: dict[str, Any] = {}  # Any: a function of any signature
    exec(source, getattr(sys.modules.get(cls.__module__), "__dict__", {}), scope)  # noqa: S102 - text of this module
    made: Callable[..., None] = scope["make"](object.__setattr__, defaults)
    annotations = vars(cls).get("__annotations__", {})
    made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    made.__annotations__ = {name: annotations[name] for name in fields} | {"return": "None"}
    answering = answer_calls(made)
    answering.__annotations__ = made.__annotations__  # from Python 3.14 on `functools.wraps` copies no such dictionary
    return answering


def _repr(self: object) -> str:
    fields = ", ".join([f"{name}={as_text(getattr(self, name), repr)}" for name in _fields(self)])
    return f"{type(self).__qualname__}({fields})"


def _eq(fields: tuple[str, ...]) -> Callable[[object, object], bool]:
    """Return the method ``__eq__``, which compares the fields."""
    state = _state(fields)

    def __eq__(self: object, other: object) -> bool:  # noqa: N807 - it becomes that method
        return NotImplemented if type(other) is not type(self) else state(self) == state(other)

    return __eq__


def _hash(fields: tuple[str, ...]) -> Callable[[object], int]:
    """Return the method ``__hash__``, which hashes the class and the fields."""
    state = _state(fields)

    def __hash__(self: object) -> int:  # noqa: N807 - it becomes that method
        return hash((type(self), state(self)))

    return __hash__


def _frozen(self: object, name: str, *_: object) -> NoReturn:
    raise ImmutableError(f"{type(self).__name__} is immutable; make another one instead of changing {name}")


def _reduce(self: object) -> tuple[object, ...]:
    """Pickle the fields; a chain of nested values is pickled as a flat list of levels, to avoid deep recursion."""
    levels: list[tuple[type, list[object], int]] = []
    at = 0
    while at >= 0:
        values = [getattr(self, name) for name in _fields(self)]
        at = max(
            [k for k, field in enumerate(values) if getattr(type(field), "__reduce__", None) is _reduce], default=-1
        )
        levels.append((type(self), values, at))
        if at >= 0:
            self, values[at] = values[at], None
    return _remake, (levels,)


def _remake(levels: Sequence[tuple[type, list[object], int]]) -> object:
    """Unpickle nested values, the innermost first; ``__post_init__`` checks the fields again."""
    inner: object = None
    for cls, values, at in reversed(levels):
        if at >= 0:
            values[at] = inner
        inner = object.__new__(cls)
        for name, field in zip(_fields(inner), values, strict=True):
            object.__setattr__(inner, name, field)
        check = getattr(inner, "__post_init__", None)
        if check is not None:
            check()
    return inner
