"""Certifying an accessor: all laws, over data of increasing length."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Any, Final

from mdview.accessors.base import Accessor, check_accessor_kind
from mdview.base.arguments import as_entries, check_function
from mdview.testing.accessor_laws import ACCESSOR_LAWS, Accessed
from mdview.testing.laws import Law
from mdview.testing.value_laws import LAST_LAWS, VALUE_LAWS, Value, same_function
from mdview.testing.verdict import Trial, Verdict

SIZES: Final = (1, 2, 3, 8)
"""How many elements the data has, in turn."""


def doubles(size: int) -> array[float]:
    """Make data of ``size`` different elements: 1.5, 2.5, ..."""
    return array("d", [k + 1.5 for k in range(size)])


def _loads(accessor: Accessor[Any, Any]) -> object:
    """Return what an accessor makes of a few elements. Any: elements of any type."""
    data = doubles(max(SIZES))
    return [repr(accessor.read(data, k)) for k in range(len(data))]


equal_means_same: Law = same_function("equality", _loads)

LAWS: Final = (*VALUE_LAWS, equal_means_same, *ACCESSOR_LAWS, *LAST_LAWS)
"""All laws of an accessor, in the order in which a verdict lists them."""


def examine_accessor(
    accessor: Accessor[Any, Any],
    make: Callable[[int], Any] = doubles,
    *,
    others: Sequence[Accessor[Any, Any]] = (),
) -> Verdict:
    """Look at ``accessor`` under all `LAWS` and return what was found.

    Parameters
    ----------
    accessor
        An instance of an accessor. Any: elements of any type.
    make
        Makes the data: ``make(n)`` gives ``n`` different elements, the same at each call; doubles by default.
    others
        Further accessors of its kind, to find those that are equal and should not be.

    Raises
    ------
    AccessorTypeError
        ``accessor`` is no accessor, a class instead of an instance, say.

    >>> from mdview import CheckedAccessor
    >>> print(examine_accessor(CheckedAccessor()))
    accepted CheckedAccessor(): 14 laws on 4 cases
    """
    for one in (accessor, *as_entries(others, "others")):
        check_accessor_kind("an accessor is", one)
    check_function(make, "make")
    trial = Trial(accessor, LAWS)
    value = Value(accessor, tuple(others))
    trial.all_hold((*VALUE_LAWS, equal_means_same), value)
    for size in SIZES:
        trial.cases += 1
        trial.all_hold(ACCESSOR_LAWS, Accessed(accessor, make, size))
    trial.all_hold(LAST_LAWS, value)
    return trial.verdict()


def check_accessor(
    accessor: Accessor[Any, Any],
    make: Callable[[int], Any] = doubles,
    *,
    others: Sequence[Accessor[Any, Any]] = (),
) -> None:
    """Raise unless ``accessor`` keeps all laws; made for the tests of whoever writes an accessor.

    Parameters are those of `examine_accessor`.

    Raises
    ------
    CertificationError
        A law is broken (an `AssertionError`); the message shows the smallest counterexample of each.

    >>> from mdview import ScaledAccessor
    >>> check_accessor(ScaledAccessor(2.0))
    """
    examine_accessor(accessor, make, others=others).require()
