"""Certification: `check_layout` and `check_accessor` run all laws over cases and report what breaks them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import prod
from typing import Any, Final

from mdview.accessors.accessor import Accessor, check_accessor_kind
from mdview.base.argument_checks import check_function
from mdview.errors import BufferFormatError, ExtentsError, MDViewError
from mdview.index.extents import as_extents, shape_text
from mdview.layouts.layout import Layout, as_layout
from mdview.mappings.mapping import Mapping
from mdview.mappings.mapping_explanation import untraceable
from mdview.memory.data_types import DType
from mdview.memory.struct_items import read_as
from mdview.testing import laws
from mdview.testing.access_laws import ACCESS_LAWS, ACCESSOR_LAWS, SIZES, Accessed
from mdview.testing.laws import Bound, Findings, Trial, Verdict, found, law
from mdview.testing.layout_laws import LAYOUT_LAWS, PART_LAWS, offsets_stay


@law("extents", "extents that a layout refuses are refused by an mdview error from check")
def refuses_by_name(case: tuple[Layout, tuple[int, ...]]) -> Findings:
    """Call the layout's check of extents."""
    layout, extents = case
    error = laws.outcome(layout.check, extents)
    if isinstance(error, Exception) and not isinstance(error, MDViewError):
        yield found("no error, or LayoutError, RankError", laws.error_text(error), extents=extents)


OF_LAYOUTS: Final = (
    laws.FIRST_LAWS,
    ((refuses_by_name,),),
    (*LAYOUT_LAWS, *PART_LAWS, ACCESS_LAWS),
    ((offsets_stay,),),
    laws.LAST_LAWS,
)
"""All laws of a layout, in the order in which a verdict lists them."""
MOST_INDICES: Final = 1 << 15
"""The most indices that laws visit, those of a border of 1 included."""


def examine_layout(layout: Layout, *extents: Sequence[int]) -> Verdict:
    """Test ``layout`` under all laws `OF_LAYOUTS` and return the counterexamples.

    Parameters
    ----------
    layout
        An instance of a layout.
    *extents
        Extents to look at, in increasing order; without any, all small ones that the layout takes.

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
    as_layout("a layout is", layout)
    shapes = [_few_enough(as_extents(shape)) for shape in extents]
    trial = Trial(layout, *OF_LAYOUTS)
    _, of_extents, of_mapping, afterwards, _ = OF_LAYOUTS
    seen: list[Bound] = []
    for shape in shapes or laws.small_extents(layout):
        if not trial.holds(of_extents, (layout, shape)):
            continue
        try:
            case = Bound(layout, shape)
        except MDViewError:
            trial.refused += 1
            continue
        trial.cases += 1
        if not trial.notes:
            trial.notes += _untraced(case.mapping)
        if trial.holds(of_mapping, case):
            seen.append(case)
    for case in seen:
        trial.holds(afterwards, case)
    return trial.verdict()


def _few_enough(extents: tuple[int, ...]) -> tuple[int, ...]:
    """Refuse extents with too many indices for laws, which visit each index, those of a padded view included."""
    if prod([e + 2 for e in extents]) > MOST_INDICES:
        raise ExtentsError(
            f"laws look at each index and at those of a border of 1 around them, {MOST_INDICES} at most; extents "
            f"{shape_text(extents)} have more: give smaller ones"
        )
    return extents


def _untraced(mapping: Mapping[tuple[int, ...], Layout]) -> list[str]:
    """Return the note, if its arithmetic cannot be traced, that engines call the layout for each element, and why."""
    reason = untraceable(mapping)
    if reason is None:
        return []
    where = shape_text(mapping.extents)
    return [f"engines call the layout at each element, as its arithmetic over {where} cannot be traced: {reason}"]


def check_layout(layout: Layout, *extents: Sequence[int]) -> None:
    """Raise unless ``layout`` keeps all laws; made for the tests of a layout's author.

    Parameters are those of `examine_layout`.

    Raises
    ------
    CertificationError
        A law is broken (an `AssertionError`); the message shows the smallest counterexample of each.

    >>> from mdview import LayoutRight
    >>> check_layout(LayoutRight(), (), (3,), (2, 3))
    """
    examine_layout(layout, *extents).require()


def doubles(size: int) -> array[float]:
    """Make data of ``size`` different elements: 1.5, 2.5, ..."""
    return array("d", [k + 1.5 for k in range(size)])


def item_maker(form: DType) -> Callable[[int], Any]:
    """Return the function that makes items of a format: floats of `doubles`, integers or bytes.

    Raises
    ------
    BufferFormatError
        They are texts, dates or records, which views have as arrays of NumPy alone.
    """
    if form.dtype is not None:
        raise BufferFormatError(
            f"accessors are certified on numbers and bytes, not items of type {form.dtype}; give another format"
        )

    def make(size: int) -> Any:  # Any: numbers or bytes
        items: Any = read_as(memoryview(bytearray(form.nbytes(size))), form.format)
        for k in range(size):
            for element in (bytes([k + 1]), k + 1, k + 1.5):
                with suppress(TypeError, ValueError):  # the last accepted one stays
                    items[k] = element
        return items

    return make


OF_ACCESSORS: Final = (laws.FIRST_LAWS, ACCESSOR_LAWS, laws.LAST_LAWS)
"""All laws of an accessor, in the order in which a verdict lists them."""


def examine_accessor(accessor: Accessor[Any, Any], make: Callable[[int], Any] = doubles) -> Verdict:
    """Test ``accessor`` under all laws `OF_ACCESSORS` and return the counterexamples.

    Parameters
    ----------
    accessor
        An instance of an accessor. Any: elements of any type.
    make
        Makes the data: ``make(n)`` gives ``n`` different elements, the same at each call; doubles by default.

    Raises
    ------
    AccessorTypeError
        ``accessor`` is no accessor, a class instead of an instance, say.

    >>> from mdview import CheckedAccessor
    >>> print(examine_accessor(CheckedAccessor()))
    accepted CheckedAccessor(): 10 laws on 4 cases
    """
    check_accessor_kind("an accessor is", accessor)
    check_function(make, "make")
    trial = Trial(accessor, *OF_ACCESSORS)
    for size in SIZES:
        trial.cases += 1
        trial.holds(ACCESSOR_LAWS, Accessed(accessor, make, size))
    return trial.verdict()


def check_accessor(accessor: Accessor[Any, Any], make: Callable[[int], Any] = doubles) -> None:
    """Raise unless ``accessor`` keeps all laws; made for the tests of an accessor's author.

    Parameters are those of `examine_accessor`.

    Raises
    ------
    CertificationError
        A law is broken (an `AssertionError`); the message shows the smallest counterexample of each.

    >>> from mdview.accessors import ScaledAccessor
    >>> check_accessor(ScaledAccessor(2.0))
    """
    examine_accessor(accessor, make).require()
