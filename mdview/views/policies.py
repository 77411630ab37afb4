"""A policy gives the same data and mapping another accessor.

`readonly` and `atomic` wrap the accessor that is there; `checked` and `unchecked` exchange the index rule at its core.
"""

# Overloads go from the narrow source to the wide one, so they overlap by design.
# mypy: disable-error-code="overload-overlap"

from __future__ import annotations

from typing import Any, TypeVar, overload

from mdview.accessors.base import Accessor, Wrapper, Writable
from mdview.accessors.policies import CheckedAccessor, DefaultAccessor, ReadOnlyAccessor, UncheckedAccessor
from mdview.atomics.accessor import AtomicAccessor
from mdview.atomics.cas_loop import Order
from mdview.base.texts import told
from mdview.errors import AccessorError, ReadOnlyError
from mdview.layouts.base import Layout
from mdview.views.base import check_view, parts_of
from mdview.views.derive import derived
from mdview.views.view import MDView

T = TypeVar("T")
W = TypeVar("W")
R = TypeVar("R")
E = TypeVar("E", bound="tuple[int, ...]")
L = TypeVar("L", bound=Layout)
# Any, in what follows: a policy does not depend on the element type.
AnyAccessor = Accessor[Any, Any]


@overload
def readonly(v: MDView[T, E, L, AtomicAccessor[W]], /) -> MDView[T, E, L, ReadOnlyAccessor[W]]: ...
@overload
def readonly(v: MDView[T, E, L, Accessor[W, R]], /) -> MDView[T, E, L, ReadOnlyAccessor[W, R]]: ...
def readonly(v: MDView[Any, Any, Any, Any], /) -> MDView[Any, Any, Any, Any]:
    """Return the same view without stores."""
    check_view(v, "what becomes read-only")
    return derived(v, v.mapping, 0, readonly_accessor(v.accessor))


def atomic(
    v: MDView[T, E, L, Writable[W, object]], /, *, process_local: bool = False, order: Order | None = None
) -> MDView[T, E, L, AtomicAccessor[W]]:
    """Return the same view with atomic access to its elements: by all threads and, with the extra, processes.

    Parameters
    ----------
    process_local
        Take memory that other processes may reach, too, where they are not held off, see `AtomicAccessor`.
    order
        Memory order of the steps, as `AtomicAccessor` has it; that of the view where it is atomic, else ``"seq_cst"``.

    Raises
    ------
    ReadOnlyError
        The view does not store.
    AccessorError
        Other processes may reach the data, are not held off, and ``process_local`` is not set; the items are
        misaligned; or there is no such order.
    """
    check_view(v, "what becomes atomic")
    accessor, storage = _atomic(v.accessor, process_local, order), parts_of(v).storage
    if storage is not None:
        accessor.check_memory(storage)
    return derived(v, v.mapping, 0, accessor)


@overload
def checked(v: MDView[T, E, L, ReadOnlyAccessor[W, R]], /) -> MDView[T, E, L, ReadOnlyAccessor[W, R]]: ...
@overload
def checked(v: MDView[T, E, L, Writable[W, W]], /) -> MDView[T, E, L, CheckedAccessor[W]]: ...
def checked(v: MDView[Any, Any, Any, Any], /) -> MDView[Any, Any, Any, Any]:
    """Return the same view, checked; a read-only view stays read-only."""
    check_view(v, "what is checked")
    return derived(v, v.mapping, 0, _with_core(v.accessor, CheckedAccessor()))


@overload
def unchecked(v: MDView[T, E, L, ReadOnlyAccessor[W, R]], /) -> MDView[T, E, L, ReadOnlyAccessor[W, R]]: ...
@overload
def unchecked(v: MDView[T, E, L, Writable[W, W]], /) -> MDView[T, E, L, UncheckedAccessor[W]]: ...
def unchecked(v: MDView[Any, Any, Any, Any], /) -> MDView[Any, Any, Any, Any]:
    """Return the same view, unchecked; a read-only view stays read-only."""
    check_view(v, "what is unchecked")
    return derived(v, v.mapping, 0, _with_core(v.accessor, UncheckedAccessor()))


def readonly_accessor(accessor: AnyAccessor) -> ReadOnlyAccessor[Any]:
    """Return ``accessor`` without its store. Any, here and below: a policy does not depend on the element type."""
    return accessor if isinstance(accessor, ReadOnlyAccessor) else ReadOnlyAccessor(accessor)


def _atomic(accessor: AnyAccessor, process_local: bool, order: Order | None) -> AtomicAccessor[Any]:  # noqa: FBT001 - as given
    """Return atomic access to what ``accessor`` reads and stores; what it has been told before stays."""
    if isinstance(accessor, AtomicAccessor):
        again = AtomicAccessor(accessor.inner, process_local, accessor.order if order is None else order)
        return again if again.process_local else AtomicAccessor(accessor.inner, accessor.process_local, again.order)
    if not isinstance(accessor, Writable):
        raise ReadOnlyError(f"atomic operations store, {told(accessor)} does not")
    return AtomicAccessor(accessor, process_local, "seq_cst" if order is None else order)


def _with_core(accessor: AnyAccessor, core: AnyAccessor) -> AnyAccessor:
    """Return ``accessor`` with ``core`` in the place of the plain accessor that it wraps."""
    if isinstance(accessor, DefaultAccessor | CheckedAccessor | UncheckedAccessor):
        return core
    if isinstance(accessor, Wrapper):
        return accessor.around(_with_core(accessor.inner, core))
    raise AccessorError(f"{told(accessor)} chooses its index rule itself; give it an index_rule of its own")
