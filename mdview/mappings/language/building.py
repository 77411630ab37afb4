"""Building: values, layouts above all, of the tree. Names are looked up here; modules are imported for ``module:Name``.

Nothing is called but layouts' classes, transforms, and what makes a number; no code is evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Final, TypeVar, final

from mdview.base.integers import dim
from mdview.base.texts import told
from mdview.index.transforms import IndexTransform, Radix
from mdview.layouts.base import Layout
from mdview.layouts.shipped import SHIPPED
from mdview.mappings.language.signatures import Parameter, choices, parameters_of
from mdview.mappings.language.tokens import error_at, quoted
from mdview.mappings.language.tree import Call, Constant, Entries, Node, Place

T = TypeVar("T")

Made: Final[Mapping[str, Callable[..., Any]]] = {  # Any: whatever each makes, of parameters of its own
    **{kind.short_name: kind for kind in SHIPPED},
    "transform": IndexTransform,
    "radix": Radix,
}
"""What is called by a short name."""
NUMBERS: Final[Mapping[str, Callable[..., object]]] = {"dim": dim, "complex": complex}
"""What makes a number that has no digits of its own."""


@final
class Builder:
    """Makes values of nodes of one text, in which errors show their places."""

    def __init__(self, text: str) -> None:
        self.text = text

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
            return self.made(self.imported(call), call)
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
            fitting = [p for p in parameters if p.name == name and p.is_named]
            if not fitting and not any(p.takes_all_names for p in parameters):
                known = [p.name for p in parameters if p.is_named]
                reason = unknown(f"parameter {told(name)} of {maker}", name, known)
                raise error_at(self.text, (place[0], place[0] + len(name)), reason)
            return fitting[0] if fitting else None
        positional = [p for p in parameters if p.is_positional]
        if at < len(positional):
            return positional[at]
        if positional and positional[-1].is_repeated:
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
