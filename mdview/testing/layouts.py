"""Certifying a layout: all laws, over extents in increasing order, so that a smallest counterexample is found."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from mdview.base.arguments import as_entries
from mdview.errors import ExtentsError, MDViewError
from mdview.index.extents import as_extents, shape_text
from mdview.layouts.base import Layout, check_layout_kind
from mdview.mappings.explaining import untraceable
from mdview.mappings.mapping import Mapping
from mdview.testing.bound import Bound
from mdview.testing.extents_to_try import small_extents
from mdview.testing.laws import Findings, Law, found, law
from mdview.testing.layout_laws import FIRST_LAWS, LAYOUT_LAWS, offsets_stay
from mdview.testing.part_laws import PART_LAWS
from mdview.testing.structure_laws import STRUCTURE_LAWS
from mdview.testing.value_laws import LAST_LAWS, VALUE_LAWS, Value, same_function
from mdview.testing.verdict import Trial, Verdict
from mdview.testing.view_laws import LARGEST_COPY, VIEW_LAWS


@law("extents", "extents that a layout refuses are refused by an mdview error from check")
def refuses_by_name(case: tuple[Layout, tuple[int, ...]]) -> Findings:
    """Ask the layout to check extents."""
    layout, extents = case
    try:
        layout.check(extents)
    except MDViewError:
        return
    except Exception as error:  # noqa: BLE001 - any other kind is what is looked for
        yield found("no error, or LayoutError, RankError", f"{type(error).__name__}: {error}", extents=extents)


def _table(layout: Layout) -> object:
    """Offsets of a layout over the small extents that it takes."""
    return [list(Bound(layout, extents).offsets.values()) for extents in small_extents(layout)]


equal_means_same: Law = same_function("equality", _table)

OFFSET_LAWS = (*LAYOUT_LAWS, *STRUCTURE_LAWS, *PART_LAWS)
BOUND_LAWS = (*OFFSET_LAWS, *VIEW_LAWS)

MOST_INDICES: Final = 1 << 15
"""How many indices laws look at, those of a border of 1 around them included."""

LAWS = (*VALUE_LAWS, equal_means_same, refuses_by_name, *FIRST_LAWS, *BOUND_LAWS, offsets_stay, *LAST_LAWS)
"""All laws of a layout, in the order in which a verdict lists them."""


def examine_layout(layout: Layout, *extents: Sequence[int], others: Sequence[Layout] = ()) -> Verdict:
    """Look at ``layout`` under all `LAWS` and return what was found.

    Parameters
    ----------
    layout
        An instance of a layout.
    *extents
        Extents to look at, in increasing order; without any, all small ones that the layout takes.
    others
        Further layouts of its kind, to find those that are equal and should not be.

    Raises
    ------
    LayoutTypeError
        ``layout`` is no layout, a class instead of an instance, say.
    ExtentsError, ExtentsTypeError
        The extents break their rule, or have more than `MOST_INDICES` indices with a border of 1 around them.

    >>> from mdview import LayoutTiled
    >>> print(examine_layout(LayoutTiled(2, 3), (4, 6), (5, 4)))
    accepted LayoutTiled(2, 3, outer=LayoutRight(), inner=LayoutRight()): ... laws on 2 cases
    """
    for one in (layout, *as_entries(others, "others")):
        check_layout_kind("a layout is", one)
    given = [_few_enough(as_extents(shape)) for shape in extents]
    trial = Trial(layout, LAWS)
    value = Value(layout, tuple(others))
    trial.all_hold((*VALUE_LAWS, equal_means_same), value)
    seen: list[Bound] = []
    for shape in given or small_extents(layout):
        if not trial.holds(refuses_by_name, (layout, shape)):
            continue
        try:
            case = Bound(layout, shape)
        except MDViewError:
            trial.refused += 1
            continue
        trial.cases += 1
        if not trial.notes:
            trial.notes += _untraced(case.mapping)
        # Without offsets in bounds nothing else can be asked of these extents.
        if trial.all_hold(FIRST_LAWS, case):
            trial.all_hold(BOUND_LAWS if case.mapping.required_span_size <= LARGEST_COPY else OFFSET_LAWS, case)
            seen.append(case)
    for case in seen:
        trial.holds(offsets_stay, case)
    trial.all_hold(LAST_LAWS, value)
    return trial.verdict()


def _few_enough(extents: tuple[int, ...]) -> tuple[int, ...]:
    """Refuse extents that laws, which look at each index and at those of a padded view, would never be done with."""
    if prod([e + 2 for e in extents]) > MOST_INDICES:
        message = (
            f"laws look at each index and at those of a border of 1 around them, {MOST_INDICES} at most; extents "
            f"{shape_text(extents)} have more: give smaller ones"
        )
        raise ExtentsError(message)
    return extents


def _untraced(mapping: Mapping[tuple[int, ...], Layout]) -> list[str]:
    """Say that engines call the layout for each element, and why, where its arithmetic cannot be traced."""
    reason = untraceable(mapping)
    if reason is None:
        return []
    where = shape_text(mapping.extents)
    return [f"engines call the layout at each element, as its arithmetic over {where} cannot be traced: {reason}"]


def check_layout(layout: Layout, *extents: Sequence[int], others: Sequence[Layout] = ()) -> None:
    """Raise unless ``layout`` keeps all laws; made for the tests of whoever writes a layout.

    Parameters are those of `examine_layout`.

    Raises
    ------
    CertificationError
        A law is broken (an `AssertionError`); the message shows the smallest counterexample of each.

    >>> from mdview import LayoutRight
    >>> check_layout(LayoutRight(), (), (3,), (2, 3))
    """
    examine_layout(layout, *extents, others=others).require()
