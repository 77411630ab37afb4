"""Reading: the mapping of a text, and each step on the way to it, by the values of its tree, layouts above all.

Names are looked up here; modules are imported for ``module:Name``. Nothing is called but layouts' classes, transforms,
operations, and what makes a number; no code is evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from collections.abc import Mapping as Table
from functools import lru_cache
from importlib import import_module
from inspect import Parameter, Signature, signature
from typing import Any, Final, Literal, TypeVar, final, get_args, get_origin, get_type_hints

from mdview.base.integers import Dim, dim
from mdview.base.texts import told
from mdview.base.values import value
from mdview.errors import MDViewError, NotationError, OperandError
from mdview.index.extents import as_extents
from mdview.index.slices import ALL, Selection, canonical_slice
from mdview.index.transforms import IndexMap, Radix
from mdview.layouts.base import Layout
from mdview.layouts.shipped import SHIPPED
from mdview.mappings.keys import new_axes, places_of, selection_of
from mdview.mappings.language.grammar import DEEPEST, parsed, parsed_layout, parsed_steps
from mdview.mappings.language.tokens import (
    Blank,
    Call,
    Constant,
    Entries,
    Key,
    KeyEntry,
    Node,
    Place,
    Range,
    error_at,
    quoted,
)
from mdview.mappings.mapping import AnyMapping, Mapping
from mdview.mappings.rearranging import as_mapping
from mdview.mappings.verbs import VERBS, expand_dims, part

T = TypeVar("T")

Made: Final[Table[str, Callable[..., Any]]] = {  # Any: whatever each makes, of parameters of its own
    **{kind.short_name: kind for kind in SHIPPED},
    "transform": IndexMap,
    "radix": Radix,
}
"""What is called by a short name."""
NUMBERS: Final[Table[str, Callable[..., object]]] = {"dim": dim, "complex": complex}
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
        self, function: Callable[..., T], args: Sequence[object], kwargs: Table[str, object], place: Place
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


MOST_TAKEN: Final = 30_000
"""How many steps one text has at most, with the dimensions of all mappings that they take."""


@final
@value
class Stage:
    """A part of an expression as it is written, and the mapping behind it."""

    text: str
    mapping: AnyMapping


@final
@value
class Expression:
    """What an expression says: first layout and extents, then a stage for each step."""

    stages: tuple[Stage, ...]

    @property
    def mapping(self) -> AnyMapping:
        """The mapping behind the last step."""
        return self.stages[-1].mapping


def parse(text: str) -> Mapping[tuple[int, ...], Layout]:
    """Return the mapping that an expression says: a layout, extents, and steps; ``docs/language.md`` has the grammar.

    Every step keeps offsets: they are those in the memory of the first layout. Modules are imported for layouts
    of your own, ``module:Name(arguments)``, and for nothing else; no code is evaluated.

    Raises
    ------
    NotationError
        The text breaks the grammar, or a layout, an extent or a step its rule; the message shows the place.

    >>> parse("tiled(4, 4) (10, 12)")
    Mapping((10, 12), LayoutTiled(4, 4, outer=LayoutRight(), inner=LayoutRight()))
    >>> parse("right (4, 6) [1:3, ::-1]")
    Mapping((2, 6), LayoutStrideRelaxed((6, -1), offset=11))
    """
    return expression(text).mapping


def expression(text: str, layouts: Collection[type[Layout]] | None = None) -> Expression:
    """Return all stages of an expression; raises as `parse` does. With ``layouts`` no other ones of your own are named.

    >>> [(stage.text, stage.mapping.extents) for stage in expression("right (4, 6) [1:3] transposed()").stages]
    [('right (4, 6)', (4, 6)), ('[1:3]', (2, 6)), ('transposed()', (6, 2))]
    """
    return _read(_expression, text, layouts)


def layout(text: str) -> Layout:
    """Return the layout that a text says, without extents; raises as `parse` does.

    >>> layout("tiled(2, 3, outer=left)")
    LayoutTiled(2, 3, outer=LayoutLeft(), inner=LayoutRight())
    """
    return _read(_layout, text, None)


def _read(reader: Callable[[Builder], T], text: str, layouts: Collection[type[Layout]] | None) -> T:
    """Read a text, however deep it is."""
    if not isinstance(text, str):
        raise OperandError(f"an expression is a text, got {told(text)}")
    try:
        return reader(Builder(str(text), layouts))
    except RecursionError as error:
        raise NotationError("the layout or the steps lie too deep within each other") from error


def _layout(builder: Builder) -> Layout:
    return builder.layout(parsed_layout(builder.text))


def _expression(builder: Builder) -> Expression:
    text = builder.text
    tree = parsed(text)
    place = tree.layout.place[0], tree.extents.place[1]
    layout, given = builder.layout(tree.layout), builder.value(tree.extents)
    extents = builder.guarded(as_extents, [given], {}, tree.extents.place)
    mapping: AnyMapping = builder.guarded(Mapping, [extents, layout], {}, place)
    return Expression((Stage(text[slice(*place)], mapping), *_stages(builder, tree.steps, mapping)))


def after(mapping: AnyMapping, text: str) -> AnyMapping:
    """Return what the steps of a text make of a mapping; raises as `parse` does."""
    return [mapping, *[stage.mapping for stage in _stages(Builder(text), parsed_steps(text), mapping)]][-1]


def _stages(builder: Builder, steps: Iterable[Call | Key], mapping: AnyMapping) -> Iterator[Stage]:
    """Take steps one after the other; `NotationError` where they are too many, or their layouts too deep."""
    taken = 0
    for step in steps:
        taken += 1 + mapping.rank
        if taken > MOST_TAKEN:
            reason = f"more than {MOST_TAKEN} steps and dimensions that they take, {taken} up to here"
            raise error_at(builder.text, step.place, reason)
        mapping = _sliced(builder, step, mapping) if isinstance(step, Key) else _operated(builder, step, mapping)
        if _depth(mapping) > DEEPEST:
            raise error_at(builder.text, step.place, f"more than {DEEPEST} layouts within each other")
        yield Stage(builder.text[slice(*step.place)], mapping)


def _depth(mapping: AnyMapping) -> int:
    """Count the layouts that a mapping is composed of, one within the other, up to one more than there may be."""
    depth, part = 0, mapping.layout.composition(mapping.extents)
    layout = mapping.layout
    while part.base is not layout and depth <= DEEPEST:
        layout = part.base
        depth, part = depth + 1, layout.composition(part.extents)
    return depth


def _sliced(builder: Builder, key: Key, mapping: AnyMapping) -> AnyMapping:
    """Return the part that brackets select, with its new axes."""
    entries = [_entry(builder, entry) for entry in key.entries]
    named, blanks = [
        [n for n, e in enumerate(entries) if (e is ...) == is_blank and e is not None] for is_blank in (0, 1)
    ]
    wrong = [*blanks[1:2], *named[mapping.rank :], 0][0]  # shown, if there are too many
    place = key.entries[wrong].place if entries else key.place
    places = builder.guarded(places_of, [entries, mapping.extents], {}, place)
    rows = enumerate(zip(mapping.extents, places, strict=True))
    slices = [ALL if n is None else _selection(builder, key.entries[n], entries[n], e, r) for r, (e, n) in rows]
    added = new_axes([type(entry) for entry in entries], [not isinstance(s, int) for s in slices])
    return builder.guarded(_taken, [mapping, slices, added], {}, key.place)


def _entry(builder: Builder, entry: KeyEntry) -> object:
    """Return an entry of brackets as Python has it."""
    if isinstance(entry, Range):
        return slice(*[None if bound is None else builder.value(bound) for bound in entry.bounds])
    return ... if isinstance(entry, Blank) else builder.value(entry)


def _selection(builder: Builder, entry: KeyEntry, given: object, extent: int, r: int) -> Selection:
    try:
        if isinstance(given, slice) and type(given.start) is type(given.stop) is Dim:  # static, as in `subview`
            return canonical_slice(extent, given, r)
        return selection_of(int(extent), given, r)
    except (MDViewError, TypeError) as error:
        raise error_at(builder.text, entry.place, quoted(error)) from error


def _taken(mapping: AnyMapping, slices: Sequence[Selection], added: tuple[int, ...]) -> AnyMapping:
    found = part(mapping, slices)
    return as_mapping(*expand_dims(found, added)) if added else found


def _operated(builder: Builder, call: Call, mapping: AnyMapping) -> AnyMapping:
    verb = VERBS.get(call.name)
    if verb is None or call.module:
        name = f"{call.module}:{call.name}" if call.module else call.name
        raise error_at(builder.text, call.name_place, unknown(f"operation {told(name)}", name, [*VERBS]))
    return as_mapping(*builder.made(verb, call, mapping))
