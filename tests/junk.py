"""Junk for each parameter of each public function, class and method: values that nobody means, and the calls with them.

The right arguments are those of `refusals.TABLE`, or else what the annotation of a parameter says.
"""

import operator
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from inspect import Parameter, isclass, isfunction, signature, unwrap
from itertools import islice

from refusals import BOX, LINE, MAPPING, TABLE, VIEW, place, places

import mdview as md
from mdview import conversions, dtypes, lazy, symbolic
from mdview.errors import MDViewError

MODULES = ["accessors", "algebra", "algebra.f2", "atomics", "conversions", "drawing", "dtypes", "index"]
MODULES += ["interop.cpp", "interop.writers", "iteration", "layouts", "lazy", "mappings", "operations"]
MODULES += ["polymorphic", "symbolic", "testing"]


class OwnError(Exception):
    """What the caller's own code raises, which leaves as it is."""


class Long(list):
    """A list whose length lies."""

    def __len__(self):
        return 5


class Unsure:
    """Has neither a truth value, nor equals, nor a hash, nor a length."""

    def __bool__(self):
        raise OwnError

    def __eq__(self, other):
        raise OwnError

    __hash__ = None

    def __len__(self):
        return -1  # noqa: PLE0303 - it lies


class Refusing:
    def __init__(self, *_, **__):
        raise OwnError


def careful(function):
    """The function, whose errors are known as those of the caller."""

    def call(*args):
        try:
            return function(*args)
        except Exception as error:
            raise OwnError from error

    return call


def raising(*_, **__):
    raise OwnError


def itself():
    entries = [1]
    entries.append(entries)
    return entries


JUNK = {
    "None": lambda: None,
    "fraction": lambda: 1.5,
    "text": lambda: "text",
    "list": list,
    "dict": dict,
    "long": lambda: 10**5000,
    "minus long": lambda: -(10**5000),
    "longs": lambda: (10**5000, -(10**5000)),
    "itself": itself,
    "lying": lambda: Long([1]),
    "unsure": Unsure,
    "object": object,
    "class": lambda: Refusing,
    "ragged": lambda: [[1], 2],
    "nan": lambda: float("nan"),
    "complex": lambda: 1j,
    "function": lambda: raising,
    "view": lambda: LINE,
    "mapping": lambda: MAPPING,
    "bytes": lambda: b"ab",
    "slice": lambda: slice(10**5000),
    "None and text": lambda: (None, "x"),
    "odd text": lambda: "\ud800\0",
    "Ellipsis": lambda: ...,
    "set": lambda: {1, 2},
    "generator": lambda: (n for n in (1, "x")),
    "lists": lambda: [[], []],
    "list of text": lambda: ["x"],
    "2**63": lambda: 2**63,
    "-1": lambda: -1,
    "True": lambda: True,
}
try:
    import numpy as np
except ImportError:
    pass
else:
    JUNK |= {"array": lambda: np.array([1, 2]), "0-d array": lambda: np.array(3), "no array": lambda: np.zeros(0)}
    JUNK |= {"array of objects": lambda: np.array([None, "x"]), "NaT": lambda: np.datetime64("NaT")}


N = symbolic.var("n", 1, 8)
RIGHT = {
    # what stands for the kind that an annotation names, the first word that is in it
    "MDView": VIEW,
    "View": VIEW,
    "SymbolicMapping": symbolic.SymbolicMapping(symbolic.SymbolicExtents((N, 3))),
    "SymbolicExtents": symbolic.SymbolicExtents((N, 3)),
    "ViewType": TABLE["is_assignable"][1].right,
    "Mapping": MAPPING,
    "Expr": N,
    "StridedBox": BOX,
    "IndexMap": md.index.IndexMap.taking((2, 3)),
    "LayoutNested": md.LayoutNested((2, 3), (3, 1)),
    "LayoutLinear": md.layouts.LayoutLinear(((1, 2), (4,))),
    "Layout": md.LayoutRight(),
    "Accessor": md.DefaultAccessor(),
    "Callable": operator.add,
    "bool": False,
    "str": "C",
    "Sequence": (2, 3),
    "tuple": (2, 3),
    "Shape": (2, 3),
    "Axes": (0,),
    "Nested": (2, 3),
    "int": 1,
    "SupportsIndex": 1,
}
OBJECTS = [VIEW, MAPPING, BOX, lazy.Chain(BOX), place.right, places.right, N, N // 2 + 3, RIGHT["SymbolicMapping"]]
OBJECTS += [RIGHT["SymbolicExtents"], RIGHT["IndexMap"], md.LayoutRight(), md.LayoutTiled(2, 3), md.LayoutMorton()]
OBJECTS += [RIGHT["LayoutNested"], RIGHT["LayoutLinear"], md.LayoutStrideRelaxed((3, 1)), md.LayoutRightPadded(4)]
OBJECTS += [md.LayoutSwizzled(md.LayoutRight(), 1, 0, 2), md.dim(3), md.atomic(VIEW)[0, 0], dtypes.read_dtype("int4")]
OBJECTS += [conversions.kind_of(VIEW), md.iteration.Binned(LINE, [(0, 2)]), md.pad(VIEW, 1, "edge")]
OBJECTS += [md.DefaultAccessor(), md.accessors.ScaledAccessor(2), md.layouts.LayoutTranspose(md.LayoutRight())]
SPECIAL = ("__getitem__", "__setitem__", "__call__")
"""Methods that Python calls with what a user writes in brackets and parentheses. Operators are the elements' own."""


def right_value(parameter):
    """What an annotation asks for; a parameter without one takes a number."""
    words = str(parameter.annotation)
    return next((value for word, value in RIGHT.items() if word in words), 1)


def parameters_of(called):
    """The parameters that junk stands for: each may be filled, by position or by name."""
    try:
        return [p for p in signature(called).parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
    except (TypeError, ValueError):  # written in C
        return []


def is_ours(called):
    """Whether mdview answers: not an enumeration, a protocol, or a method of a builtin from which a class derives."""
    if isclass(called):
        is_made = isfunction(called.__init__) or isfunction(called.__new__)
        return is_made and not issubclass(called, Enum) and not getattr(called, "_is_protocol", False)
    code = unwrap(getattr(called, "__func__", called))
    return isfunction(code) and str(code.__module__ or "mdview").startswith("mdview")  # what is generated has no module


HOOKS = (md.Layout, md.Accessor, md.index.IndexMap, symbolic.Expr)
"""Classes whose methods mdview calls, and abstract methods, too, with what it has checked: nothing is checked twice."""


def callables():
    """All public functions, classes, and methods of objects of public classes, by name, with their right arguments."""
    made = {}
    for name, (function, *args) in TABLE.items():
        named = {key: arg.right for given in args if isinstance(given, dict) for key, arg in given.items()}
        plain = [arg.right for arg in args if not isinstance(arg, dict)]
        made[name] = function, [careful(arg) if arg is abs or arg is operator.add else arg for arg in plain], named
    for module in ["mdview", *[f"mdview.{name}" for name in MODULES]]:
        loaded = import_module(module)
        for name in getattr(loaded, "__all__", ()):
            if callable(called := getattr(loaded, name)) and name not in made and is_ours(called):
                made[f"{module}.{name}"] = with_right_values(called)
    for thing in OBJECTS:
        kind = type(thing)
        for name in () if isinstance(thing, HOOKS) else dir(thing):
            is_hook = any(name in getattr(base, "__abstractmethods__", ()) for base in kind.__mro__)
            if not is_hook and (not name.startswith("_") or name in SPECIAL) and is_ours(getattr(kind, name, None)):
                made[f"{kind.__name__}.{name}"] = with_right_values(getattr(thing, name))
    return made


def with_right_values(called):
    needed = [p for p in parameters_of(called) if p.default is Parameter.empty]
    plain = [right_value(p) for p in needed if p.kind is not Parameter.KEYWORD_ONLY]
    return called, plain, {p.name: right_value(p) for p in needed if p.kind is Parameter.KEYWORD_ONLY}


def junk_calls(called, plain, named):
    """Calls with one argument that is junk, by the argument and the junk: one that is right, or one with a default."""
    optional = [p.name for p in parameters_of(called) if p.kind is not Parameter.VAR_POSITIONAL][len(plain) :]
    for key, make in JUNK.items():
        for k in range(len(plain)):
            yield f"{k}={key}", lambda k=k, make=make: called(*plain[:k], make(), *plain[k + 1 :], **named)
        for name in dict.fromkeys([*named, *optional]):
            yield f"{name}={key}", lambda name=name, make=make: called(*plain, **named | {name: make()})


def leak_of(call):
    """The error of a call, and of walking its result, that is neither mdview's, nor the caller's, nor the system's."""
    try:
        result = call()
        if isinstance(result, Iterator):
            list(islice(result, 100))
    except (MDViewError, OwnError, OSError):
        return None
    except Exception as error:  # noqa: BLE001 - this is what is looked for
        return error
    return None
