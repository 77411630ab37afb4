"""Certification: `check_layout` and `check_accessor` run all laws over cases and report counterexamples."""

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
from mdview.memory.data_types import DType
from mdview.memory.struct_items import read_as
from mdview.testing import laws
from mdview.testing.access_laws import ACCESS_LAWS, ACCESSOR_LAWS, SIZES, Accessed
from mdview.testing.laws import Bound, Findings, Trial, Verdict, found, law
from mdview.testing.layout_laws import LAYOUT_LAWS, PART_LAWS, offsets_stay
from mdview.views.explanation import engine_notes


@law("extents", "extents that a layout refuses are refused by an mdview error from check")
def refuses_by_name(case: tuple[Layout, tuple[int, ...]]) -> Findings:
    """Call the layout's check of extents, which must raise an mdview error or nothing."""
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
"""The most indices that laws visit, including the indices of a border of 1 around the extents."""


def examine_layout(layout: Layout, *extents: Sequence[int]) -> Verdict:
    """Test ``layout`` under all laws of layouts, and return the verdict with the counterexamples.

    Parameters
    ----------
    layout
        An instance of a layout.
    *extents
        The extents to test, in increasing order; by default all small extents that the layout accepts.

    Raises
    ------
    LayoutTypeError
        ``layout`` is not a layout, but for example a class of layouts.
    ExtentsError, ExtentsTypeError
        Some extents are invalid, or have more than `MOST_INDICES` indices, including a border of 1 around the extents.

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
            trial.notes += engine_notes(case.mapping)
        if trial.holds(of_mapping, case):
            seen.append(case)
    for case in seen:
        trial.holds(afterwards, case)
    return trial.verdict()


def _few_enough(extents: tuple[int, ...]) -> tuple[int, ...]:
    """Return extents unchanged; raise `ExtentsError` if they have too many indices, including a border of 1."""
    if prod([e + 2 for e in extents]) > MOST_INDICES:
        raise ExtentsError(
            f"laws look at each index and at those of a border of 1 around them, {MOST_INDICES} at most; extents "
            f"{shape_text(extents)} have more: give smaller ones"
        )
    return extents


def check_layout(layout: Layout, *extents: Sequence[int]) -> None:
    """Raise an error unless ``layout`` keeps all laws; for use in the tests of a layout.

    The parameters are those of `examine_layout`.

    Raises
    ------
    CertificationError
        ``layout`` breaks a law; the message shows the smallest counterexample of each broken law. The error is an
        `AssertionError`, too.

    >>> from mdview import LayoutRight
    >>> check_layout(LayoutRight(), (), (3,), (2, 3))
    """
    examine_layout(layout, *extents).require()


def doubles(size: int) -> array[float]:
    """Return an array of ``size`` different elements: 1.5, 2.5, ..."""
    return array("d", [k + 1.5 for k in range(size)])


def item_maker(form: DType) -> Callable[[int], Any]:
    """Return the function that makes ``n`` items of a format: floats as in `doubles`, integers, or bytes.

    Raises
    ------
    BufferFormatError
        The items are strings, dates or records, which only NumPy arrays can hold.
    """
    if form.dtype is not None:
        raise BufferFormatError(
            f"accessors are certified on numbers and bytes, not items of type {form.dtype}; give another format"
        )

    def make(size: int) -> Any:  # Any: numbers or bytes
        items: Any = read_as(memoryview(bytearray(form.nbytes(size))), form.format)
        for k in range(size):
            for element in (bytes([k + 1]), k + 1, k + 1.5):
                with suppress(TypeError, ValueError):  # the last value that the items accept stays
                    items[k] = element
        return items

    return make


OF_ACCESSORS: Final = (laws.FIRST_LAWS, ACCESSOR_LAWS, laws.LAST_LAWS)
"""All laws of an accessor, in the order in which a verdict lists them."""


def examine_accessor(accessor: Accessor[Any, Any], make: Callable[[int], Any] = doubles) -> Verdict:
    """Test ``accessor`` under all laws of accessors, and return the verdict with the counterexamples.

    Parameters
    ----------
    accessor
        An instance of an accessor. ``Any`` stands for elements of any type.
    make
        The function that makes data: ``make(n)`` returns ``n`` different elements, the same at each call. By default
        the elements are doubles.

    Raises
    ------
    AccessorTypeError
        ``accessor`` is not an accessor, but for example a class of accessors.
    OperandError
        ``make`` is not a function.

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
    """Raise an error unless ``accessor`` keeps all laws; for use in the tests of an accessor.

    The parameters are those of `examine_accessor`.

    Raises
    ------
    CertificationError
        ``accessor`` breaks a law; the message shows the smallest counterexample of each broken law. The error is an
        `AssertionError`, too.

    >>> from mdview.accessors import ScaledAccessor
    >>> check_accessor(ScaledAccessor(2.0))
    """
    examine_accessor(accessor, make).require()
