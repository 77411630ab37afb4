"""Facts of a view in a kernel: ``v.extents``, ``v.strides``, ``v.size``, ``v.ndim``, ``len(v)``, ``v.extent(r)``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mdview.errors import AxisError
from mdview.numba.extension import (
    INT64,
    AbstractTemplate,
    AttributeTemplate,
    Builder,
    LLVMValue,
    NumbaType,
    bound_function,
    cgutils,
    errors,
    infer_getattr,
    infer_global,
    lower_builtin,
    lower_getattr,
    signature,
    types,
)
from mdview.numba.forms import Strided
from mdview.numba.llvm import const
from mdview.numba.view_values import Parts
from mdview.numba.viewtype import ViewType


@infer_getattr
class _Attributes(AttributeTemplate):
    """Types of the facts."""

    key = ViewType

    def resolve_extents(self, view: ViewType) -> NumbaType:
        return types.UniTuple(types.int64, view.ndim)

    resolve_shape = resolve_extents

    def resolve_strides(self, view: ViewType) -> NumbaType:
        _check_strided(view)
        return types.UniTuple(types.int64, view.ndim)

    def resolve_size(self, _: ViewType) -> NumbaType:
        return types.int64

    resolve_ndim = resolve_rank = resolve_itemsize = resolve_size

    @bound_function("view.extent")
    def resolve_extent(self, view: ViewType, args: tuple[NumbaType, ...], _: object) -> NumbaType:
        return signature(types.int64, *args, recvr=view) if _is_axis(args) else None

    @bound_function("view.stride")
    def resolve_stride(self, view: ViewType, args: tuple[NumbaType, ...], _: object) -> NumbaType:
        _check_strided(view)
        return signature(types.int64, *args, recvr=view) if _is_axis(args) else None


@infer_global(len)
class _Length(AbstractTemplate):
    """Type of ``len(v)``."""

    def generic(self, args: tuple[NumbaType, ...], _: object) -> NumbaType:
        (view,) = args
        if not isinstance(view, ViewType):
            return None
        if not view.ndim:
            raise errors.TypingError("a view of rank 0 has one element and no length")
        return signature(types.intp, view)


def _is_axis(args: tuple[NumbaType, ...]) -> bool:
    return len(args) == 1 and isinstance(args[0], types.Integer)


def _check_strided(view: ViewType) -> None:
    if not isinstance(view.form, Strided):
        raise errors.TypingError(
            "this view has no strides: the distance of neighbours is not the same everywhere along each dimension"
        )


_FACTS: Final[dict[str, Callable[[Parts], LLVMValue]]] = {
    **dict.fromkeys(("extents", "shape"), lambda view: cgutils.pack_array(view.builder, view.extents, ty=INT64)),
    "strides": lambda view: cgutils.pack_array(view.builder, view.strides(), ty=INT64),
    "size": Parts.size,
    **dict.fromkeys(("ndim", "rank"), lambda view: const(view.kind.ndim)),
    "itemsize": lambda view: const(view.context.get_abi_sizeof(view.context.get_data_type(view.kind.dtype))),
}


def _reading(fact: Callable[[Parts], LLVMValue]) -> Callable[..., LLVMValue]:
    return lambda context, builder, kind, value: fact(Parts(context, builder, kind, value))


for _name, _fact in _FACTS.items():
    lower_getattr(ViewType, _name)(_reading(_fact))


@lower_builtin(len, ViewType)
def _length(context: Any, builder: Builder, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
    return Parts(context, builder, sig.args[0], args[0]).extents[0]


@lower_builtin("view.extent", ViewType, types.Integer)
def _extent(context: Any, builder: Builder, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
    """Extent of a dimension; 1 at and beyond the rank."""
    view = Parts(context, builder, sig.args[0], args[0])
    axis = context.cast(builder, args[1], sig.args[1], types.int64)
    negative = builder.icmp_signed("<", axis, const(0))
    view.guard(negative, "dimension numbers start at 0", AxisError)
    return _chosen(builder, axis, view.extents, 1)


@lower_builtin("view.stride", ViewType, types.Integer)
def _stride(context: Any, builder: Builder, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
    view = Parts(context, builder, sig.args[0], args[0])
    axis = context.cast(builder, args[1], sig.args[1], types.int64)
    outside = builder.icmp_unsigned(">=", axis, const(view.kind.ndim))
    view.guard(outside, f"dimension is out of range for rank {view.kind.ndim}", AxisError)
    return _chosen(builder, axis, view.strides(), 0)


def _chosen(builder: Builder, axis: LLVMValue, numbers: list[LLVMValue], other: int) -> LLVMValue:
    """The number at ``axis``, or ``other`` beyond them."""
    found = const(other)
    for r, number in enumerate(numbers):
        found = builder.select(builder.icmp_signed("==", axis, const(r)), number, found)
    return found
