"""Reading: the mapping of a text, and each step on the way to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, final

from mdview.base.texts import told
from mdview.base.values import value
from mdview.errors import NotationError, OperandError
from mdview.index.extents import as_extents
from mdview.layouts.base import Layout
from mdview.mappings.language.building import Builder, unknown
from mdview.mappings.language.grammar import parsed, parsed_layout
from mdview.mappings.language.slicing import selected
from mdview.mappings.language.steps import OPERATIONS, taken
from mdview.mappings.language.tokens import error_at
from mdview.mappings.language.tree import Call, Key
from mdview.mappings.mapping import Mapping
from mdview.mappings.rearranging import AnyMapping

T = TypeVar("T")


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


def expression(text: str) -> Expression:
    """Return all stages of an expression; raises as `parse` does.

    >>> [(stage.text, stage.mapping.extents) for stage in expression("right (4, 6) [1:3] transposed()").stages]
    [('right (4, 6)', (4, 6)), ('[1:3]', (2, 6)), ('transposed()', (6, 2))]
    """
    return _read(_expression, text)


def layout(text: str) -> Layout:
    """Return the layout that a text says, without extents; raises as `parse` does.

    >>> layout("tiled(2, 3, outer=left)")
    LayoutTiled(2, 3, outer=LayoutLeft(), inner=LayoutRight())
    """
    return _read(_layout, text)


def _read(reader: Callable[[str], T], text: str) -> T:
    """Read a text, however deep it is."""
    if not isinstance(text, str):
        message = f"an expression is a text, got {told(text)}"
        raise OperandError(message)
    try:
        return reader(str(text))
    except RecursionError as error:
        message = "the layout or the steps lie too deep within each other"
        raise NotationError(message) from error


def _layout(text: str) -> Layout:
    return Builder(text).layout(parsed_layout(text))


def _expression(text: str) -> Expression:
    tree, builder = parsed(text), Builder(text)
    place = tree.layout.place[0], tree.extents.place[1]
    layout, given = builder.layout(tree.layout), builder.value(tree.extents)
    extents = builder.guarded(as_extents, [given], {}, tree.extents.place)
    mapping: AnyMapping = builder.guarded(Mapping, [extents, layout], {}, place)
    stages = [Stage(text[slice(*place)], mapping)]
    for step in tree.steps:
        mapping = stages[-1].mapping
        after = _sliced(builder, step, mapping) if isinstance(step, Key) else _operated(builder, step, mapping)
        stages.append(Stage(text[slice(*step.place)], after))
    return Expression(tuple(stages))


def _sliced(builder: Builder, key: Key, mapping: AnyMapping) -> AnyMapping:
    wanted = selected(builder, key, mapping.extents)
    return builder.guarded(taken, [mapping, wanted], {}, key.place)


def _operated(builder: Builder, call: Call, mapping: AnyMapping) -> AnyMapping:
    operation = OPERATIONS.get(call.name)
    if operation is None or call.module:
        name = f"{call.module}:{call.name}" if call.module else call.name
        raise error_at(builder.text, call.name_place, unknown(f"operation {told(name)}", name, [*OPERATIONS]))
    return builder.made(operation, call, mapping)
