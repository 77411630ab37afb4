"""What an access does in a kernel: an accessor as plain data, a part of the Numba type of a view."""

from __future__ import annotations

from types import FunctionType
from typing import Any, NoReturn, cast, final

from mdview.accessors.base import Accessor, IndexRule, Wrapper, Writable
from mdview.accessors.compiled import Fields, described_fields, refusal, signature, widened
from mdview.accessors.elementwise import has_fields, is_frozen
from mdview.accessors.policies import Hint
from mdview.atomics.accessor import AtomicAccessor
from mdview.atomics.steps import Order
from mdview.base.texts import told
from mdview.base.values import value
from mdview.errors import KernelError
from mdview.numba.extension import NumbaType, errors

WAY_OUT = "pass a view without it, or derive it from ElementwiseAccessor, with a decode that Numba compiles"


@final
@value
class Methods:
    """The methods of an elementwise accessor in compiled code.

    ``kind`` is the type of its fields, of which the values are the last words of a view. Any: functions in Python.
    """

    kind: Fields
    decode: Any
    encode: Any


@final
@value
class Access:
    """Which indices are admitted, whether one may store, and what happens to an element.

    ``methods`` say what a load makes of an item and a store of a value, None where both are as they are. ``order`` is
    the memory order of atomic steps.
    """

    rule: IndexRule
    stores: bool = True
    atomic: bool = False
    methods: Methods | None = None
    order: Order = "seq_cst"

    @property
    def is_plain(self) -> bool:
        """Whether elements are the items as they are."""
        return self.methods is None

    @property
    def count(self) -> int:
        """Count the words of the fields."""
        return 0 if self.methods is None else self.methods.kind.size


Described = tuple[Access, list[int], list[object]]
"""An access, the words of the fields, and the arrays that these lead to."""


def describe(accessor: Accessor[Any, Any], dtype: NumbaType) -> Described:
    """Access of an elementwise accessor to items of some type. Any: of whatever elements.

    Raises
    ------
    KernelError
        It is not elementwise, its methods do not compile, or its fields may change while compiled code goes on with the
        old ones.
    """
    rule = cast("object", accessor.index_rule)
    if not isinstance(rule, IndexRule):
        _refuse(accessor, f"its index rule is {told(rule)}")
    inside, stores = _without_atomic(accessor), isinstance(accessor, Writable)
    order = _order_of_references(accessor)
    if inside.is_plain:
        return Access(rule, stores=stores, atomic=order is not None, order=order or "seq_cst"), [], []
    if order is not None:
        raise KernelError(
            f"atomic steps of a kernel are those of elements as they are, {type(accessor).__name__} does more; pass a "
            f"plain view"
        )
    methods, words, held = _methods(inside, stores=stores)
    try:
        signature(methods.decode, methods.kind, widened(dtype))
    except errors.NumbaError as error:
        raise KernelError(f"a kernel cannot compile {refusal(methods.decode, error)}; {WAY_OUT}") from error
    return Access(rule, stores=stores, methods=methods), words, held


def _methods(accessor: Accessor[Any, Any], *, stores: bool) -> tuple[Methods, list[int], list[object]]:
    if not accessor.is_elementwise:
        _refuse(accessor, "it is not elementwise")
    if not is_frozen(accessor):
        _refuse(accessor, f"the fields of {type(accessor).__name__} may change; make it a frozen data class")
    if not has_fields(type(accessor)):
        _refuse(accessor, "it looks up its attributes in a way of its own")
    names = ("decode", "encode") if stores else ("decode",)
    found = {name: getattr(getattr(accessor, name), "__func__", None) for name in names}
    for name, function in found.items():
        if type(function) is not FunctionType:
            _refuse(accessor, f"its {name} is no method in Python")
    kind, words, held = described_fields(accessor)
    return Methods(kind, found["decode"], found.get("encode")), words, held


def _refuse(accessor: Accessor[Any, Any], reason: str) -> NoReturn:
    raise KernelError(f"a kernel cannot compile {type(accessor).__name__}, as {reason}; {WAY_OUT}")


def _without_atomic(accessor: Accessor[Any, Any]) -> Accessor[Any, Any]:
    """Return the same without what gives references: what it reads are the values that these refer to."""
    if isinstance(accessor, AtomicAccessor):
        return _without_atomic(accessor.inner)
    if not isinstance(accessor, Wrapper):
        return accessor
    inner = _without_atomic(accessor.inner)
    return accessor if inner is accessor.inner else accessor.around(inner)


def _order_of_references(accessor: Accessor[Any, Any]) -> Order | None:
    """Return the memory order of what a load gives, None where it gives no reference."""
    while isinstance(accessor, Hint):
        accessor = accessor.inner
    return accessor.order if isinstance(accessor, AtomicAccessor) else None
