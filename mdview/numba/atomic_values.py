"""References as values: a reference in arithmetic is the number that it refers to, loaded in one atomic step.

Operators, comparisons, and functions of numbers give what they give for elements. An operator in place (``ref += x``)
changes the element and is not among them, but ``x += ref`` is.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from itertools import product
from typing import Any, Final

from mdview.numba.atomic_steps import AtomicRefType, target_of
from mdview.numba.extension import (
    AbstractTemplate,
    Builder,
    LLVMValue,
    NumbaType,
    infer_global,
    lower_builtin,
    lower_cast,
    signature,
    types,
)

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
    return context.cast(builder, target_of(context, builder, ref, place).load(), ref.dtype, kind)
