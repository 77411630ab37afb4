"""Objects of mdview that descriptions of extents, mappings, slices and types mean, and what such objects tell.

The encoding of the descriptions is in `data/cpp/SCHEMA.md`.
"""

from collections.abc import Callable
from typing import Any, Final

from mdview import (
    ALL,
    Dim,
    ExtentSlice,
    LayoutLeft,
    LayoutLeftPadded,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    Mapping,
    RangeSlice,
    StridedSlice,
    dim,
)
from mdview.conversions import AccessorKind, ExtentsKind, MappingKind, ViewKind
from mdview.layouts import LayoutTranspose

LAYOUTS: Final[dict[str, Any]] = {
    "left": LayoutLeft,
    "right": LayoutRight,
    "stride": LayoutStride,
    "stride_relaxed": LayoutStrideRelaxed,
    "left_padded": LayoutLeftPadded,
    "right_padded": LayoutRightPadded,
    "transpose": LayoutTranspose,
}
NAMES: Final[dict[Any, str]] = {layout: name for name, layout in LAYOUTS.items()}
PADDED: Final = {"left_padded", "right_padded"}

SPACES: Final = {"host": "host", "device": "device", "managed": "managed", "shared_memory": "shared"}


def extents(static: list[int | None], values: list[int]) -> tuple[int, ...]:
    """Extents, static where C++ has them static."""
    return tuple([v if s is None else dim(s) for s, v in zip(static, values, strict=True)])


def pattern(static: list[int | None]) -> tuple[int | None, ...]:
    """Extents of a type: static ones and None."""
    return tuple([None if s is None else dim(s) for s in static])


def layout(description: dict[str, Any]) -> Any:
    """Layout of a mapping."""
    name = description["layout"]
    strides: Any = description.get("strides", description.get("in_strides"))
    if name == "stride":
        return LayoutStride(strides)
    if name == "stride_relaxed":
        return LayoutStrideRelaxed(strides, description.get("offset", description.get("in_offset", 0)))
    if name in PADDED:
        return LAYOUTS[name](*padding(description))
    return LAYOUTS[name]()


def padding(description: dict[str, Any]) -> tuple[int, ...]:
    """Padding of a layout, if there is one; a static one given at run time as well is the same."""
    static_padding, given = description.get("padding"), description.get("in_padding")
    return tuple([dim(static_padding)] if static_padding is not None else [] if given is None else [given])


def mapping(description: dict[str, Any]) -> Mapping[Any, Any]:
    """Mapping of given extents, dynamic where nothing says that they are static."""
    values = description["extents"]
    return Mapping(extents(description.get("static", [None] * len(values)), values), layout(description))


def record(m: Mapping[Any, Any]) -> dict[str, Any]:
    """Everything that the facts tell about a mapping."""
    return {
        **part_record(m),
        "unique": m.is_unique,
        "strided": m.is_strided,
        "always_unique": m.is_always_unique,
        "always_exhaustive": m.is_always_exhaustive,
        "always_strided": m.is_always_strided,
        "offsets": list(m.offsets()),
        **({"offset": m.origin} if isinstance(m.layout, LayoutStrideRelaxed) else {}),
    }


def part_record(m: Mapping[Any, Any]) -> dict[str, Any]:
    """What the facts tell about the mapping of a part. Extents are plain numbers; strides are to be."""
    padded = isinstance(m.layout, LayoutLeftPadded | LayoutRightPadded)
    return {
        "layout": NAMES[type(m.layout)],
        **({"padding": static(m.layout.padding)} if padded else {}),
        "static_extents": m.static_extents,
        "extents": [int(e) for e in m.extents],
        "strides": m.strides,
        "span": m.required_span_size,
        "exhaustive": m.is_exhaustive,
    }


def values(view: Any) -> list[Any]:
    """Elements of a view, last index fastest."""
    found = [view.tolist()]
    for _ in range(view.rank):
        found = [element for row in found for element in row]
    return found


def static(value: int | None) -> int | None:
    """Value of a static number, None of any other."""
    return int(value) if type(value) is Dim else None


def number(value: int, is_static: object) -> int:
    """Number in a slice, static where C++ has it as a compile-time constant."""
    return dim(value) if is_static else value


def slice_spec(s: dict[str, Any]) -> Any:
    """Slice of one dimension."""
    return _SLICES[s["k"]](s)


_SLICES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "i": lambda s: number(s["v"], s.get("s")),
    "f": lambda _: ALL,
    "r": lambda s: (number(s["b"], s.get("sb")), number(s["e"], s.get("se"))),
    "s": lambda s: StridedSlice(number(s["o"], s.get("so")), number(s["e"], s.get("se")), number(s["t"], s.get("st"))),
    "x": lambda s: ExtentSlice(number(s["o"], s.get("so")), number(s["n"], s.get("sn")), number(s["t"], s.get("st"))),
    "g": lambda s: RangeSlice(
        number(s["b"], s.get("sb")),
        number(s["e"], s.get("se")),
        number(s["t"], s.get("st")) if "t" in s else dim(1),
    ),
}


def extents_kind(description: dict[str, Any]) -> ExtentsKind:
    """Type of extents."""
    return ExtentsKind(tuple(description["static"]), description.get("index", "int32"))


def mapping_kind(description: dict[str, Any]) -> MappingKind[Any]:
    """Type of a mapping."""
    return MappingKind(LAYOUTS[description["layout"]], extents_kind(description), description.get("padding"))


def accessor_kind(description: dict[str, Any]) -> AccessorKind:
    """Type of an accessor. The memory spaces of CCCL are accessors there and values of one policy here."""
    policy = description.get("accessor", "aligned" if description.get("align") else "default")
    return AccessorKind(
        policy="memory_space" if policy in SPACES else policy,
        element=description["element"].removeprefix("const "),
        const=description["element"].startswith("const "),
        alignment=description.get("align"),
        space=SPACES.get(policy),
    )


def view_kind(description: dict[str, Any]) -> ViewKind:
    """Type of a view."""
    return ViewKind(mapping_kind(description), accessor_kind(description))
