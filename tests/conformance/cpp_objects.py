"""Objects of mdview for the descriptions of C++ types and values in the facts, and descriptions of objects."""

from itertools import product

import mdview as md
from mdview import Mapping, dim
from mdview.conversions import AccessorKind, ExtentsKind, MappingKind, ViewKind
from mdview.layouts import LayoutTranspose

LAYOUTS = {
    "stride_relaxed": md.LayoutStrideRelaxed,
    **{each.short_name: each for each in (md.LayoutLeft, md.LayoutRight, md.LayoutStride, LayoutTranspose)},
    **{each.short_name: each for each in (md.LayoutLeftPadded, md.LayoutRightPadded)},
}
NAMES = {layout: name for name, layout in LAYOUTS.items()}
TRAITS = ("unique", "exhaustive", "strided", "always_unique", "always_exhaustive", "always_strided")
SPACES = {"host": "host", "device": "device", "managed": "managed", "shared_memory": "shared"}
SLICES = {"i": "v", "f": "", "r": "be", "s": "oet", "x": "ont", "g": "bet"}
"""The numbers of each kind of slice, by their keys."""


def extents(static, values):
    """Extents with values, static if the type in C++ has them static."""
    return tuple([v if s is None else dim(s) for s, v in zip(static, values, strict=True)])


def pattern(static):
    """Extents of a type: static ones, and None for dynamic ones."""
    return tuple([None if s is None else dim(s) for s in static])


def layout(description):
    """Layout of a mapping; a static padding takes precedence over that of the constructor."""
    name, padding = description["layout"], description.get("padding")
    strides = description.get("strides", description.get("in_strides"))
    first = description.get("offset", description.get("in_offset", 0))
    if name == "stride":
        return md.LayoutStride(strides)
    if name == "stride_relaxed":
        return md.LayoutStrideRelaxed(strides, first)
    given = [description["in_padding"]] if "in_padding" in description else []
    return LAYOUTS[name](*given if padding is None else [dim(padding)])


def mapping(description):
    """Mapping of given extents, dynamic by default."""
    values = description["extents"]
    return Mapping(extents(description.get("static", [None] * len(values)), values), layout(description))


def slice_spec(s):
    """Slice of one dimension; numbers that are compile-time constants are static."""
    flags = [s.get("s" if key == "v" else f"s{key}", key not in s) for key in SLICES[s["k"]]]
    numbers = [dim(s.get(key, 1)) if flag else s[key] for key, flag in zip(SLICES[s["k"]], flags, strict=True)]
    makers = {"s": md.StridedSlice, "x": md.ExtentSlice, "g": md.RangeSlice, "f": lambda: md.ALL}
    return numbers[0] if s["k"] == "i" else makers.get(s["k"], lambda *pair: pair)(*numbers)


def extents_kind(description):
    """Type of extents."""
    return ExtentsKind(tuple(description["static"]), description.get("index", "int32"))


def mapping_kind(description):
    """Type of a mapping."""
    return MappingKind(LAYOUTS[description["layout"]], extents_kind(description), description.get("padding"))


def accessor_kind(description):
    """Type of an accessor. The memory spaces of CCCL are accessors there and values of one policy here."""
    policy = description.get("accessor", "aligned" if description.get("align") else "default")
    name = "memory_space" if policy in SPACES else policy
    element, align = description["element"].removeprefix("const "), description.get("align")
    is_const = element != description["element"]
    return AccessorKind(policy=name, element=element, const=is_const, alignment=align, space=SPACES.get(policy))


def view_kind(description):
    """Type of a view."""
    return ViewKind(mapping_kind(description), accessor_kind(description))


def record(m):
    """Description of a mapping as in the facts; extents are plain integers."""
    name = NAMES[type(m.layout)]
    padding = int(m.layout.padding) if type(getattr(m.layout, "padding", None)) is md.Dim else None
    return {
        "layout": name,
        **({"padding": padding} if name.endswith("padded") else {}),
        **({"offset": m.origin} if name == "stride_relaxed" else {}),
        "static_extents": m.static_extents,
        "extents": [int(e) for e in m.extents],
        "strides": m.strides,
        "span": m.required_span_size,
        "offsets": list(m.offsets()),
        **{trait: getattr(m, f"is_{trait}") for trait in TRAITS},
    }


def element_values(view):
    """Elements of a view, last index fastest; a complex number is a list of its two parts."""
    found = [view[index] for index in product(*map(range, view.extents))]
    return [[number.real, number.imag] if isinstance(number, complex) else number for number in found]
