"""Extents: the tuple of the numbers of indices of each dimension, checks of extents and indices, and dense strides.

Extents are a plain tuple of integers; an index of a dimension lies in [0, extent). A plain ``int`` in the tuple is a
*dynamic* extent, known at run time only. A `Dim`, made by `dim`, is an ``int`` that is a *static* extent: its value is
part of the type, ``Dim[Literal[3]]``, as in C++ ``std::extents<int, 3, std::dynamic_extent>``. Since tuples are
covariant, static extents are accepted where dynamic extents are expected, and not the reverse.

Dense strides are those of C order (last index fastest) or Fortran order (first index fastest) without gaps. They are
also the weights of the digits of a 1-D index, into which `digits` splits it.
"""

from __future__ import annotations

import operator
from array import array
from builtins import tuple as Extents  # noqa: N812 - the public name of the tuple that holds the extents
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import prod
from typing import Annotated, Final, SupportsIndex, TypeAlias

from mdview.base import Dim, as_integer, as_text, brief, dim, is_index, plural
from mdview.errors import AxisError, ExtentsError, ExtentsTypeError, IndexOutOfRangeError, IndexTypeError, RankError

__all__ = ["MAX_SIZE", "Dim", "Dims1", "Dims2", "Dims3", "Dims4", "Dims5", "Dims6", "Dyn", "Extents", "as_extents"]
__all__ += [
    "agree",
    "check_index",
    "digits",
    "dim",
    "extent_of",
    "is_empty",
    "left_strides",
    "right_strides",
    "size_of",
]
__all__ += ["static_extents", "weights_of"]

MAX_SIZE: Final = 2**63 - 1
"""The largest size, span or offset, in elements, that mdview accepts: the largest ``ptrdiff_t``."""

Dyn: TypeAlias = Annotated[int, "a dynamic extent"]

Dims1: TypeAlias = tuple[Dyn]
Dims2: TypeAlias = tuple[Dyn, Dyn]
Dims3: TypeAlias = tuple[Dyn, Dyn, Dyn]
Dims4: TypeAlias = tuple[Dyn, Dyn, Dyn, Dyn]
Dims5: TypeAlias = tuple[Dyn, Dyn, Dyn, Dyn, Dyn]
Dims6: TypeAlias = tuple[Dyn, Dyn, Dyn, Dyn, Dyn, Dyn]


def as_extents(extents: Iterable[SupportsIndex]) -> tuple[int, ...]:
    """Check extents and return them as a tuple; a `Dim` stays a `Dim`.

    Raises
    ------
    ExtentsTypeError
        An extent is not an integer.
    ExtentsError
        An extent is negative, or an extent or the product of all extents exceeds 2**63 - 1.
    """
    if type(extents) is not tuple and isinstance(
        extents, str | bytes | bytearray | memoryview | array | Mapping | AbstractSet | range
    ):
        raise ExtentsTypeError(f"extents must be a tuple of integers, got {brief(extents)}")
    try:
        checked = tuple([e if type(e) is int else as_integer(e, "an extent") for e in extents])
    except ExtentsTypeError:
        raise
    except TypeError:
        way = f"; write ({brief(extents)},) for one dimension, a tuple for several" if isinstance(extents, int) else ""
        raise ExtentsTypeError(f"extents must be a tuple of integers, got {brief(extents)}{way}") from None
    for r, extent in enumerate(checked):
        if extent < 0:
            raise ExtentsError(f"extents must be at least 0: extent {as_text(extent)} of dimension {r}")
        if extent > MAX_SIZE:
            raise ExtentsError(f"extent {as_text(extent)} of dimension {r} exceeds 2**63 - 1")
    size = prod(checked)
    if size > MAX_SIZE:
        raise ExtentsError(
            f"the index space of extents {shape_text(checked)} has {as_text(size)} elements, more than 2**63 - 1"
        )
    return checked


def static_extents(extents: Sequence[int]) -> tuple[int | None, ...]:
    """Return the static extent of each dimension; None for a dynamic extent."""
    return tuple([int(e) if type(e) is Dim else None for e in extents])


def size_of(extents: Sequence[int]) -> int:
    """Return the number of indices: the product of the extents, 1 for rank 0."""
    return prod(extents)


def is_empty(extents: Sequence[int]) -> bool:
    """Tell whether the index space is empty, that is, whether an extent is 0."""
    return 0 in extents


def extent_of(extents: Sequence[int], r: int) -> int:
    """Return the extent of dimension ``r`` as a plain int; 1 if ``r`` is the rank or more.

    Raises
    ------
    AxisError
        ``r`` is negative.
    ExtentsTypeError
        ``r`` is not an integer.
    """
    if type(r) is not int:
        r = as_integer(r, "a dimension")
    if r < 0:
        raise AxisError(f"dimension numbers start at 0, got {as_text(r)}")
    return int(extents[r]) if r < len(extents) else 1


def out_of_range(index: object, extent: object, r: int, way: str = "") -> IndexOutOfRangeError:
    """Return the error for an index of dimension ``r`` outside its extent; ``way``, a hint, ends the message."""
    return IndexOutOfRangeError(f"index {as_text(index)} is out of range for extent {extent} of dimension {r}{way}")


def check_index(extents: Sequence[int], index: Sequence[object]) -> list[int]:
    """Return ``index`` as ints; check that each lies in [0, extent), so a negative index is out of range."""
    if len(index) != len(extents):
        takes = f"rank {len(extents)} takes {plural(len(extents), 'index', 'indices')}"
        raise RankError(f"{takes}, got {len(index)}: {brief(tuple(index))}")
    checked: list[int] = []
    for r, (i, extent) in enumerate(zip(index, extents, strict=True)):
        try:
            value = operator.index(i) if is_index(i) else None
        except TypeError:
            value = None
        if value is None:
            way = "; np.reshape([*mapping.offsets()], extents)[i, j] takes arrays" if hasattr(i, "__array__") else ""
            raise IndexTypeError(f"index {brief(i)} of dimension {r} must be an integer, not {type(i).__name__}{way}")
        if not 0 <= value < extent:
            raise out_of_range(value, extent, r)
        checked.append(value)
    return checked


def shape_text(extents: Sequence[int]) -> str:
    """Return extents as the text of messages, with static extents as plain numbers: ``(3, 4)``."""
    return as_text(tuple([int(e) for e in extents]))


def right_strides(extents: Sequence[int], innermost: int = 1) -> tuple[int, ...]:
    """Return the strides of C order (last index fastest): each stride is the next stride times the next extent."""
    strides = [innermost] * len(extents)
    for r in range(len(extents) - 2, -1, -1):
        strides[r] = strides[r + 1] * extents[r + 1]
    return tuple(strides)


def digits(number: int, extents: Sequence[int]) -> tuple[int, ...]:
    """Return the digits of ``number`` in the mixed radix of ``extents``, slowest first; a digit of extent 0 is 0.

    The first digit is the remaining quotient, without a bound. ``number`` may be of any type with ``%`` and ``//``.

    >>> digits(17, (2, 5, 4)), digits(6, (2, 3)), digits(1, (0, 0))
    ((0, 4, 1), (2, 0), (1, 0))
    """
    lower: list[int] = []
    for e in extents[:0:-1]:
        lower.append(number % e if e else 0)
        number = number // e if e else number
    return (*([number] if extents else []), *lower[::-1])


def left_strides(extents: Sequence[int], innermost: int = 1) -> tuple[int, ...]:
    """Return the strides of Fortran order (first index fastest), each the previous stride times the previous extent."""
    return right_strides(extents[::-1], innermost)[::-1]


def weights_of(extents: Sequence[int], order: str) -> tuple[int, ...]:
    """Return the weight of each index in the 1-D index: strides of Fortran order for "F", of C order for "C"."""
    return left_strides(extents) if order == "F" else right_strides(extents)


def agree(extents: Sequence[int], strides: Sequence[int], own: Sequence[int]) -> bool:
    """Tell whether two tuples of strides are equal in all dimensions whose extent is not 1."""
    if strides == own:
        return True
    for e, s, t in zip(extents, strides, own, strict=True):  # noqa: SIM110 - a generator takes longer
        if s != t and e != 1:
            return False
    return True
