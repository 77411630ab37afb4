"""The C++ type of a view or a mapping, as text; and views and mappings of such a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, SupportsIndex, TypeAlias, cast

from mdview.accessors.base import Accessor, Plain, Writable
from mdview.accessors.policies import AlignedAccessor, DefaultAccessor, ReadOnlyAccessor, RestrictAccessor
from mdview.base.arguments import refuse
from mdview.base.integers import Dim, as_integer, dim
from mdview.base.texts import counted, shown, told
from mdview.errors import BufferSizeError, CppTypeError, NullViewError, RankError, StrideError
from mdview.index.extents import as_extents, static_extents
from mdview.index.orders import right_strides
from mdview.interop.cpp.parsing import parse
from mdview.interop.cpp.type_values import (
    ALIGNED,
    DEFAULT,
    DENSE,
    PADDED,
    RELAXED,
    RESTRICT,
    CppType,
    element_text,
    format_of,
    is_read_as,
    limits_of,
)
from mdview.layouts.base import Layout
from mdview.layouts.stride import LayoutStride, LayoutStrideRelaxed
from mdview.layouts.strided import LayoutLeft, LayoutLeftPadded, LayoutRight, LayoutRightPadded, StridedLayout
from mdview.mappings.mapping import Mapping
from mdview.memory.dtypes import kind_of, known_format
from mdview.memory.storage import Storage
from mdview.views.base import parts_of
from mdview.views.parts import AnyAccessor, AnyMapping
from mdview.views.view import MDView

AnyView: TypeAlias = MDView[Any, Any, Any, Any]
"""Any: views of all elements, extents, layouts and accessors."""

NAMESPACES: Final = ("std", "cuda::std", "Kokkos")


def cpp_type(source: AnyView | AnyMapping, *, index: str = "std::int64_t", namespace: str | None = None) -> str:
    """Return the C++ type of a view, or of a mapping, as text.

    Static extents and static padding are in the type, elements of read-only views are const. Layouts and accessors that
    only CCCL has are in ``cuda::std`` unless ``namespace`` says otherwise; all else is in ``std``.

    >>> from mdview import LayoutLeft, MDView, dim
    >>> cpp_type(MDView(bytearray(24), (dim(3), 8), LayoutLeft()), index="int")
    'std::mdspan<std::uint8_t, std::extents<int, 3, std::dynamic_extent>, std::layout_left>'

    Raises
    ------
    CppTypeError
        No type of C++ says what this layout or accessor does; the message names the way out.
    BufferFormatError, NullViewError
        The elements are no C++ numbers, or there is no data.
    """
    return str(type_of(source, index=index, namespace=namespace))


def type_of(source: object, *, index: object = "std::int64_t", namespace: str | None = None) -> CppType:
    """Return the C++ type of a view or a mapping as a value; raises as `cpp_type`."""
    if namespace is not None and namespace not in NAMESPACES:
        refuse("namespace", f"one of {', '.join(map(repr, NAMESPACES))}, or None", namespace)
    if not isinstance(index, str):
        refuse("index", "the text of an integer type, 'int'", index)
    limits_of(index)
    index = " ".join(index.split())
    if isinstance(source, Mapping):
        layout, padding = _layout_of(source)
        return _placed(CppType("", "", False, index, _static(source, index), layout, padding), namespace)  # noqa: FBT003
    if not isinstance(source, MDView):
        refuse("source", "a view or a Mapping", source)
    parts = parts_of(source)
    if parts.storage is None:
        raise NullViewError(
            "the null view has no elements and no C++ type; ask for that of its mapping: cpp_type(view.mapping)"
        )
    layout, padding = _layout_of(parts.mapping)
    element = element_text(parts.storage.format, parts.storage.itemsize)
    accessor, alignment = _accessor_of(parts.accessor)
    is_const = parts.storage.readonly or not isinstance(parts.accessor, Writable)
    extents = _static(parts.mapping, index)
    found = CppType("", element, is_const, index, extents, layout, padding, accessor, alignment)
    return _placed(found, namespace)


def _static(mapping: AnyMapping, index: str) -> tuple[int | None, ...]:
    """Return the static extents, which the index type can hold."""
    most = limits_of(index)[1]
    for r, extent in enumerate(mapping.extents):
        if extent > most:
            raise CppTypeError(
                f"extent {extent} of dimension {r} is greater than {index} holds, {most}; choose a wider index="
            )
    if mapping.is_strided and mapping.required_span_size > most:
        span = mapping.required_span_size
        raise CppTypeError(f"the span of {span} elements is more than {index} holds, {most}; choose a wider index=")
    return static_extents(mapping.extents)


def _placed(found: CppType, namespace: str | None) -> CppType:
    """Return the type in its namespace."""
    cuda = [name for name in (found.layout, found.accessor) if name in {RELAXED, RESTRICT}]
    name = namespace or ("cuda::std" if cuda else "std")
    if cuda and name != "cuda::std":
        way = "flip, copy or relayout the view so that its strides are positive and unique, " if RELAXED in cuda else ""
        raise CppTypeError(
            f"{name} has no {cuda[0]}; {way}or take namespace='cuda::std', where CCCL has cuda::{cuda[0]}"
        )
    if (found.is_padded and name == "cuda::std") or (found.accessor == ALIGNED and name == "Kokkos"):
        missing = found.layout if found.is_padded else ALIGNED
        raise CppTypeError(
            f"{name} has no {missing}; take namespace='std', or layout_stride: relayout the view as LayoutStride"
        )
    parts = found.element, found.is_const, found.index, found.extents, found.layout, found.padding
    element = found.element.replace("std::complex", "cuda::std::complex") if name == "cuda::std" else found.element
    return CppType(name, element, *parts[1:], found.accessor, found.alignment)


def _layout_of(mapping: AnyMapping) -> tuple[str, int | None]:
    """Return name and static padding of the C++ layout of a mapping."""
    layout: Layout = mapping.layout
    rule = layout.stride_rule()
    if rule is None:
        if not (layout.is_total() and mapping.is_strided):
            raise CppTypeError(
                f"C++ has no layout type for {told(layout)}: print its arithmetic with mapping.to_c(names), "
                "or copy the elements: relayout(view, LayoutRight())"
            )
        return _layout_of(mapping.as_strided())
    if rule.order is not None:
        if not rule.is_padded:
            return DENSE[rule.order], None
        return PADDED[rule.order], int(rule.padding) if type(rule.padding) is Dim else None
    is_stride = layout.is_always_unique(static_extents(mapping.extents)) and layout.is_monotone() and not mapping.origin
    return ("layout_stride" if is_stride else RELAXED), None


def _accessor_of(accessor: AnyAccessor) -> tuple[str, int]:
    """Return name and alignment of the C++ accessor; index rules and ``const`` are no part of it."""
    inner = accessor.inner if isinstance(accessor, ReadOnlyAccessor) else accessor
    if isinstance(inner, Plain):
        return DEFAULT, 0
    if isinstance(inner, AlignedAccessor | RestrictAccessor) and isinstance(inner.inner, Plain):
        return (ALIGNED, inner.alignment) if isinstance(inner, AlignedAccessor) else (RESTRICT, 0)
    raise CppTypeError(
        f"C++ has no accessor type for {told(accessor)}; hand over the elements as they are in memory, "
        "with a DefaultAccessor, or a copy of their values: relayout(view, LayoutRight())"
    )


def element_format(text: str) -> str:
    """Return the item format of the elements of a C++ type, in the notation of `struct`: ``"f"`` for float.

    >>> element_format("std::mdspan<const float, std::dims<2>>")
    'f'

    Raises
    ------
    CppTypeError
        The text is no type of a view, or its elements are nothing that Python reads.
    """
    found = parse(text).type
    if not found.element:
        refuse("text", "the type of a view: a mapping has no elements", text)
    return format_of(found.element)


def mapping_from_cpp(
    text: str, *extents: SupportsIndex, strides: Sequence[SupportsIndex] | None = None, offset: SupportsIndex = 0
) -> Mapping[tuple[int, ...], StridedLayout]:
    """Return the mapping of a C++ type ``mdspan<...>`` or ``layout::mapping<...>``.

    ``extents`` are the dynamic ones, or all of them. Without any the mapping is as C++ makes it by default: dynamic
    extents are 0, strides those of C order. ``strides`` are those of a strided or padded layout, ``offset`` that of a
    relaxed one.

    >>> mapping_from_cpp("std::mdspan<float, std::extents<int, 3, std::dynamic_extent>, std::layout_left>", 5)
    Mapping((dim(3), 5), LayoutLeft())

    Raises
    ------
    CppTypeError
        The text is no such type; the message tells the position and the rule.
    RankError, ExtentsError, StrideError
        There are too many or too few numbers, or they do not fit the type.
    """
    found = parse(text).type
    given = as_extents(extents)
    whole = whole_extents(found, given)
    if strides is None and found.layout in {"layout_stride", RELAXED}:
        if given and found.rank:
            raise StrideError(
                f"{found.layout} does not tell its strides; say them: strides=({', '.join('…' for _ in whole)},)"
            )
        strides = [max(1, s) for s in right_strides(whole)]
    steps = None if strides is None else [as_integer(s, "a stride") for s in strides]
    return mapping_of(found, whole, steps, as_integer(offset, "an offset"))


def whole_extents(found: CppType, given: Sequence[int]) -> tuple[int, ...]:
    """Return all extents of a type, the dynamic ones of which are given, or all; static ones are `Dim`.

    Raises
    ------
    RankError, ExtentsError
        Their number is neither, or one is not the static extent that the type has.
    """
    dynamic = found.extents.count(None)
    if len(given) == found.rank:
        for r, (e, static) in enumerate(zip(given, found.extents, strict=True)):
            if static is not None and e != static:
                raise CppTypeError(f"extent {shown(e)} of dimension {r} is not the static extent {static} of {found}")
        values = [e for e, static in zip(given, found.extents, strict=True) if static is None]
    elif len(given) in {0, dynamic}:
        values = list(given) or [0] * dynamic
    else:
        raise RankError(
            f"{found} has {counted(dynamic, 'dynamic extent')} of {counted(found.rank, 'dimension')}, "
            f"{counted(len(given), 'extent')} given"
        )
    rest, most = iter(values), limits_of(found.index)[1]
    for extent in values:
        if extent > most:
            raise CppTypeError(f"extent {shown(extent)} is greater than {found.index} can hold, {most}")
    return tuple([int(next(rest)) if static is None else dim(static) for static in found.extents])


def mapping_of(
    found: CppType, extents: tuple[int, ...], strides: Sequence[int] | None, offset: int
) -> Mapping[tuple[int, ...], StridedLayout]:
    """Return the mapping of a type with these values.

    Raises
    ------
    CppTypeError, RankError, StrideError
        The index type holds no such numbers; the strides are too many, too few, or not those of the layout.
    """
    if strides is not None and len(strides) != found.rank:
        raise RankError(f"{found} has {counted(found.rank, 'dimension')}, {counted(len(strides), 'stride')} given")
    if offset and found.layout != RELAXED:
        raise StrideError(f"offset {shown(offset)} is given, and {found.layout} has none; {RELAXED} has")
    mapping = Mapping(extents, layout_of(found, strides, offset))
    most = limits_of(found.index)[1]
    for what, value in (("stride", max(mapping.strides, default=0)), ("span", mapping.required_span_size)):
        if value > most and mapping.size:
            raise CppTypeError(
                f"the {what} {value} over extents {shown(extents)} is greater than {found.index} can hold, {most}"
            )
    if strides is not None and not agree(extents, mapping.strides, strides):
        raise StrideError(f"strides {shown(tuple(strides))} are not those of {found.layout}, {shown(mapping.strides)}")
    return mapping


def agree(extents: Sequence[int], own: Sequence[int], given: Sequence[int]) -> bool:
    """Tell whether strides are equal where they count: where there is more than one index, and none of no indices."""
    return 0 in extents or all(s == t or e == 1 for e, s, t in zip(extents, own, given, strict=True))


def layout_of(found: CppType, strides: Sequence[int] | None, offset: int = 0) -> StridedLayout:
    """Return the layout of a type, with these strides where it has any of its own."""
    if found.layout == "layout_stride":
        return LayoutStride(strides or ())
    if found.layout == RELAXED:
        return LayoutStrideRelaxed(strides or (), offset)
    if not found.is_padded:
        return LayoutRight() if found.order == "right" else LayoutLeft()
    padding: int | None = None if found.padding is None else dim(found.padding)
    if padding is None and strides is not None and found.rank > 1:
        padding = max(1, strides[-2 if found.order == "right" else 1])
    return LayoutRightPadded(padding) if found.order == "right" else LayoutLeftPadded(padding)


def view_from_cpp(
    text: str,
    data: object,
    *extents: SupportsIndex,
    strides: Sequence[SupportsIndex] | None = None,
    offset: SupportsIndex = 0,
) -> AnyView:
    """Return the view of ``data`` that a C++ type describes; numbers are as in `mapping_from_cpp`.

    Plain bytes are read as elements of the type; any other items must be of that type already.

    >>> view_from_cpp("std::mdspan<const float, std::dims<2>>", bytes(24), 2, 3).shape
    (2, 3)

    Raises
    ------
    CppTypeError, BufferSizeError
        The text is no type of a view, or ``data`` holds other elements, or not enough of them.
    """
    item_format = element_format(text)
    found, mapping = parse(text).type, mapping_from_cpp(text, *extents, strides=strides, offset=offset)
    storage = Storage(data)
    if not is_read_as(kind_of(storage.format, storage.itemsize), found.element):
        if storage.format not in {"B", "b", "c"}:
            raise CppTypeError(f"the data has items of format {told(storage.format)}, {found} has {found.element}")
        count, size = storage.length, known_format(item_format)[1]
        if count % size:
            raise BufferSizeError(f"the data has {count} bytes, no whole number of {found.element}, which has {size}")
        storage = Storage(data, item_format)
    # Any: what a storage holds
    return MDView.from_mapping(cast("Any", storage), mapping, accessor_of(found, readonly=storage.readonly))


def accessor_of(found: CppType, *, readonly: bool) -> Accessor[Any, Any]:
    """Return the accessor of a C++ type. Any: elements of any type."""
    accessor: Writable[Any, Any] = DefaultAccessor()
    if found.accessor == ALIGNED:
        accessor = AlignedAccessor(found.alignment)
    elif found.accessor == RESTRICT:
        accessor = RestrictAccessor()
    return ReadOnlyAccessor(accessor) if found.is_const or readonly else accessor
