"""Facts of a view in a kernel: ``v.extents``, ``v.strides``, ``v.size``, ``v.ndim``, ``len(v)``, ``v.extent(r)``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mdview.errors import AxisError
from mdview.numba.extension import (
    INT64,
    Builder,
    LLVMValue,
    NumbaType,
    Values,
    cgutils,
    errors,
    imputils,
    template,
    templates,
    types,
)
from mdview.numba.forms import Strided
from mdview.numba.llvm import const
from mdview.numba.viewtype import Parts, ViewType, operation

_TUPLES: Final[dict[str, Callable[[Parts], list[LLVMValue]]]] = {
    **dict.fromkeys(("extents", "shape"), lambda view: view.extents),
    "strides": Parts.strides,
}
_NUMBERS: Final[dict[str, Callable[[Parts], LLVMValue]]] = {
    "size": Parts.size,
    **dict.fromkeys(("ndim", "rank"), lambda view: const(view.kind.ndim)),
    "itemsize": lambda view: const(view.context.get_abi_sizeof(view.context.get_data_type(view.kind.dtype))),
}


def _of_axis(_: Any, __: ViewType, *args: NumbaType) -> NumbaType:
    """Type of the extent or the stride of a dimension."""
    return types.int64 if len(args) == 1 and isinstance(args[0], types.Integer) else None


_METHODS: Final = {name: template(f"view.{name}", _of_axis) for name in ("extent", "stride")}


@templates.infer_getattr
class _Attributes(templates.AttributeTemplate):
    """Types of the facts."""

    key = ViewType

    def generic_resolve(self, view: ViewType, name: str) -> NumbaType:
        """Type of the fact of that name, None where there is none."""
        if name in {"strides", "stride"} and not isinstance(view.form, Strided):
            raise errors.TypingError(
                "this view has no strides: the distance of neighbours is not the same everywhere along each dimension"
            )
        if name in _METHODS:
            return types.BoundFunction(_METHODS[name], view)
        return types.UniTuple(types.int64, view.ndim) if name in _TUPLES else types.int64 if name in _NUMBERS else None


@imputils.lower_getattr_generic(ViewType)
def _fact(context: Any, builder: Builder, kind: ViewType, value: LLVMValue, name: str) -> LLVMValue:
    view = Parts(context, builder, kind, value)
    return cgutils.pack_array(builder, _TUPLES[name](view), ty=INT64) if name in _TUPLES else _NUMBERS[name](view)


def _length_type(_: Any, view: ViewType) -> NumbaType:
    if not view.ndim:
        raise errors.TypingError("a view of rank 0 has one element and no length")
    return types.intp


@operation(len, _length_type)
def _length(view: Parts, _: Any, __: Values) -> LLVMValue:
    return view.extents[0]


@operation("view.extent", _of_axis)
def _extent(view: Parts, sig: Any, args: Values) -> LLVMValue:
    """Extent of a dimension; 1 at and beyond the rank."""
    axis = view.context.cast(view.builder, args[1], sig.args[1], types.int64)
    view.guard(view.builder.icmp_signed("<", axis, const(0)), "dimension numbers start at 0", AxisError)
    return _chosen(view.builder, axis, view.extents, 1)


@operation("view.stride", _of_axis)
def _stride(view: Parts, sig: Any, args: Values) -> LLVMValue:
    axis = view.context.cast(view.builder, args[1], sig.args[1], types.int64)
    outside = view.builder.icmp_unsigned(">=", axis, const(view.kind.ndim))
    view.guard(outside, f"dimension is out of range for rank {view.kind.ndim}", AxisError)
    return _chosen(view.builder, axis, view.strides(), 0)


def _chosen(builder: Builder, axis: LLVMValue, numbers: list[LLVMValue], other: int) -> LLVMValue:
    """The number at ``axis``, or ``other`` beyond them."""
    found = const(other)
    for r, number in enumerate(numbers):
        found = builder.select(builder.icmp_signed("==", axis, const(r)), number, found)
    return found
