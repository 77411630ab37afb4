"""Brackets in a kernel: ``v[i, j]``, ``v[i, j] = x`` and parts of views, ``v[i]``, ``v[1:-1, ::2]``."""

from __future__ import annotations

import operator
from typing import Any

from mdview.accessors.base import IndexRule
from mdview.index.slices import ALL
from mdview.numba.atomic_steps import check_atomic, number_of
from mdview.numba.dtypes import check_taken
from mdview.numba.elements import element_type_of, store, stored_type_of
from mdview.numba.extension import (
    AbstractTemplate,
    Builder,
    LLVMValue,
    NumbaType,
    cgutils,
    errors,
    infer_global,
    lower_builtin,
    lower_constant,
    models,
    register_default,
    signature,
    typeof_impl,
    types,
)
from mdview.numba.padding import loaded, stored
from mdview.numba.subviews import ALL_TYPE, AllType, entries, is_element, is_pair, part_type, parts, select
from mdview.numba.view_values import Parts
from mdview.numba.viewtype import ViewType
from mdview.views.subviews import subview

register_default(AllType)(models.OpaqueModel)


@typeof_impl.register(type(ALL))
def _typeof_all(_: object, __: object) -> AllType:
    return ALL_TYPE


@lower_constant(AllType)
def _constant_all(context: Any, _: Builder, __: AllType, ___: object) -> LLVMValue:
    return context.get_dummy_value()


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):
    """Type of an element, or of a part."""

    def generic(self, args: tuple[NumbaType, ...], _: object) -> NumbaType:
        view, index = args
        if not isinstance(view, ViewType):
            return None
        kinds = entries(index)
        if is_element(view, kinds):
            return signature(element_type_of(view), view, index)
        if any(map(is_pair, kinds)):
            raise errors.TypingError("a pair in brackets is no slice; write v[b:e], or subview(v, (b, e), ...)")
        return signature(part_type(view, parts(view, kinds)), view, index)


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):
    """Type of a store: of one element."""

    def generic(self, args: tuple[NumbaType, ...], _: object) -> NumbaType:
        view, index, element = args
        if not isinstance(view, ViewType):
            return None
        if not view.access.stores:
            raise errors.TypingError("this view is read-only: its accessor has no store")
        if not is_element(view, entries(index)):
            raise errors.TypingError(
                f"a kernel stores one element at a time, at {view.ndim} integers; "
                f"write a loop, or use mdview.copy outside of the kernel"
            )
        if view.access.atomic:
            check_atomic(view.dtype)
        check_taken(self.context, view.dtype, stored_type_of(view, number_of(element)))
        return signature(types.void, view, index, element)


@infer_global(subview)
class _Subview(AbstractTemplate):
    """Type of a part, by the rules of `mdview.subview`."""

    def generic(self, args: tuple[NumbaType, ...], _: object) -> NumbaType:
        if not args or not isinstance(args[0], ViewType):
            return None
        view, *kinds = args
        if any(isinstance(kind, types.NoneType) for kind in kinds):
            raise errors.TypingError(
                "a slice of subview stands for a dimension, and None for none; write v[None] for a new axis"
            )
        if len(kinds) != view.ndim:
            raise errors.TypingError(f"subview needs one slice per dimension: rank {view.ndim}, got {len(kinds)}")
        return signature(part_type(view, parts(view, kinds)), *args)


@lower_builtin(operator.getitem, ViewType, types.Any)
def _get(context: Any, builder: Builder, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
    view, kinds, given = taken_apart(context, builder, sig, args)
    if not is_element(view.kind, kinds):
        rule = IndexRule.CHECK if view.kind.access.rule is IndexRule.TRUST else view.kind.access.rule
        return select(view, parts(view.kind, kinds), given, rule)
    return loaded(view, _index(view, kinds, given), sig.return_type)


@lower_builtin(operator.setitem, ViewType, types.Any, types.Any)
def _set(context: Any, builder: Builder, sig: Any, args: tuple[LLVMValue, ...]) -> None:
    view, kinds, given = taken_apart(context, builder, sig, args)
    store(view, element_place(view, kinds, given), sig.args[2], args[2])


@lower_builtin(subview, ViewType, types.VarArg(types.Any))
def _part(context: Any, builder: Builder, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
    view = Parts(context, builder, sig.args[0], args[0])
    return select(view, parts(view.kind, sig.args[1:]), args[1:], IndexRule.CHECK)


def taken_apart(
    context: Any, builder: Builder, sig: Any, args: tuple[LLVMValue, ...]
) -> tuple[Parts, tuple[NumbaType, ...], list[LLVMValue]]:
    """View, types and values of the entries of its index."""
    view = Parts(context, builder, sig.args[0], args[0])
    index, kinds = sig.args[1], entries(sig.args[1])
    is_tuple = isinstance(index, types.BaseTuple)
    found = cgutils.unpack_tuple(builder, args[1], len(index)) if is_tuple else [args[1]]
    rows = zip(found, index if is_tuple else [index], kinds, strict=True)
    return view, kinds, [context.cast(builder, entry, given, kind) for entry, given, kind in rows]


def element_place(view: Parts, kinds: tuple[NumbaType, ...], given: list[LLVMValue]) -> LLVMValue:
    """Address of the element at an index that the accessor's rule has admitted, to be stored to."""
    return stored(view, _index(view, kinds, given))


def _index(view: Parts, kinds: tuple[NumbaType, ...], given: list[LLVMValue]) -> list[LLVMValue]:
    """Index after the tests of the accessor's rule."""
    pairs = enumerate(zip(kinds, given, strict=True))
    return [view.checked(r, kind, entry, view.kind.access.rule) for r, (kind, entry) in pairs]
