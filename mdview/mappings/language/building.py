"""Building: values, layouts above all, of the tree. Names are looked up here; modules are imported for ``module:Name``.

Nothing is called but layouts' classes, transforms, and what makes a number; no code is evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from inspect import Parameter, Signature, signature
from typing import Any, Final, Literal, TypeVar, final, get_args, get_origin, get_type_hints

from mdview.base.integers import dim
from mdview.base.texts import told
from mdview.index.transforms import IndexMap, Radix
from mdview.layouts.base import Layout
from mdview.layouts.shipped import SHIPPED
from mdview.mappings.language.tokens import Call, Constant, Entries, Node, Place, error_at, quoted

T = TypeVar("T")

Made: Final[Mapping[str, Callable[..., Any]]] = {  # Any: whatever each makes, of parameters of its own
    **{kind.short_name: kind for kind in SHIPPED},
    "transform": IndexMap,
    "radix": Radix,
}
"""What is called by a short name."""
NUMBERS: Final[Mapping[str, Callable[..., object]]] = {"dim": dim, "complex": complex}
"""What makes a number that has no digits of its own."""


@final
class Builder:
    """Makes values of nodes of one text, in which errors show their places.

    ``layouts`` are the classes that the text may name by ``module:Name``; with None it may name any, and is trusted.
    """

    def __init__(self, text: str, layouts: Collection[type[Layout]] | None = None) -> None:
        self.text = text
        self.layouts = layouts

    def layout(self, call: Call) -> Layout:
        """Return the layout that a call names."""
        found = self.called(call)
        if not isinstance(found, Layout):
            raise error_at(self.text, call.place, f"{call.name} makes no layout; expected one of {', '.join(names())}")
        return found

    def value(self, node: Node, words: Sequence[str] = ()) -> object:
        """Return the value of a node; ``words`` are the texts that may stand there without quotes."""
        if isinstance(node, Constant):
            return node.given
        if isinstance(node, Entries):
            return tuple([self.value(entry) for entry in node.entries])
        if node.is_bare and not node.module and node.name in words:
            return node.name
        return self.called(node, words)

    def called(self, call: Call, words: Sequence[str] = ()) -> object:
        """Return what a call makes."""
        if call.module:
            return self.made(self.imported(call) if self.layouts is None else self.given(call, self.layouts), call)
        if call.name in NUMBERS:
            return self.number(call)
        maker = Made.get(call.name)
        if maker is None:
            known = [*words, *([] if words else names())]
            way = "; a text stands in quotes" if words else "; one of your own is module:Name"
            what = f"{'value' if words else 'layout'} {told(call.name)}"
            raise error_at(self.text, call.name_place, unknown(what, call.name, known, way))
        return self.made(maker, call)

    def number(self, call: Call) -> object:
        """Return the number that a call makes."""
        values = [self.value(argument.node) for argument in call.arguments]
        takes = 1 if call.name == "dim" else 2
        if len(values) != takes or any(argument.name for argument in call.arguments):
            how = "dim(4), a static number" if takes == 1 else "complex(real, imaginary)"
            raise error_at(self.text, call.place, f"{call.name} is written as {how}")
        return self.guarded(NUMBERS[call.name], values, {}, call.place)

    def made(self, maker: Callable[..., T], call: Call, *subject: object) -> T:
        """Call ``maker`` with a subject, if there is one, and the arguments of a call."""
        parameters = parameters_of(maker)
        parameters = parameters if parameters is None else parameters[len(subject) :]
        args: list[object] = []
        kwargs: dict[str, object] = {}
        for argument in call.arguments:
            parameter = self.parameter(parameters, argument.name, len(args), argument.place, call.name)
            found = self.value(argument.node, () if parameter is None else choices(maker, parameter.name))
            if argument.name is None:
                if kwargs:
                    raise error_at(self.text, argument.place, "arguments without names come first")
                args.append(found)
            elif argument.name in kwargs:
                raise error_at(self.text, argument.place, f"{call.name} got two values for {argument.name}")
            else:
                kwargs[argument.name] = found
        return self.guarded(maker, [*subject, *args], kwargs, call.place)

    def parameter(
        self, parameters: Sequence[Parameter] | None, name: str | None, at: int, place: Place, maker: str
    ) -> Parameter | None:
        """Return the parameter that an argument is for; None where that is not known."""
        if parameters is None:
            return None
        if name is not None:
            fitting = [p for p in parameters if p.name == name and p.kind in _BY_NAME]
            if not fitting and not any(p.kind is Parameter.VAR_KEYWORD for p in parameters):
                known = [p.name for p in parameters if p.kind in _BY_NAME]
                reason = unknown(f"parameter {told(name)} of {maker}", name, known)
                raise error_at(self.text, (place[0], place[0] + len(name)), reason)
            return fitting[0] if fitting else None
        positional = [p for p in parameters if p.kind in BY_POSITION]
        if at < len(positional):
            return positional[at]
        if positional and positional[-1].kind is Parameter.VAR_POSITIONAL:
            return positional[-1]
        hint = f"; by name it takes {', '.join([p.name for p in parameters])}" if parameters else ""
        takes = f"{maker} takes {len(positional) or 'no'} argument{'s' * (len(positional) != 1)}"
        raise error_at(self.text, place, f"{takes} by position{hint}" if parameters else takes)

    def imported(self, call: Call) -> Callable[..., object]:
        """Return the class that ``module:Name`` names, which is one of layouts."""
        try:
            found: Any = import_module(call.module)  # Any: a module
            for part in call.name.split("."):
                found = getattr(found, part)
        except (Exception, SystemExit) as error:  # whatever a user's module fails by
            reason = f"{call.module}:{call.name} cannot be imported: {quoted(error)}"
            raise error_at(self.text, call.place, reason) from error
        if not isinstance(found, type) or not issubclass(found, Layout):
            reason = f"{call.module}:{call.name} is no class of layouts: {told(found)}"
            raise error_at(self.text, call.place, reason)
        return found

    def given(self, call: Call, layouts: Collection[type[Layout]]) -> type[Layout]:
        """Return the class that ``module:Name`` names, which is one of ``layouts``: nothing is looked up elsewhere."""
        for kind in layouts:
            if (kind.__module__, kind.__qualname__) == (call.module, call.name):
                return kind
        name = call.name.rpartition(".")[2]
        reason = (
            f"{call.module}:{call.name} is not among the layouts that may be named here, and nothing is imported for "
            f"it; if it is to be trusted, pass layouts=[{name}], or --import {call.module} on the command line"
        )
        raise error_at(self.text, call.name_place, reason)

    def guarded(
        self, function: Callable[..., T], args: Sequence[object], kwargs: Mapping[str, object], place: Place
    ) -> T:
        """Call a function; what it raises becomes an error that shows ``place``."""
        try:
            return function(*args, **kwargs)
        except Exception as error:
            raise error_at(self.text, place, quoted(error)) from error


def names() -> list[str]:
    """Return the short names of all layouts."""
    return [kind.short_name for kind in SHIPPED]


def unknown(what: str, name: str, known: Sequence[str], way: str = "") -> str:
    """Say that there is no such name, and which one may be meant."""
    from difflib import get_close_matches  # noqa: PLC0415 - for an error only

    spelt = name[:40].lower().removeprefix("layout").strip("_")
    close = get_close_matches(spelt, known, 1, 0.6)
    rest = f"did you mean {close[0]}?" if close else f"there is {', '.join(known) or 'none'}{way}"
    return f"there is no {what}; {rest}"


MISSING: Final = Signature.empty


BY_POSITION: Final = frozenset({Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.VAR_POSITIONAL})
"""Kinds of parameters that arguments without a name reach."""
_BY_NAME: Final = frozenset({Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY})


def parameters_of(maker: Callable[..., object]) -> tuple[Parameter, ...] | None:
    """Return the parameters of a class or function; None where Python does not know them."""
    try:
        return tuple(signature(maker).parameters.values())
    except (TypeError, ValueError):
        return None


@lru_cache(maxsize=256)
def choices(maker: Callable[..., object], name: str) -> tuple[str, ...]:
    """Return the texts that a parameter is one of, as its annotation says: these may be written without quotes."""
    try:
        hints = get_type_hints(getattr(maker, "__init__", None) if isinstance(maker, type) else maker)
    except Exception:  # noqa: BLE001 - whatever an annotation of somebody else refers to
        return ()
    return tuple([c for c in _literals(hints.get(name)) if isinstance(c, str) and c.isidentifier()])


def _literals(hint: object) -> list[object]:
    """Return all choices of the literal types in an annotation."""
    if get_origin(hint) is Literal:
        return [*get_args(hint)]
    return [choice for part in get_args(hint) for choice in _literals(part)]
