"""Atomic access in kernels: one instruction that no other thread of a `prange` loop interrupts.

`atomic_add` works on any view that stores. On an atomic view, ``v[i]`` is a reference as it is in Python, so that
``v[i] += x`` is one atomic step; ``v[i].load()`` and ``v[i].fetch_add(x)`` are the others.

These steps are instructions under the memory order of the view, atomic to each other in all threads and processes, and
to the steps that Python code makes meanwhile where these are instructions, too: with the extra ``atomic`` (see
`mdview.accessors.atomic`). Without it the steps of Python are those of one process, so ``atomic(view)`` over memory
that other processes may reach asks for ``process_local=True``, while `atomic_add` takes any view in a kernel. Integers
wrap here, as in all arithmetic of kernels.
"""

from __future__ import annotations

import operator
from typing import Any, cast

from mdview.accessors.processor import Order
from mdview.base.texts import shown
from mdview.errors import IndexTypeError
from mdview.numba.brackets import element_place, taken_apart
from mdview.numba.elements import AtomicRefType, check_atomic, load_atomic, update_atomic
from mdview.numba.extension import (
    AbstractTemplate,
    AttributeTemplate,
    Builder,
    LLVMValue,
    NumbaType,
    bound_function,
    errors,
    infer_getattr,
    infer_global,
    lower_builtin,
    models,
    register_default,
    signature,
    types,
)
from mdview.numba.subviews import entries, is_element
from mdview.numba.viewtype import AnyView, ViewType
from mdview.views.base import ViewBase
from mdview.views.policies import atomic


def atomic_add(v: AnyView, index: int | tuple[int, ...], value: Any) -> Any:
    """Add ``value`` to the element at ``index`` in one atomic step and return the element before.

    For kernels whose threads meet at the same elements; a sum for each thread, added up at the end, is faster where
    that is possible. In Python it is `mdview.AtomicRef.fetch_add`, and refuses what `mdview.atomic` refuses.

    >>> from mdview import MDView
    >>> v = MDView([1, 2, 3], (3,))
    >>> atomic_add(v, 1, 40), v.tolist()
    (2, [1, 42, 3])
    """
    found: Any = atomic(cast("Any", v))[index]  # `atomic` refuses what does not store
    if isinstance(found, ViewBase):
        message = f"an atomic step is on one element, and index {shown(index, repr)} of rank {v.rank} selects a view"
        raise IndexTypeError(message)
    return found.fetch_add(value)


# In a kernel, a reference is the address of the element.
register_default(AtomicRefType)(models.PointerModel)


@infer_global(atomic_add)
class _AtomicAdd(AbstractTemplate):
    """Type of an atomic addition: that of the elements."""

    def generic(self, args: tuple[NumbaType, ...], _: object) -> NumbaType:
        view, index, element = args
        if not isinstance(view, ViewType) or not is_element(view, entries(index)):
            return None
        if not view.access.stores:
            message = "this view is read-only: its accessor has no store"
            raise errors.TypingError(message)
        if not view.access.is_plain:
            message = "atomic steps are those of elements as they are; the accessor of this view does arithmetic"
            raise errors.TypingError(message)
        _check(self.context, view.dtype, element)
        return signature(view.dtype, view, index, element)


@infer_getattr
class _RefAttributes(AttributeTemplate):
    """Types of the operations of a reference."""

    key = AtomicRefType

    @bound_function("atomic_ref.load")
    def resolve_load(self, ref: AtomicRefType, args: tuple[NumbaType, ...], _: object) -> NumbaType:
        return None if args else signature(ref.dtype, recvr=ref)

    @bound_function("atomic_ref.fetch_add")
    def resolve_fetch_add(self, ref: AtomicRefType, args: tuple[NumbaType, ...], _: object) -> NumbaType:
        _check(self.context, ref.dtype, *args)
        return signature(ref.dtype, *args, recvr=ref)


@infer_global(operator.iadd)
@infer_global(operator.isub)
class _InPlace(AbstractTemplate):
    """Type of ``ref += x``: the reference again."""

    def generic(self, args: tuple[NumbaType, ...], _: object) -> NumbaType:
        ref, element = args
        if not isinstance(ref, AtomicRefType):
            return None
        _check(self.context, ref.dtype, element)
        return signature(ref, ref, element)


def _check(typing: Any, dtype: NumbaType, element: NumbaType) -> None:
    check_atomic(dtype)
    if not typing.can_convert(element, dtype):
        message = f"cannot add a value of type {element} to an element of type {dtype}"
        raise errors.TypingError(message)


@lower_builtin(atomic_add, ViewType, types.Any, types.Any)
def _atomic_add(context: Any, builder: Builder, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
    view, kinds, given = taken_apart(context, builder, sig, args)
    value = context.cast(builder, args[2], sig.args[2], view.kind.dtype)
    return _add(builder, view.kind.dtype, view.kind.access.order, element_place(view, kinds, given), value)


@lower_builtin("atomic_ref.load", AtomicRefType)
def _load(context: Any, builder: Builder, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
    return load_atomic(context, builder, sig.args[0], args[0])


@lower_builtin("atomic_ref.fetch_add", AtomicRefType, types.Any)
def _fetch_add(context: Any, builder: Builder, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
    ref = sig.args[0]
    return _add(builder, ref.dtype, ref.order, args[0], context.cast(builder, args[1], sig.args[1], ref.dtype))


@lower_builtin(operator.iadd, AtomicRefType, types.Any)
def _iadd(context: Any, builder: Builder, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
    _fetch_add(context, builder, sig, args)
    return args[0]


@lower_builtin(operator.isub, AtomicRefType, types.Any)
def _isub(context: Any, builder: Builder, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
    ref = sig.args[0]
    value = context.cast(builder, args[1], sig.args[1], ref.dtype)
    negative = builder.neg(value) if isinstance(ref.dtype, types.Integer) else builder.fneg(value)
    _add(builder, ref.dtype, ref.order, args[0], negative)
    return args[0]


def _add(builder: Builder, dtype: NumbaType, order: Order, place: LLVMValue, value: LLVMValue) -> LLVMValue:
    return update_atomic(builder, "add" if isinstance(dtype, types.Integer) else "fadd", order, place, value)
