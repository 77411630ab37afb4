"""Atomic access in kernels: one instruction that no other thread of a `prange` loop interrupts.

`atomic_add` works on any view that stores. On an atomic view, ``v[i]`` is a reference as it is in Python, so that
``v[i] += x`` and the other operators in place are one atomic step each; so are its methods, those of `AtomicRef`.

These steps are instructions under the memory order of the view, atomic to each other in all threads and processes, and
to the steps that Python code makes meanwhile where these are instructions, too: with the extra ``atomic`` (see
`mdview.atomics.accessor`). Without it the steps of Python are those of one process, so ``atomic(view)`` over memory
that other processes may reach asks for ``process_local=True``, while `atomic_add` takes any view in a kernel. Sums
of 64 bits wrap here, as in all arithmetic of kernels; what an element does not take is refused as by any store.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any, Final, TypeAlias, cast

from mdview.base.texts import counted, shown
from mdview.errors import IndexTypeError
from mdview.numba.atomic_steps import AtomicRefType, Target, number_of, signature_of, target_of
from mdview.numba.brackets import element_place, taken_apart
from mdview.numba.dtypes import check_taken
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
    lower_cast,
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
        raise IndexTypeError(
            f"an atomic step is on one element, and index {shown(index, repr)} of rank {v.rank} selects a view"
        )
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
            raise errors.TypingError("this view is read-only: its accessor has no store")
        if not view.access.is_plain:
            raise errors.TypingError(
                "atomic steps are those of elements as they are; the accessor of this view does arithmetic"
            )
        signature_of(self.context, operator.add, view.dtype, element)
        return signature(view.dtype, view, index, element)


@infer_getattr
class _RefAttributes(AttributeTemplate):
    """Types of the operations of a reference, by their names."""

    key = AtomicRefType

    def generic_resolve(self, ref: AtomicRefType, name: str) -> NumbaType:
        method = _METHODS.get(name)
        return method and types.BoundFunction(method, ref)


Result: TypeAlias = Callable[[Any, AtomicRefType, tuple[NumbaType, ...]], NumbaType]
Emit: TypeAlias = Callable[[Target, Any, tuple[LLVMValue, ...]], LLVMValue]


def _method(name: str, count: int, result: Result, emit: Emit) -> Any:
    """Return the type of a method that takes so many values, and whose result is of a type; ``emit`` writes it."""

    class Method(AbstractTemplate):
        key = f"atomic_ref.{name}"

        def generic(self, args: tuple[NumbaType, ...], named: dict[str, NumbaType]) -> NumbaType:
            if named or len(args) != count:
                raise errors.TypingError(f"{name} takes {counted(count, 'value')}, by position")
            return signature(result(self.context, self.this, args), *args, recvr=self.this)

    @lower_builtin(f"atomic_ref.{name}", AtomicRefType, *[types.Any] * count)
    def lowered(context: Any, builder: Builder, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
        return emit(target_of(context, builder, sig.args[0], args[0]), sig, args)

    return Method


def _changed(operation: Any, typing: Any, ref: AtomicRefType, args: tuple[NumbaType, ...]) -> NumbaType:
    """Type of the element, if an operation on it and a value gives one that may be stored there."""
    signature_of(typing, operation, ref.dtype, *args)
    return ref.dtype


def _taken(typing: Any, ref: AtomicRefType, args: tuple[NumbaType, ...]) -> NumbaType:
    """Type of the element, if values may be stored there."""
    for kind in args:
        check_taken(typing, ref.dtype, number_of(kind))
    return ref.dtype


def _expected(typing: Any, ref: AtomicRefType, args: tuple[NumbaType, ...]) -> NumbaType:
    _taken(typing, ref, args[1:])
    if not isinstance(number_of(args[0]), types.Integer | types.Boolean | types.Float):
        raise errors.TypingError(f"an element of type {ref.dtype} equals no value of type {number_of(args[0])}")
    return types.Tuple((types.boolean, ref.dtype))


def _stored(target: Target, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
    target.atom.store(target.converted(sig.args[1], args[1]))
    return target.context.get_dummy_value()


def _compared(target: Target, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
    found = target.compare_exchange(sig.args[1:], *args[1:])
    return target.context.make_tuple(target.builder, sig.return_type, found)


def _extreme(is_better: Any) -> Emit:
    return lambda target, sig, args: target.extreme(is_better, sig.args[1], args[1])


def _operated(operation: Any) -> Emit:
    return lambda target, sig, args: target.operate(operation, sig.args[1], args[1])


_METHODS: Final[dict[str, Any]] = {
    "load": _method("load", 0, _taken, lambda target, *_: target.atom.load()),
    "store": _method("store", 1, lambda *args: _taken(*args) and types.none, _stored),
    "exchange": _method(
        "exchange",
        1,
        _taken,
        lambda target, sig, args: target.atom.in_one("xchg", target.converted(sig.args[1], args[1])),
    ),
    "compare_exchange": _method("compare_exchange", 2, _expected, _compared),
    **{name: _method(name, 1, _taken, _extreme(better)) for name, better in _EXTREMES.items()},
    **{name: _method(name, 1, partial(_changed, made), _operated(made)) for name, made in _FETCHES.items()},
}
"""The methods of references."""


@lower_builtin(atomic_add, ViewType, types.Any, types.Any)
def _atomic_add(context: Any, builder: Builder, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
    view, kinds, given = taken_apart(context, builder, sig, args)
    place = element_place(view, kinds, given)
    target = target_of(context, builder, AtomicRefType(view.kind.dtype, view.kind.access), place)
    return target.operate(operator.add, sig.args[2], args[2])


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


for _name in _OPERATORS:
    _in_place(getattr(operator, f"i{_name.rstrip('_')}"), getattr(operator, _name))


_BINARY: Final = "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift eq ne lt le gt ge"
_IN_PLACE: Final = "iadd isub imul itruediv ifloordiv imod ipow iand ior ixor ilshift irshift"
_OF_TWO: Final = (divmod, pow, round, math.atan2, math.copysign, math.hypot, math.pow)
_UNARY: Final = (*[getattr(operator, name) for name in ("neg", "pos", "invert", "not_", "truth")], abs, round)
_OF_ONE: Final = (bool, int, float, complex, math.isinf, math.isnan, math.isfinite, math.floor, math.ceil, math.trunc)
_REAL: Final = (
    "exp expm1 fabs sqrt log log1p log10 log2 sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh "
    "degrees radians erf erfc gamma lgamma"
)

_EITHER: Final = (AtomicRefType, types.Any)
_CONTAINERS: Final = (types.Array, types.List, types.UniTuple)


def _numbers(args: tuple[NumbaType, ...]) -> tuple[NumbaType, ...]:
    """Types of what the arguments stand for."""
    return tuple([arg.dtype if isinstance(arg, AtomicRefType) else arg for arg in args])


def _take_references(function: Callable[..., Any], rank: int, firsts: tuple[NumbaType, ...] = _EITHER) -> None:
    """Let ``function`` take references for numbers; its first argument is of one of the types ``firsts``."""

    class Template(AbstractTemplate):
        def generic(self, args: tuple[NumbaType, ...], named: dict[str, NumbaType]) -> NumbaType:
            if len(args) != rank or not _takes(firsts, args):
                return None
            found = self.context.resolve_function_type(function, _numbers(args), named)
            return found and signature(found.return_type, *args)

    def lowered(context: Any, builder: Builder, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
        numbers, typing = _numbers(sig.args), context.typing_context
        kind = typing.resolve_value_type(function)
        call = typing.resolve_function_type(kind, numbers, {})
        rows = zip(args, sig.args, call.args, strict=True)
        operands = [context.cast(builder, arg, given, wanted) for arg, given, wanted in rows]
        return context.get_function(kind, call)(builder, operands)

    infer_global(function)(Template)
    for kinds in product(firsts, *[_EITHER] * (rank - 1)):
        if AtomicRefType in kinds:
            lower_builtin(function, *kinds)(lowered)


def _takes(firsts: tuple[NumbaType, ...], args: tuple[NumbaType, ...]) -> bool:
    """Tell whether an argument is a reference, and the first one of one of these types."""
    is_first = any(first is types.Any or isinstance(args[0], first) for first in firsts)
    if AtomicRefType not in firsts and isinstance(args[0], AtomicRefType):
        return False
    return is_first and any(isinstance(arg, AtomicRefType) for arg in args)


for _name in _BINARY.split():
    _take_references(getattr(operator, _name), 2)
for _name in _IN_PLACE.split():
    _take_references(getattr(operator, _name), 2, (types.Any,))
_take_references(operator.getitem, 2, _CONTAINERS)
_take_references(operator.setitem, 3, _CONTAINERS)
for _function in _OF_TWO:
    _take_references(_function, 2)
for _function in (*_UNARY, *_OF_ONE, *[getattr(math, name) for name in _REAL.split()]):
    _take_references(_function, 1)


@lower_cast(AtomicRefType, types.Any)
def _loaded(context: Any, builder: Builder, ref: NumbaType, kind: NumbaType, place: LLVMValue) -> LLVMValue:
    """Load where a number of any type is wanted."""
    return context.cast(builder, target_of(context, builder, ref, place).atom.load(), ref.dtype, kind)
