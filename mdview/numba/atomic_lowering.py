"""Atomic access in kernels: one instruction that no other thread of a `prange` loop interrupts.

`atomic_add` works on any view that stores. On an atomic view, ``v[i]`` is a reference as it is in Python, so that
``v[i] += x`` and the other operators in place are one atomic step each; so are its methods, those of `AtomicRef`.

These steps are instructions under the memory order of the view, atomic to each other in all threads and processes, and
to the steps that Python code makes meanwhile where these are instructions, too: with the extra ``atomic`` (see
`mdview.atomics`). Without it the steps of Python are those of one process, so ``atomic(view)`` over
memory that other processes may reach asks for ``process_local=True``, while `atomic_add` takes any view in a kernel.
Sums of 64 bits wrap here, as in all arithmetic of kernels; what an element does not take is refused as by any store.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias, cast

from mdview.atomics import AtomicRef
from mdview.base import as_text, plural
from mdview.errors import IndexTypeError
from mdview.numba import numba_api as nb
from mdview.numba.accessor_typing import AtomicRefType, Target, check_atomic, numba_number, signature_of, target_of
from mdview.numba.getitem_lowering import admitted, entry_types, is_element
from mdview.numba.item_lowering import check_taken
from mdview.numba.load_store_lowering import stored_place
from mdview.numba.numba_api import LLVMBuilder, LLVMValue, NumbaType, Values, errors, types, typing_template
from mdview.numba.view_type import KernelView, LoweredView, NumbaViewType, operation
from mdview.views.derived_views import atomic
from mdview.views.view_base import ViewBase


def atomic_add(v: KernelView, index: int | tuple[int, ...], value: Any) -> Any:
    """Add ``value`` to the element at ``index`` in one atomic step and return the element before.

    For kernels whose threads meet at the same elements; a sum for each thread, added up at the end, is faster where
    that is possible. In Python it is `mdview.atomics.AtomicRef.fetch_add`, and refuses what `mdview.atomic` refuses.

    >>> from mdview import MDView
    >>> v = MDView([1, 2, 3], (3,))
    >>> atomic_add(v, 1, 40), v.tolist()
    (2, [1, 42, 3])
    """
    found: Any = atomic(cast("Any", v))[index]  # `atomic` refuses what does not store
    if isinstance(found, ViewBase):
        raise IndexTypeError(
            f"an atomic step is on one element, and index {as_text(index, repr)} of rank {v.rank} selects a view"
        )
    return found.fetch_add(value)


# In a kernel, a reference is the address of the element.
nb.register_default(AtomicRefType)(nb.models.PointerModel)


def _element_type(typing: Any, view: NumbaViewType, index: NumbaType, element: NumbaType) -> NumbaType:
    """Type of an atomic addition: that of the elements."""
    if not is_element(view, entry_types(index)):
        raise errors.TypingError(f"an atomic step is on one element, at {plural(view.ndim, 'integer')}, got {index}")
    if not view.access.stores:
        raise errors.TypingError("this view is read-only: its accessor has no store")
    if view.access.methods is not None:
        raise errors.TypingError(
            "atomic steps are those of elements as they are; the accessor of this view does arithmetic"
        )
    check_atomic(view.item)
    signature_of(typing, operator.add, view.dtype, element)
    return view.dtype


@operation(atomic_add, _element_type)
def _atomic_add(view: LoweredView, sig: Any, args: Values) -> LLVMValue:
    place = stored_place(view, admitted(view, sig, args))
    target = target_of(view.context, view.builder, AtomicRefType(view.kind.dtype, view.kind.access), place)
    return target.operate(operator.add, sig.args[2], args[2])


# --- methods ----------------------------------------------------------------------------------------------------------

ResultType: TypeAlias = Callable[..., NumbaType]
Emit: TypeAlias = Callable[[Target, Any, Values], LLVMValue]


def _step(key: Any, result: ResultType, emit: Emit, like: Any = None) -> Any:
    """Return the type of an operation on a reference whose result is of a type; ``emit`` writes it."""

    @nb.imputils.lower_builtin(key, AtomicRefType, types.VarArg(types.Any))
    def lowered(context: Any, builder: LLVMBuilder, sig: Any, args: Values) -> LLVMValue:
        return emit(target_of(context, builder, sig.args[0], args[0]), sig, args)

    return typing_template(key, result, like)


def _method(name: str, result: ResultType, emit: Emit) -> Any:
    """Return the type of a method."""
    return _step(f"atomic_ref.{name}", result, emit, getattr(AtomicRef, name))


def _changed(operation: Any, typing: Any, ref: AtomicRefType, kind: NumbaType) -> NumbaType:
    """Type of the element, if an operation on it and a value gives one that may be stored there."""
    signature_of(typing, operation, ref.dtype, kind)
    return ref.dtype


def _taken(typing: Any, ref: AtomicRefType, *args: NumbaType) -> NumbaType:
    """Type of the element, if values may be stored there."""
    for kind in args:
        check_taken(typing, ref.dtype, numba_number(kind))
    return ref.dtype


def _expected(typing: Any, ref: AtomicRefType, expected: NumbaType, desired: NumbaType) -> NumbaType:
    _taken(typing, ref, desired)
    if not isinstance(numba_number(expected), types.Integer | types.Boolean | types.Float | types.NoneType):
        raise errors.TypingError(f"an element of type {ref.dtype} equals no value of type {numba_number(expected)}")
    return types.Tuple((types.boolean, ref.dtype))


def _stored(target: Target, sig: Any, args: Values) -> LLVMValue:
    target.atom.store(target.converted(sig.args[1], args[1]))
    return target.context.get_dummy_value()


def _compared(target: Target, sig: Any, args: Values) -> LLVMValue:
    found = target.compare_exchange(sig.args[1:], *args[1:])
    return target.context.make_tuple(target.builder, sig.return_type, found)


def _exchanged(target: Target, sig: Any, args: Values) -> LLVMValue:
    return target.atom.in_one("xchg", target.converted(sig.args[1], args[1]))


def _extreme(is_better: Any) -> Emit:
    return lambda target, sig, args: target.extreme(is_better, sig.args[1], args[1])


def _operated(operation: Any) -> Emit:
    return lambda target, sig, args: target.operate(operation, sig.args[1], args[1])


_FETCHES: Final[dict[str, Any]] = {
    f"fetch_{name.rstrip('_')}": getattr(operator, name) for name in ("add", "sub", "and_", "or_", "xor")
}
_EXTREMES: Final[dict[str, Any]] = {"fetch_min": operator.lt, "fetch_max": operator.gt}
"""Methods, and what a value must be to become the element."""

_METHODS: Final[dict[str, Any]] = {
    "load": _method("load", _taken, lambda target, *_: target.atom.load()),
    "store": _method("store", lambda *args: _taken(*args) and types.none, _stored),
    "exchange": _method("exchange", _taken, _exchanged),
    "compare_exchange": _method("compare_exchange", _expected, _compared),
    **{name: _method(name, _taken, _extreme(better)) for name, better in _EXTREMES.items()},
    **{name: _method(name, partial(_changed, made), _operated(made)) for name, made in _FETCHES.items()},
}
"""The methods of references."""


nb.attributes(AtomicRefType, "an AtomicRef", _METHODS, lambda ref, name: types.BoundFunction(_METHODS[name], ref))


# --- operators --------------------------------------------------------------------------------------------------------


def _in_place(in_place: Any, operation: Any) -> None:
    """Make ``ref += x`` and its like one step, which gives the reference again."""

    def type_of(typing: Any, ref: NumbaType, *args: NumbaType) -> NumbaType:
        return ref if isinstance(ref, AtomicRefType) and _changed(operation, typing, ref, *args) else None

    def emit(target: Target, sig: Any, args: Values) -> LLVMValue:
        target.operate(operation, sig.args[1], args[1])
        return args[0]

    nb.templates.infer_global(in_place)(_step(in_place, type_of, emit))


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift"):
    _in_place(getattr(operator, f"i{_name.rstrip('_')}"), getattr(operator, _name))


@nb.imputils.lower_cast(AtomicRefType, types.Any)
def _loaded(context: Any, builder: LLVMBuilder, ref: NumbaType, kind: NumbaType, place: LLVMValue) -> LLVMValue:
    """Load where a number of any type is wanted."""
    return context.cast(builder, target_of(context, builder, ref, place).atom.load(), ref.dtype, kind)
