"""Reading and making: the nested layout of what an operation is given, in the order of its 1-D index, and back.

In order "F", CuTe's, the first index is the fastest, in order "C" the last one. Digits are listed fastest first, so one
algorithm serves both: dimensions are turned when they are read, and the result is turned back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from operator import mul
from typing import Final, Literal, NamedTuple, TypeAlias, final

from mdview.base.argument_checks import refuse
from mdview.base.strided_sets import find_collision, merged_digits
from mdview.errors import Collision
from mdview.index import nesting
from mdview.index.dense_strides import left_strides
from mdview.index.nesting import Digit, Tree
from mdview.layouts.nested import LayoutNested, nested_form
from mdview.mappings.mapping import AnyMapped, Mapping, mapping_of

Order: TypeAlias = Literal["F", "C"]
NestedMapping: TypeAlias = Mapping[tuple[int, ...], LayoutNested]


def check_order(order: str) -> None:
    """Refuse an order that is neither "F" nor "C"."""
    if order not in {"F", "C"}:
        refuse("order", "'F', as CuTe has it, or 'C'", order)


@final
class Digits(NamedTuple):
    """A nested layout whose dimensions are fastest first: one tree of extents, one of steps, and an origin."""

    shape: Tree
    steps: Tree
    first: int = 0

    def flat(self) -> list[Digit]:
        """Return all digits, fastest first."""
        return list(zip(nesting.leaves(self.shape), nesting.leaves(self.steps), strict=True))

    def normal(self) -> list[Digit]:
        """Return the normal digits; none of an empty layout."""
        flat = self.flat()
        return merged_digits(flat) if 0 not in dict(flat) else []

    def size(self) -> int:
        """Count the indices."""
        return nesting.size_of_tree(self.shape)

    def scaled(self, factor: int) -> Digits:
        """Return the layout of values a number of times as large."""
        steps = nesting.rebuilt(self.steps, iter([factor * d for d in nesting.leaves(self.steps)]))
        return Digits(self.shape, steps, factor * self.first)


def digits_of(given: AnyMapped, order: Order, name: str = "m") -> Digits:
    """Return the digits of a mapping or a view.

    Raises
    ------
    NotNested, UndecidedError, LayoutError
        No nested layout has its offsets, or it is not known whether one has, or there is padding.
    """
    check_order(order)
    mapping = mapping_of(given, name)
    layout = nested_form(mapping.layout, mapping.extents, order)
    return Digits(nesting.turned(layout.modes, order), nesting.turned(layout.steps, order), layout.first)


def nested_mapping(shape: Tree, steps: Tree, first: int = 0, order: Order = "F") -> NestedMapping:
    """Return the mapping of trees whose dimensions are fastest first; spans that no pointer holds are refused."""
    layout = LayoutNested.trusted(nesting.turned(shape, order), nesting.turned(steps, order), first)
    extents = layout.extents
    if max(map(abs, nesting.leaves(steps)), default=0) > _FAR or first > _FAR:
        layout.check(extents)
    return Mapping.trusted(extents, layout)


_FAR: Final = 1 << 31
"""Steps and origins up to which no span of fewer than ``2**32`` indices is too long."""


def made_flat(digits: Sequence[Digit], order: Order, first: int = 0) -> NestedMapping:
    """Return the mapping that has one dimension for each digit, fastest first."""
    shape, steps = nesting.tree_of(digits)
    return nested_mapping(shape, steps, first, order)


def linear_index(index: Sequence[int], digits: Sequence[Digit]) -> int:
    """Return the 1-D index of one index for each digit."""
    return sum(map(mul, index, left_strides([n for n, _ in digits])))


def check_unique(digits: Sequence[Digit], skipped: int | None = None) -> None:
    """Refuse digits of which two numbers have one value, through other steps than the one that is ``skipped``.

    Raises
    ------
    Collision
        Two have; it names them.
    """
    found = find_collision([n if d != skipped else 1 for n, d in digits], [d for _, d in digits])
    if found is not None:
        i, j = sorted([linear_index(index, digits) for index in found])
        raise Collision(i, j, "an operation that inverts or covers needs an offset for each index")


STEPS: Final[ContextVar[list[str] | None]] = ContextVar("STEPS", default=None)
"""The steps that operations tell, while someone asks for them."""


def note(text: Callable[[], str]) -> None:
    """Tell a step of an operation, if someone asks for the steps."""
    told = STEPS.get()
    if told is not None:
        told.append(text())


def text_of(digits: Sequence[Digit]) -> str:
    """Return digits as text, fastest first: ``4:1 8:4``."""
    return " ".join([f"{n}:{d}" for n, d in digits]) or "1:0"
