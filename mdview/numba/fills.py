"""Fills in kernels: what a load in the padding gives, as Python says, in a type that the element type leads to.

A constant is what the accessor of the view loads where there is that constant everywhere; a kernel has it as a value.
"""

from __future__ import annotations

import struct
from typing import Any, Final

from mdview.accessors.base import Accessor
from mdview.accessors.fill import Constant, fill_of
from mdview.base.arguments import kind_text
from mdview.base.texts import told
from mdview.errors import KernelError
from mdview.numba.elements import element_type_of
from mdview.numba.extension import as_dtype, types
from mdview.numba.forms import Fill
from mdview.numba.viewtype import ViewType

_WIDER: Final = (types.int64, types.float64, types.complex128)
"""Types of constants that elements may be converted to."""

_EXACT_BITS: Final = 32
"""Integers of so many bits are floats of 64 bits as well."""


def describe(view: ViewType, accessor: Accessor[Any, Any]) -> tuple[Fill, tuple[int, ...]]:
    """Fill of a padded view of that type, and its values. Any: of whatever elements.

    Raises
    ------
    KernelError
        No type has both the elements and the constant, the accessor cannot load it, or an atomic reference would have
        nothing to refer to.
    """
    if view.access.atomic:
        raise KernelError("a kernel has no references to padding: slice an atomic view to its valid_box")
    fill, elements = fill_of(accessor), element_type_of(view)
    if fill is None or fill.mode != "constant":
        return Fill(None if fill is None else fill.mode, elements), ()
    try:
        constant = accessor.read(Constant(fill.constant), 0)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise KernelError(
            f"padding cannot read as {told(fill.constant)} in a kernel: its load ends in {kind_text(error)} "
            f"({error}); fill it with an element, or slice the view to its valid_box"
        ) from error
    found = next((each for each in (elements, *_WIDER) if _has(each, elements) and _is_exact(each, constant)), None)
    if found is None:
        raise KernelError(
            f"a kernel has no type for elements of type {elements} and the {told(constant)} that padding reads "
            f"as; fill it with an element, or slice the view to its valid_box"
        )
    return Fill("constant", found), _words(found, constant)


def _has(wider: Any, elements: Any) -> bool:
    """Tell whether a type has all numbers of another one. Any: Numba types."""
    if wider == elements:
        return True
    if isinstance(elements, types.Integer) and elements.bitwidth > _EXACT_BITS and wider != types.int64:
        return False
    return elements != types.uint64 and bool(_numpy().can_cast(as_dtype(elements), as_dtype(wider), "safe"))


def _is_exact(kind: Any, constant: object) -> bool:
    """Tell whether a type has this very number; one that is not a number it has if it has such."""
    np = _numpy()
    try:
        with np.errstate(all="ignore"):
            found = as_dtype(kind).type(constant).item()
        return bool(np.array_equal(found, constant, equal_nan=True))
    except (TypeError, ValueError, OverflowError):
        return False


def _words(kind: Any, constant: Any) -> tuple[int, ...]:
    """Write a number as integers of 64 bits. Any: a number of Python or NumPy."""
    if isinstance(kind, types.Complex):
        number = complex(constant)
        return struct.unpack("2q", struct.pack("2d", number.real, number.imag))
    code = "d" if isinstance(kind, types.Float) else "Q" if kind == types.uint64 else "q"
    return struct.unpack("q", struct.pack(code, float(constant) if code == "d" else int(constant)))


def _numpy() -> Any:
    import numpy as np  # noqa: PLC0415 - it comes with Numba

    return np
