"""Conversion of views and mappings to C++ types and numbers, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, SupportsIndex, TypeAlias, cast

from mdview.accessors.accessor import Accessor, Plain, Writable
from mdview.accessors.policies import AlignedAccessor, DefaultAccessor, ReadOnlyAccessor, RestrictAccessor
from mdview.algebra.nested_forms import cute_type
from mdview.base import Dim, answer_calls, as_integer, as_text, brief, dim, nests, plural, refuse, replace
from mdview.errors import BufferFormatError, BufferSizeError, CppTypeError, NullViewError, RankError, StrideError
from mdview.index.extents import agree, as_extents, right_strides, static_extents
from mdview.interop.cpp import cpp_types
from mdview.interop.cpp.cpp_types import RELAXED, STRIDE, CppType
from mdview.layouts.explicit_strides import LayoutStride, LayoutStrideRelaxed
from mdview.layouts.strided_layout import LayoutLeft, LayoutLeftPadded, LayoutRight, LayoutRightPadded, StridedLayout
from mdview.mappings.mapping import Mapping
from mdview.memory.item_formats import LETTERS, known_format, type_code
from mdview.memory.storage import Storage
from mdview.views.derived_views import AnyView
from mdview.views.view import MDView
from mdview.views.view_base import parts_of
from mdview.views.view_parts import AnyAccessor, AnyMapping

StridedMapping: TypeAlias = Mapping[tuple[int, ...], StridedLayout]

CUTE: Final = "cute"
"""The namespace of CuTe, whose layouts are nested, with all numbers in the type."""
NAMESPACES: Final = ("std", "cuda::std", "Kokkos")
_MISSING: Final[dict[str, set[str]]] = {
    "std": {RELAXED, cpp_types.RESTRICT},
    "cuda::std": {name for name in cpp_types.LAYOUTS if name.endswith("_padded")},
    "Kokkos": {RELAXED, cpp_types.RESTRICT, cpp_types.ALIGNED},
}
"""The layouts and accessors that a namespace does not have."""


def element_text(item_format: str, itemsize: int) -> str:
    """Return the C++ type of items of a format as text.

    Raises
    ------
    BufferFormatError
        The items are Python objects, records, or in a foreign byte order.
    """
    kind = type_code(item_format, itemsize)
    if kind not in cpp_types.NUMBERS:
        what = "are Python objects" if item_format == "O" else f"have the format {brief(item_format)}"
        raise BufferFormatError(
            f"elements that {what} are no C++ numbers; hold numbers of this machine's byte order, as array('d') does, "
            "or copy them there: relayout(view, LayoutRight(), 'd')"
        )
    return cpp_types.NUMBERS[kind]


def format_of_type(spelt: str) -> str:
    """Return the item format of a C++ type.

    Raises
    ------
    CppTypeError
        The type has no item format in Python.
    """
    kind = cpp_types.element_kind(spelt)
    if kind is None:
        raise CppTypeError(
            f"the element type {brief(spelt)} is no number that Python reads; write one as "
            f"{', '.join(cpp_types.NUMBERS.values())}"
        )
    return LETTERS[kind]


@answer_calls
def cpp_type(source: AnyView | AnyMapping, *, index: str = "std::int64_t", namespace: str | None = None) -> str:
    """Return the C++ type of a view, or of a mapping, as text.

    Static extents and static padding are in the type, and the elements of read-only views are const. The default
    namespace is ``cuda::std`` for layouts and accessors that only CCCL has, and ``std`` for all others. With
    ``namespace="cute"``, the type is that of a nested layout in CuTe, perhaps swizzled; it contains only extents and
    strides.

    >>> from mdview import LayoutLeft, MDView, dim
    >>> cpp_type(MDView(bytearray(24), (dim(3), 8), LayoutLeft()), index="int")
    'std::mdspan<std::uint8_t, std::extents<int, 3, std::dynamic_extent>, std::layout_left>'

    Raises
    ------
    CppTypeError
        There is no C++ type for the layout or the accessor; the message names an alternative.
    BufferFormatError, NullViewError
        The elements are not C++ numbers, or there is no data.
    """
    if namespace == CUTE:
        return cute_type(cast("Any", source))
    return str(cpp_type_of(source, index=index, namespace=namespace))


def cpp_type_of(source: object, *, index: object = "std::int64_t", namespace: str | None = None) -> CppType:
    """Return the C++ type of a view or a mapping as a value; the errors are those of `cpp_type`."""
    if namespace is not None and namespace not in NAMESPACES:
        refuse("namespace", f"one of {', '.join(map(repr, NAMESPACES))}, or None", namespace)
    if not isinstance(index, str):
        refuse("index", "the text of an integer type, 'int'", index)
    cpp_types.limits_of(index)
    index = " ".join(index.split())
    if not isinstance(source, Mapping | MDView):
        refuse("source", "a view or a Mapping", source)
    mapping = source if isinstance(source, Mapping) else source.mapping
    layout, padding = _layout_of(mapping)
    mdspan = CppType("", "", False, index, static_extents(mapping.extents), layout, padding)  # noqa: FBT003 - a field
    check_held(mdspan, mapping.extents, (), mapping.required_span_size)
    if isinstance(source, MDView):
        storage, _, _, accessor = parts_of(source)
        if storage is None:
            raise NullViewError(
                "the null view has no elements and no C++ type; ask for that of its mapping: cpp_type(view.mapping)"
            )
        element = element_text(storage.format, storage.itemsize)
        name, alignment = _accessor_of(accessor)
        is_const = storage.readonly or not isinstance(accessor, Writable)
        mdspan = replace(mdspan, element=element, is_const=is_const, accessor=name, alignment=alignment)
    return _placed(mdspan, namespace)


def _placed(mdspan: CppType, namespace: str | None) -> CppType:
    """Return a type in a namespace, by default in a namespace that defines its layout and accessor."""
    names = {mdspan.layout, mdspan.accessor}
    name = namespace or ("cuda::std" if names & {RELAXED, cpp_types.RESTRICT} else "std")
    for missing in sorted(names & _MISSING[name]):
        way = next(other for other in NAMESPACES if missing not in _MISSING[other])
        raise CppTypeError(
            f"{name} has no {missing}; take namespace={way!r}, or copy the view: relayout(view, LayoutRight())"
        )
    element = mdspan.element.replace("std::complex", "cuda::std::complex") if name == "cuda::std" else mdspan.element
    return replace(mdspan, namespace=name, element=element)


def _layout_of(mapping: AnyMapping) -> tuple[str, int | None]:
    """Return the name of the C++ layout of a mapping, and its static padding or None."""
    layout = mapping.layout
    rule = layout.stride_rule()
    if rule is None:
        if not (layout.is_total() and mapping.is_strided):
            raise CppTypeError(
                f"C++ has no layout type for {brief(layout)}: print its arithmetic with mapping.to_c(names), "
                "or copy the elements: relayout(view, LayoutRight())"
            )
        return _layout_of(mapping.as_strided())
    if rule.order is not None:
        padding = int(rule.padding) if type(rule.padding) is Dim else None
        return f"layout_{rule.order}{'_padded' * rule.is_padded}", padding
    is_stride = layout.is_always_unique(static_extents(mapping.extents)) and layout.is_monotone() and not mapping.origin
    return (STRIDE if is_stride else RELAXED), None


def _accessor_of(accessor: AnyAccessor) -> tuple[str, int]:
    """Return the name of the C++ accessor, and its alignment or 0; index rules and ``const`` are ignored."""
    inner = accessor.inner if isinstance(accessor, ReadOnlyAccessor) else accessor
    if isinstance(inner, Plain):
        return cpp_types.DEFAULT, 0
    if isinstance(inner, AlignedAccessor | RestrictAccessor) and isinstance(inner.inner, Plain):
        return (cpp_types.ALIGNED, inner.alignment) if isinstance(inner, AlignedAccessor) else (cpp_types.RESTRICT, 0)
    raise CppTypeError(
        f"C++ has no accessor type for {brief(accessor)}; hand over the elements as they are in memory, "
        "with a DefaultAccessor, or a copy of their values: relayout(view, LayoutRight())"
    )


def accessor_of(mdspan: CppType, *, readonly: bool) -> Accessor[Any, Any]:
    """Return the accessor of a C++ type, whose elements may have any type."""
    accessor: Writable[Any, Any] = DefaultAccessor()
    if mdspan.accessor == cpp_types.ALIGNED:
        accessor = AlignedAccessor(mdspan.alignment)
    elif mdspan.accessor == cpp_types.RESTRICT:
        accessor = RestrictAccessor()
    return ReadOnlyAccessor(accessor) if mdspan.is_const or readonly else accessor


def mapping_of_type(
    mdspan: CppType, extents: Sequence[int], strides: Sequence[int] | None, offset: int = 0
) -> StridedMapping:
    """Return the mapping of a C++ type with these extents, strides and offset; by default strides follow from extents.

    Raises
    ------
    CppTypeError
        An extent differs from the static extent of the type, or the index type cannot hold a number.
    StrideError
        The layout of the type cannot have the strides or the offset.
    """
    for r, (extent, static) in enumerate(zip(extents, mdspan.extents, strict=True)):
        if static is not None and extent != static:
            raise CppTypeError(
                f"extent {as_text(extent)} of dimension {r} is not the static extent {static} of {mdspan}"
            )
    if offset and mdspan.layout != RELAXED:
        raise StrideError(f"offset {as_text(offset)} is given, and {mdspan.layout} has none; {RELAXED} has")
    whole = tuple([int(e) if s is None else dim(s) for e, s in zip(extents, mdspan.extents, strict=True)])
    mapping = Mapping(whole, _layout(mdspan, extents, strides, offset))
    check_held(mdspan, extents, mapping.strides, mapping.required_span_size)
    if strides is not None and 0 not in extents and not agree(extents, mapping.strides, strides):
        raise StrideError(
            f"strides {as_text(tuple(strides))} over extents {as_text(tuple(extents))} are not those of {mdspan}, "
            f"{as_text(mapping.strides)}"
        )
    return mapping


def check_held(mdspan: CppType, extents: Sequence[int], strides: Sequence[int], span: int) -> None:
    """Check that extents, strides and span fit the index type of a C++ type.

    Raises
    ------
    CppTypeError
        A number does not fit.
    """
    limits = signed = cpp_types.limits_of(mdspan.index)
    if mdspan.layout == RELAXED:  # strides and offset are signed for any index type
        half = (limits[1] - limits[0] + 1) // 2
        signed = -half, half - 1
    for what, value, (least, most) in (
        *[(f"extent {as_text(e)} of dimension {r}", e, limits) for r, e in enumerate(extents)],
        *[(f"stride {as_text(s)} of dimension {r}", s, signed) for r, s in enumerate(strides)],
        (f"the span of {as_text(span)} elements", span, signed),
    ):
        if not least <= value <= most:
            raise CppTypeError(
                f"{what} is not from {least} to {most}, as the index type {mdspan.index} has it; choose a wider one"
            )


def _layout(mdspan: CppType, extents: Sequence[int], strides: Sequence[int] | None, offset: int) -> StridedLayout:
    """Return the layout of a C++ type; ``strides`` and ``offset`` are used if they are not part of the type."""
    if mdspan.layout == RELAXED:
        return LayoutStrideRelaxed(strides or (), offset)
    if mdspan.layout == STRIDE:
        numbers = strides or ()
        # C++ also requires positive strides in dimensions of extent 1.
        counting = [abs(s) or 1 if e == 1 or 0 in extents else s for e, s in zip(extents, numbers, strict=True)]
        if 0 not in extents and not (all(s > 0 for s in counting) and nests(extents, counting)):
            raise StrideError(
                f"strides {as_text(tuple(numbers))} over extents {as_text(tuple(extents))} are not positive and "
                f"unique, as {mdspan} has them"
            )
        return LayoutStride(counting)
    is_right = mdspan.order == "right"
    if not mdspan.is_padded:
        return LayoutRight() if is_right else LayoutLeft()
    padding: int | None = None if mdspan.padding is None else dim(mdspan.padding)
    if padding is None and strides is not None and mdspan.rank > 1:
        row, length = (strides[-2], extents[-1]) if is_right else (strides[1], extents[0])
        padding = row if row >= max(length, 1) else None
    return LayoutRightPadded(padding) if is_right else LayoutLeftPadded(padding)


def mapping_from_cpp(
    text: str, *extents: SupportsIndex, strides: Sequence[SupportsIndex] | None = None, offset: SupportsIndex = 0
) -> StridedMapping:
    """Return the mapping of a C++ type ``mdspan<...>`` or ``layout::mapping<...>``.

    ``extents`` are the dynamic extents, or all extents. Without extents, the mapping is that of the default constructor
    of C++: dynamic extents are 0, and strides are those of C order. ``strides`` are for a strided or padded layout, and
    ``offset`` is for a relaxed layout.

    >>> mapping_from_cpp("std::mdspan<float, std::extents<int, 3, std::dynamic_extent>, std::layout_left>", 5)
    Mapping((dim(3), 5), LayoutLeft())

    Raises
    ------
    CppTypeError
        The text is not such a type; the message has the position and the rule.
    RankError, ExtentsError, StrideError
        The number of extents or strides is wrong, or they do not fit the type.
    """
    mdspan = cpp_types.parse_type(text)[0]
    numbers = as_extents(extents)
    whole = _whole_extents(mdspan, numbers)
    if strides is not None:
        steps = [as_integer(s, "a stride") for s in strides]
        if len(steps) != mdspan.rank:
            raise RankError(f"{mdspan} has {plural(mdspan.rank, 'dimension')}, {plural(len(steps), 'stride')} given")
        return mapping_of_type(mdspan, whole, steps, as_integer(offset, "an offset"))
    defaults = None
    if mdspan.layout in {STRIDE, RELAXED}:
        if numbers and mdspan.rank:
            raise StrideError(
                f"{mdspan.layout} does not tell its strides; say them: strides=({', '.join('…' for _ in whole)},)"
            )
        defaults = [max(1, s) for s in right_strides(whole)]
    return mapping_of_type(mdspan, whole, defaults, as_integer(offset, "an offset"))


def _whole_extents(mdspan: CppType, numbers: Sequence[int]) -> Sequence[int]:
    """Return all extents of a C++ type, from all, from the dynamic, or from no extents (dynamic extents are then 0)."""
    dynamic = mdspan.extents.count(None)
    if len(numbers) == mdspan.rank:
        return numbers
    if len(numbers) not in {0, dynamic}:
        raise RankError(
            f"{mdspan} has {plural(dynamic, 'dynamic extent')} of {plural(mdspan.rank, 'dimension')}, "
            f"{plural(len(numbers), 'extent')} given"
        )
    values = iter(numbers or [0] * dynamic)
    return [next(values) if static is None else static for static in mdspan.extents]


def element_format(text: str) -> str:
    """Return the item format of the elements of a C++ type, in the notation of `struct`: ``"f"`` for float.

    >>> element_format("std::mdspan<const float, std::dims<2>>")
    'f'

    Raises
    ------
    CppTypeError
        The text is not the type of a view, or Python cannot read its elements.
    """
    return format_of_type(parse_view_type(text, "text").element)


def parse_view_type(text: str, name: str) -> CppType:
    """Return the C++ type of a view for its text; ``name`` is the name of the argument in messages."""
    mdspan = cpp_types.parse_type(text)[0]
    if not mdspan.element:
        refuse(name, "the type of a view, mdspan<...>: a mapping has no elements", text)
    return mdspan


def view_from_cpp(
    text: str,
    data: object,
    *extents: SupportsIndex,
    strides: Sequence[SupportsIndex] | None = None,
    offset: SupportsIndex = 0,
) -> AnyView:
    """Return the view of ``data`` that a C++ type describes; extents, strides and offset are as in `mapping_from_cpp`.

    Plain bytes are read as elements of the type; other items must already have this type.

    >>> view_from_cpp("std::mdspan<const float, std::dims<2>>", bytes(24), 2, 3).shape
    (2, 3)

    Raises
    ------
    CppTypeError, BufferSizeError
        The text is not the type of a view, or ``data`` has other elements, or too few elements.
    """
    mdspan = parse_view_type(text, "text")
    item_format = format_of_type(mdspan.element)
    mapping = mapping_from_cpp(text, *extents, strides=strides, offset=offset)
    storage = Storage(data)
    if not cpp_types.is_read_as(type_code(storage.format, storage.itemsize), mdspan.element):
        if storage.format not in {"B", "b", "c"}:
            raise CppTypeError(f"the data has items of format {brief(storage.format)}, {mdspan} has {mdspan.element}")
        count, size = storage.length, known_format(item_format)[1] // 8
        if count % size:
            raise BufferSizeError(f"the data has {count} bytes, no whole number of {mdspan.element}, which has {size}")
        storage = Storage(data, item_format)
    # Any: elements of any type
    return MDView.from_mapping(cast("Any", storage), mapping, accessor_of(mdspan, readonly=storage.readonly))
