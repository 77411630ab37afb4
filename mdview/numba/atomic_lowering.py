"""Atomic operations in kernels: `atomic_add`, and the methods and in-place operators of references.

`atomic_add` works on any view that stores. An element ``v[i]`` of an atomic view is a reference, as in Python:
``v[i] += x`` and all other in-place operators are one atomic operation each, as are the methods of `AtomicRef`.

The operations are instructions with the memory order of the view, and so atomic among all threads and processes. With
the extra ``atomic`` they are also atomic with operations from Python (see `mdview.atomics`). Without it, operations
from Python hold a lock of their process, so ``atomic(view)`` over shared memory needs ``process_local=True``;
`atomic_add` takes any view in a kernel. Sums of 64 bits wrap, as all arithmetic in kernels. A value that an element
does not take is refused as by any store.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any, Final, cast

from mdview.atomics import AtomicRef
from mdview.base import as_text, plural
from mdview.errors import IndexTypeError
from mdview.numba import numba_api as nb
from mdview.numba.accessor_typing import AtomicRefType, ItemTarget, check_atomic, numba_number, signature_of, target_of
from mdview.numba.getitem_lowering import admitted, entry_types, names_element
from mdview.numba.item_lowering import check_taken
from mdview.numba.load_store_lowering import stored_place
from mdview.numba.numba_api import LLVMBuilder, LLVMValue, NumbaType, Typed, errors, types
from mdview.numba.view_type import KernelView, LoweredView, NumbaViewType, operation
from mdview.views.derived_views import atomic
from mdview.views.view_base import ViewBase


def atomic_add(v: KernelView, index: int | tuple[int, ...], value: Any) -> Any:
    """Add ``value`` to the element at ``index`` in one atomic operation; return its previous value.

    The function is for kernels in which several threads add to the same elements; a sum for each thread, added at the
    end, is faster if possible. In Python it is `mdview.atomics.AtomicRef.fetch_add` of ``atomic(v)[index]``.

    >>> from mdview import MDView
    >>> v = MDView([1, 2, 3], (3,))
    >>> atomic_add(v, 1, 40), v.tolist()
    (2, [1, 42, 3])
    """
    element: Any = atomic(cast("Any", v))[index]  # `atomic` refuses a view that does not store
    if isinstance(element, ViewBase):
        raise IndexTypeError(
            f"an atomic step is on one element, and index {as_text(index, repr)} of rank {v.rank} selects a view"
        )
    return element.fetch_add(value)


# In a kernel, a reference is represented by the address of the element.
nb.register_default(AtomicRefType)(nb.models.PointerModel)


@operation(atomic_add)
def _atomic_add(typing: Any, view: NumbaViewType, index: NumbaType, operand: NumbaType) -> Typed:
    if not names_element(view, entry_types(index)):
        raise errors.TypingError(f"an atomic step is on one element, at {plural(view.ndim, 'integer')}, got {index}")
    if not view.access.stores:
        raise errors.TypingError("this view is read-only: its accessor has no store")
    if view.access.methods is not None:
        raise errors.TypingError(
            "atomic steps are those of elements as they are; the accessor of this view does arithmetic"
        )
    check_atomic(view.item)
    signature_of(typing, operator.add, view.dtype, operand)

    def lowered(v: LoweredView, key: LLVMValue, added: LLVMValue) -> LLVMValue:
        address = stored_place(v, admitted(v, index, key))
        target = target_of(v.context, v.builder, AtomicRefType(view.dtype, view.access), address)
        return target.operate(operator.add, operand, added)

    return view.dtype, lowered


# --- methods ----------------------------------------------------------------------------------------------------------


def _method(name: str, typed: Callable[..., Typed | None]) -> Any:
    """Return the typing template of a method."""
    return nb.operation_template(f"atomic_ref.{name}", AtomicRefType, target_of, typed, getattr(AtomicRef, name))


def _load(_: Any, ref: AtomicRefType) -> Typed:
    return ref.dtype, lambda target: target.atom.load()


def _store(typing: Any, ref: AtomicRefType, kind: NumbaType) -> Typed:
    check_taken(typing, ref.dtype, numba_number(kind))

    def lowered(target: ItemTarget, operand: LLVMValue) -> LLVMValue:
        target.atom.store(target.converted(kind, operand))
        return target.context.get_dummy_value()

    return types.none, lowered


def _exchange(typing: Any, ref: AtomicRefType, kind: NumbaType) -> Typed:
    check_taken(typing, ref.dtype, numba_number(kind))
    return ref.dtype, lambda target, operand: target.atom.in_one("xchg", target.converted(kind, operand))


def _compare_exchange(typing: Any, ref: AtomicRefType, *kinds: NumbaType) -> Typed:
    expected, desired = map(numba_number, kinds)
    check_taken(typing, ref.dtype, desired)
    if not isinstance(expected, types.Integer | types.Boolean | types.Float | types.NoneType):
        raise errors.TypingError(f"an element of type {ref.dtype} equals no value of type {expected}")
    result = types.Tuple((types.boolean, ref.dtype))

    def lowered(target: ItemTarget, *operands: LLVMValue) -> LLVMValue:
        return target.context.make_tuple(target.builder, result, target.compare_exchange(kinds, *operands))

    return result, lowered


def _extreme(is_better: Any, typing: Any, ref: AtomicRefType, kind: NumbaType) -> Typed:
    check_taken(typing, ref.dtype, numba_number(kind))
    return ref.dtype, lambda target, operand: target.extreme(is_better, kind, operand)


def _operated(operation: Any, typing: Any, ref: AtomicRefType, kind: NumbaType) -> Typed:
    signature_of(typing, operation, ref.dtype, kind)
    return ref.dtype, lambda target, operand: target.operate(operation, kind, operand)


_STEPS: Final[dict[str, Callable[..., Typed | None]]] = {
    "load": _load,
    "store": _store,
    "exchange": _exchange,
    "compare_exchange": _compare_exchange,
    "fetch_min": partial(_extreme, operator.lt),
    "fetch_max": partial(_extreme, operator.gt),
    **{
        f"fetch_{n.rstrip('_')}": partial(_operated, getattr(operator, n)) for n in ("add", "sub", "and_", "or_", "xor")
    },
}
_METHODS: Final = {name: _method(name, typed) for name, typed in _STEPS.items()}
"""The typing templates of the methods of references."""


nb.attributes(AtomicRefType, "an AtomicRef", _METHODS, lambda ref, name: types.BoundFunction(_METHODS[name], ref))


# --- operators --------------------------------------------------------------------------------------------------------


def _in_place(in_place: Any, operation: Any) -> None:
    """Make an in-place operator, such as ``ref += x``, an atomic operation whose result is the reference."""

    def typed(typing: Any, ref: NumbaType, *kinds: NumbaType) -> Typed | None:
        if not isinstance(ref, AtomicRefType):
            return None
        _, step = _operated(operation, typing, ref, *kinds)

        def lowered(target: ItemTarget, operand: LLVMValue) -> LLVMValue:
            step(target, operand)
            return target.atom.place

        return ref, lowered

    nb.templates.infer_global(in_place)(nb.operation_template(in_place, AtomicRefType, target_of, typed))


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift"):
    _in_place(getattr(operator, f"i{_name.rstrip('_')}"), getattr(operator, _name))


@nb.imputils.lower_cast(AtomicRefType, types.Any)
def _loaded(context: Any, builder: LLVMBuilder, ref: NumbaType, kind: NumbaType, address: LLVMValue) -> LLVMValue:
    """Load the element of a reference, and convert it to a number of another type."""
    return context.cast(builder, target_of(context, builder, ref, address).atom.load(), ref.dtype, kind)
