"""Policies of a view: the same data and mapping under another accessor.

`readonly` and `atomic` wrap the accessor that is there; `checked` and `unchecked` exchange the index rule at its core.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mdview.accessors.atomic import AtomicAccessor
from mdview.accessors.base import Accessor, Wrapper, Writable
from mdview.accessors.checked import CheckedAccessor
from mdview.accessors.default import DefaultAccessor
from mdview.accessors.readonly import ReadOnlyAccessor
from mdview.accessors.unchecked import UncheckedAccessor
from mdview.errors import AccessorError, ReadOnlyError

AnyAccessor = Accessor[Any, Any]


def readonly_accessor(accessor: AnyAccessor) -> ReadOnlyAccessor[Any]:
    """``accessor`` without its store. Any, here and below: a policy does not depend on the element type."""
    return accessor if isinstance(accessor, ReadOnlyAccessor) else ReadOnlyAccessor(accessor)


def atomic_accessor(accessor: AnyAccessor) -> AtomicAccessor[Any]:
    """Atomic access to what ``accessor`` reads and stores."""
    if isinstance(accessor, AtomicAccessor):
        return accessor
    if not isinstance(accessor, Writable):
        message = f"atomic operations store, {accessor!r} does not"
        raise ReadOnlyError(message)
    return AtomicAccessor(accessor)


def with_index_rule(accessor: AnyAccessor, core: AnyAccessor) -> AnyAccessor:
    """``accessor`` with the plain accessor at its core replaced by ``core``."""
    if isinstance(accessor, DefaultAccessor | CheckedAccessor | UncheckedAccessor):
        return core
    if isinstance(accessor, Wrapper):
        changed: AnyAccessor = replace(accessor, inner=with_index_rule(accessor.inner, core))  # type: ignore[type-var, call-arg]
        return changed
    message = f"{accessor!r} chooses its index rule itself; give it an index_rule of its own"
    raise AccessorError(message)
