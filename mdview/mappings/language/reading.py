"""Reading: the mapping of a text, and each step on the way to it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final, TypeVar, final

from mdview.base.integers import Dim
from mdview.base.texts import told
from mdview.base.values import value
from mdview.errors import MDViewError, NotationError, OperandError
from mdview.index.extents import as_extents
from mdview.index.slices import ALL, Selection, canonical_slice
from mdview.layouts.base import Layout
from mdview.mappings.keys import new_axes, places_of, selection_of
from mdview.mappings.language.building import Builder, unknown
from mdview.mappings.language.grammar import DEEPEST, parsed, parsed_layout, parsed_steps
from mdview.mappings.language.tokens import Blank, Call, Key, KeyEntry, Range, error_at, quoted
from mdview.mappings.mapping import Mapping
from mdview.mappings.rearranging import AnyMapping, as_mapping, insert
from mdview.mappings.verbs import VERBS, part

T = TypeVar("T")

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
    return as_mapping(*insert(found, added)) if added else found


def _operated(builder: Builder, call: Call, mapping: AnyMapping) -> AnyMapping:
    verb = VERBS.get(call.name)
    if verb is None or call.module:
        name = f"{call.module}:{call.name}" if call.module else call.name
        raise error_at(builder.text, call.name_place, unknown(f"operation {told(name)}", name, [*VERBS]))
    return as_mapping(*builder.made(verb, call, mapping))
