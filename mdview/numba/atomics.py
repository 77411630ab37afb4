"""Atomic access in kernels: one instruction that no other thread of a `prange` loop interrupts.

`atomic_add` works on any view that stores. On an atomic view, ``v[i]`` is a reference as it is in Python, so that
``v[i] += x`` and the other operators in place are one atomic step each; so are its methods, those of `AtomicRef`.

These steps are instructions under the memory order of the view, atomic to each other in all threads and processes, and
to the steps that Python code makes meanwhile where these are instructions, too: with the extra ``atomic`` (see
`mdview.accessors.atomic`). Without it the steps of Python are those of one process, so ``atomic(view)`` over memory
that other processes may reach asks for ``process_local=True``, while `atomic_add` takes any view in a kernel. Integers
wrap here, as in all arithmetic of kernels; a step that would store a float in the place of an integer is refused.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any, Final, cast

from mdview.base.texts import counted, shown
from mdview.errors import IndexTypeError
from mdview.numba.atomic_steps import AtomicRefType, Target, check_taken, number_of, signature_of, target_of
from mdview.numba.brackets import element_place, taken_apart
from mdview.numba.extension import (
    AbstractTemplate,
    AttributeTemplate,
    Builder,
    LLVMValue,
    NumbaType,
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


_OPERATORS: Final = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift")
_FETCHES: Final[dict[str, Any]] = {
    f"fetch_{name.rstrip('_')}": getattr(operator, name) for name in ("add", "sub", "and_", "or_", "xor")
}
_EXTREMES: Final[dict[str, Any]] = {"fetch_min": operator.lt, "fetch_max": operator.gt}
"""Methods, and what a value must be to become the element."""

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
        signature_of(self.context, operator.add, view.dtype, element)
        return signature(view.dtype, view, index, element)


@infer_getattr
class _RefAttributes(AttributeTemplate):
    """Types of the operations of a reference, by their names."""

    key = AtomicRefType

    def generic_resolve(self, ref: AtomicRefType, name: str) -> NumbaType:
        method = _METHODS.get(name)
        return method and types.BoundFunction(method, ref)


def _method(name: str, count: int, result: Callable[[Any, AtomicRefType, tuple[NumbaType, ...]], NumbaType]) -> None:
    """Make the type of a method that takes so many values, and whose result is of a type."""

    class Method(AbstractTemplate):
        key = f"atomic_ref.{name}"

        def generic(self, args: tuple[NumbaType, ...], named: dict[str, NumbaType]) -> NumbaType:
            if named or len(args) != count:
                message = f"{name} takes {counted(count, 'value')}, by position"
                raise errors.TypingError(message)
            return signature(result(self.context, self.this, args), *args, recvr=self.this)

    _METHODS[name] = Method


_METHODS: Final[dict[str, Any]] = {}
"""The methods of references."""


def _changed(operation: Any, typing: Any, ref: AtomicRefType, args: tuple[NumbaType, ...]) -> NumbaType:
    """Type of the element, if an operation on it and a value gives one that may be stored there."""
    signature_of(typing, operation, ref.dtype, *args)
    return ref.dtype


def _taken(ref: AtomicRefType, args: tuple[NumbaType, ...]) -> NumbaType:
    """Type of the element, if values may be stored there."""
    for kind in args:
        check_taken(ref.dtype, kind)
    return ref.dtype


def _expected(ref: AtomicRefType, args: tuple[NumbaType, ...]) -> NumbaType:
    _taken(ref, args[1:])
    if not isinstance(number_of(args[0]), types.Integer | types.Boolean | types.Float):
        message = f"an element of type {ref.dtype} equals no value of type {number_of(args[0])}"
        raise errors.TypingError(message)
    return types.Tuple((types.boolean, ref.dtype))


_method("load", 0, lambda _, ref, args: _taken(ref, args))
_method("store", 1, lambda _, ref, args: _taken(ref, args) and types.none)
_method("exchange", 1, lambda _, ref, args: _taken(ref, args))
_method("compare_exchange", 2, lambda _, ref, args: _expected(ref, args))
for _name in _EXTREMES:
    _method(_name, 1, lambda _, ref, args: _taken(ref, args))
for _name, _operation in _FETCHES.items():
    _method(_name, 1, partial(_changed, _operation))


@lower_builtin(atomic_add, ViewType, types.Any, types.Any)
def _atomic_add(context: Any, builder: Builder, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
    view, kinds, given = taken_apart(context, builder, sig, args)
    place = element_place(view, kinds, given)
    target = Target(context, builder, view.kind.dtype, view.kind.access.order, place)
    return target.operate(operator.add, sig.args[2], args[2])


@lower_builtin("atomic_ref.load", AtomicRefType)
def _load(context: Any, builder: Builder, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
    return target_of(context, builder, sig.args[0], args[0]).load()


@lower_builtin("atomic_ref.store", AtomicRefType, types.Any)
def _store(context: Any, builder: Builder, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
    target = target_of(context, builder, sig.args[0], args[0])
    target.store(target.converted(sig.args[1], args[1]))
    return context.get_dummy_value()


@lower_builtin("atomic_ref.exchange", AtomicRefType, types.Any)
def _exchange(context: Any, builder: Builder, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
    target = target_of(context, builder, sig.args[0], args[0])
    return target.exchange(target.converted(sig.args[1], args[1]))


@lower_builtin("atomic_ref.compare_exchange", AtomicRefType, types.Any, types.Any)
def _compare_exchange(context: Any, builder: Builder, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
    target = target_of(context, builder, sig.args[0], args[0])
    found = target.compare_exchange(sig.args[1:], *args[1:])
    return context.make_tuple(builder, sig.return_type, found)


def _lower_fetch(name: str, operation: Any) -> None:
    @lower_builtin(f"atomic_ref.{name}", AtomicRefType, types.Any)
    def lowered(context: Any, builder: Builder, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
        return target_of(context, builder, sig.args[0], args[0]).operate(operation, sig.args[1], args[1])


def _lower_extreme(name: str, is_better: Any) -> None:
    @lower_builtin(f"atomic_ref.{name}", AtomicRefType, types.Any)
    def lowered(context: Any, builder: Builder, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
        return target_of(context, builder, sig.args[0], args[0]).extreme(is_better, sig.args[1], args[1])


def _in_place(in_place: Any, operation: Any) -> None:
    """Make ``ref += x`` and its like one step, which gives the reference again."""

    @infer_global(in_place)
    class InPlace(AbstractTemplate):
        def generic(self, args: tuple[NumbaType, ...], _: object) -> NumbaType:
            ref, element = args
            if not isinstance(ref, AtomicRefType):
                return None
            signature_of(self.context, operation, ref.dtype, element)
            return signature(ref, ref, element)

    @lower_builtin(in_place, AtomicRefType, AtomicRefType)  # numbers take references by a row of their own
    @lower_builtin(in_place, AtomicRefType, types.Any)
    def lowered(context: Any, builder: Builder, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
        target_of(context, builder, sig.args[0], args[0]).operate(operation, sig.args[1], args[1])
        return args[0]


for _name, _operation in _FETCHES.items():
    _lower_fetch(_name, _operation)
for _name, _operation in _EXTREMES.items():
    _lower_extreme(_name, _operation)
for _name in _OPERATORS:
    _in_place(getattr(operator, f"i{_name.rstrip('_')}"), getattr(operator, _name))
