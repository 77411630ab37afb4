"""Describing a view to Numba: what its type is, and the block of numbers that a kernel reads of it.

It is done the first time that a view goes into a kernel, and kept with the view.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from mdview.base.texts import told
from mdview.base.values import replace
from mdview.errors import KernelError, MDViewError
from mdview.index.extents import static_extents
from mdview.numba import access, fills, forms
from mdview.numba.blocks import Block
from mdview.numba.dtypes import element_type
from mdview.numba.extension import Purpose, errors, typeof_impl
from mdview.numba.forms import Composed
from mdview.numba.viewtype import NO_DATA, ViewType
from mdview.views.base import ViewBase, describe_to_numba, parts_of, tell_apart_for_numba
from mdview.views.memory import TELL_APART


@typeof_impl.register(ViewBase)
def typeof_view(view: ViewBase, context: object) -> ViewType:
    """Type of a view that is an argument and has data; describes it once and keeps that with the view.

    A ValueError of a user's layout becomes a KernelError: Numba would take it for an argument without a type.
    """
    if getattr(context, "purpose", None) is Purpose.constant:
        raise KernelError(
            "a view is no constant of a kernel: a compiled kernel would outlive it; pass the view as an argument"
        )
    try:
        return _described(view)
    except ValueError as error:
        raise KernelError(f"this view cannot be described to a kernel: {error}") from error


def _described(view: ViewBase) -> ViewType:
    """Describe a view."""
    storage, origin, mapping, accessor = parts_of(view)
    if storage is None:
        raise KernelError(NO_DATA)
    dtype = element_type(storage)
    if not mapping.size:
        origin = 0  # where there is no element, it does not matter where they would begin
    if not 0 <= origin <= storage.length:
        raise KernelError(
            f"{told(mapping)} begins at element {origin} of {storage.length}: the layout contradicts itself"
        )
    form, values, first, tables = forms.describe(mapping, storage.length - origin)
    address = storage.address() + (origin + first) * storage.itemsize
    how, fields, held = access.describe(accessor, dtype)
    found = ViewType(dtype, static_extents(mapping.extents), form, how)
    if isinstance(form, Composed) and form.fill is not None:
        fill, words = fills.describe(found, accessor)
        found, values = ViewType(dtype, found.extents, replace(form, fill=fill), found.access), (*values, *words)
    block = Block.of(storage, (found.fingerprint, address, *values, *fields), (*tables, *held))
    describe_to_numba(view, block, found._code, found)
    return found


_classes: Final[dict[tuple[type, ViewType], type]] = {}
"""Classes of views that Numba takes for buffers, by the class that they had and their type in kernels."""


def _tell_apart(view: ViewBase, buffer: memoryview[Any]) -> None:
    """Give a view that Numba takes for a buffer a class of its type; Any: its items.

    Numba does not ask for the type of each buffer: it remembers one for all with the same class, format and rank.
    """
    with suppress(MDViewError, errors.NumbaError):  # it is an argument of no kernel
        kind = getattr(view, "_numba_kind", None) or _described(view)
        given = type(view)
        if getattr(given, "_kind_in_kernels", None) is kind:
            return
        base: Any = given.__base__ if "_kind_in_kernels" in vars(given) else given
        own = _classes.get((base, kind))
        if own is None:
            names = {"__slots__": (), "__module__": base.__module__, "__doc__": base.__doc__, "_kind_in_kernels": kind}
            own = _classes.setdefault((base, kind), type(base)(base.__name__, (base,), names, compiled=True))
        tell_apart_for_numba(view, own, None if buffer.readonly else buffer)


TELL_APART.append(_tell_apart)
