"""What an access does in a kernel: an accessor as plain data, a part of the Numba type of a view."""

from __future__ import annotations

from typing import Any, cast, final

from mdview.accessors.atomic import AtomicAccessor
from mdview.accessors.base import Accessor, IndexRule, Wrapper, Writable
from mdview.accessors.fields import is_frozen
from mdview.accessors.formulas import IDENTITY, Formula
from mdview.accessors.hints import Hint
from mdview.accessors.processor import Order
from mdview.accessors.tracing import traced
from mdview.base.texts import told
from mdview.base.values import value
from mdview.errors import KernelError

WAY_OUT = "pass a view without it, or let its methods be arithmetic on data[offset] and on numbers in its fields"


@final
@value
class Access:
    """Which indices are admitted, whether one may store, and what happens to an element.

    ``reads`` is what a load makes of an item, ``writes`` what a store makes of a value. Where that is no formula,
    ``refusal`` says why. ``order`` is the memory order of atomic steps.
    """

    rule: IndexRule
    stores: bool = True
    atomic: bool = False
    reads: Formula = IDENTITY
    writes: Formula = IDENTITY
    refusal: str = ""
    order: Order = "seq_cst"

    @property
    def is_plain(self) -> bool:
        """Whether elements are the items as they are."""
        return self.reads.is_identity and self.writes.is_identity and not self.refusal


def describe(accessor: Accessor[Any, Any]) -> Access:
    """Access of an accessor that does arithmetic alone. Any: of whatever elements.

    Raises
    ------
    KernelError
        It does more, or its numbers may change while compiled code goes on with the old ones.
    """
    name, rule = type(accessor).__name__, cast("object", accessor.index_rule)
    inside = _without_atomic(accessor)
    reads = traced(inside, "read")
    if not isinstance(reads, Formula) or not isinstance(rule, IndexRule):
        reason = reads if isinstance(reads, str) else f"its index rule is {told(rule)}"
        message = f"a kernel cannot compile {name}, as {reason}; {WAY_OUT}"
        raise KernelError(message)
    if not is_frozen(inside):
        message = f"a kernel is compiled for the numbers in {name}, which may change; make it a frozen data class"
        raise KernelError(message)
    if not isinstance(accessor, Writable):
        return Access(rule, stores=False, reads=reads)
    writes, order = traced(inside, "store"), _order_of_references(accessor)
    if not isinstance(writes, Formula):
        return Access(rule, reads=reads, refusal=writes)
    if order is not None and not (reads.is_identity and writes.is_identity):
        message = (
            f"atomic steps of a kernel are those of elements as they are, {name} does arithmetic; pass a plain view"
        )
        raise KernelError(message)
    return Access(rule, atomic=order is not None, reads=reads, writes=writes, order=order or "seq_cst")


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
