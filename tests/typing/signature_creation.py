"""The overloads of functions that make views and mappings: of new memory, of extents, of stores and in tiles.

Of what takes extents there is one for each of `SHAPES`, so that no checker keeps the literals of plain ints.
"""

from __future__ import annotations

from collections.abc import Iterator

from signature_patterns import EACH, RIGHT, SHAPES, overload

FORMATS = {"Real": "float", "Whole": "int", "str": "Any"}
"""The types of elements by those of formats."""
ANY_VIEW = "MDView[Any, Any, Any, Any]"


def of_memory() -> dict[str, list[str]]:
    """``zeros`` and ``empty`` are one class to a checker, `names`."""
    return {name: [f"{name}: _Allocating\n"] for name in ("empty", "zeros")} | {"full": [*_full()]}


def names() -> str:
    """The class of ``zeros`` and ``empty``, which take the same."""
    lines = "".join(_zeros()).splitlines()
    return "class _Allocating:\n" + "".join([f"    {line}\n" for line in lines])


def of_mappings() -> dict[str, list[str]]:
    """As of views: were the layout one optional parameter, what the result is assigned to would decide."""
    forms = [
        (f"cls, extents: {extents}{given}", f"Mapping[{extents}, {layout}]")
        for extents in SHAPES
        for given, layout in (("", RIGHT), (", layout: L", "L"))
    ]
    return {"__init__": [overload("__new__", given, result) for given, result in forms]}


def of_stores() -> dict[str, list[str]]:
    """Memory of ``copy=True`` is new; what may be a copy, or is mapped to be read, is read-only. Any: the layout is that of the store."""
    new, mapped = "MDView[Any, AnyRank, Any, {}]", "DefaultAccessor[Any]"
    given = "source: Any, *, copy: {}, mode: Literal['{}']{}, out: {}"
    forms = (
        ("Literal[False] | None = None", "r", " = 'r'", "None = None", new.format("ReadOnlyAccessor[Any]")),
        ("Literal[False] | None = None", "r+", "", "None = None", new.format(mapped)),
        ("Literal[True]", "r", " = 'r'", "None = None", new.format(mapped)),
        ("bool | None", "r", " = 'r'", "None = None", new.format("Accessor[Any, Any]")),
        ("Literal[True] | None = None", "r", " = 'r'", "V", "V"),
    )
    return {"from_zarr": [overload("from_zarr", given.format(*form), result) for *form, result in forms]}


def of_tiles(source: str) -> dict[str, list[str]]:
    """Where there is ``out``, it is what is returned, once all has run."""
    parameters = source[source.index("def map_tiles(") : source.index(") -> Any:")].split("\n")[1:]
    written = ", ".join([line.split("  #")[0].strip().rstrip(",") for line in parameters if line.strip()])
    forms = (("None = None", "bool = True", "Any"), ("V", "Literal[True] = True", "V"), ("object", "bool", "Any"))
    return {
        "map_tiles": [
            overload(
                "map_tiles",
                written.replace("out: Any = None", f"out: {out}").replace(
                    "compute: bool = True", f"compute: {compute}"
                ),
                result,
            )
            for out, compute, result in forms
        ]
    }


def of_static_extents() -> dict[str, list[str]]:
    return {"assume": [*_assume()], "has_extents": [*_has_extents()]}


def _zeros() -> Iterator[str]:
    name = "__call__"
    for kind, element in FORMATS.items():
        for extents in _shapes(kind):
            default = " = ..." if kind == "Real" else ""
            yield from _with_and_without_layout(
                name, f"self, extents: {extents}", extents, f"format: {kind}{default}", element
            )
    for given in (
        "extents: Sizes, layout: Layout = ..., *, format: Wanted[FormatOfStruct]",
        "extents: Sizes, layout: Layout, format: Wanted[FormatOfStruct]",
        "extents: Sizes, layout: Wanted[LayoutObject], *rest: object, **named: object",
        "extents: Wanted[ExtentsInOneTuple], *rest: object, **named: object",
    ):
        yield overload(name, f"self, {given}", "Any")


def _shapes(kind: str) -> tuple[str, ...]:
    """Of integers and no extents that could be told apart, the elements are Any; of any text, the rank is told."""
    return ("Rank",) if kind == "str" else SHAPES[: 2 if kind == "Whole" else 3]


def _with_and_without_layout(name: str, given: str, extents: str, item_format: str, element: str) -> Iterator[str]:
    yield overload(name, f"{given}, *, {item_format}", f"New[{element}, {extents}, {RIGHT}]")
    yield overload(name, f"{given}, layout: L, {item_format}", f"New[{element}, {extents}, L]")


def _full() -> Iterator[str]:
    def of(kind: str, element: str, value: str) -> Iterator[str]:
        for extents in (*EACH[:3], "Rank") if element == "T" else _shapes(kind):
            given = f"extents: {extents}, value: {value}"
            yield from _with_and_without_layout("full", given, extents, f"format: {kind}", element)

    yield from of("Literal['O'] | None = None", "T", "T")
    for kind, element in FORMATS.items():
        if kind == "str":
            unfit = "extents: object, value: {}, layout: object = ..., *, format: {}"
            yield overload("full", unfit.format("str | bytes | complex", "Whole"), "UnfitFormat")
            yield overload("full", unfit.format("str | bytes", "Number"), "UnfitFormat")
        yield from of(kind, element, element)
    given = "extents: Sizes, value: object, layout"
    yield overload("full", f"{given}: Layout = ..., *, format: Wanted[FormatOfStruct]", "Any")
    yield overload("full", f"{given}: Wanted[LayoutObject], *rest: object, **named: object", "Any")
    yield overload("full", "extents: Wanted[ExtentsAndThenValue], *rest: object, **named: object", "Any")


def _assume() -> Iterator[str]:
    for source, layout in (("UnknownRank[T, A]", "Layout"), ("Admits[T, {}, L, A]", "L")):
        for extents in EACH if "Admits" in source else SHAPES:
            given = f"v: {source.format(extents)}, extents: {extents}, /"
            yield overload("assume", given, f"MDView[T, {extents}, {layout}, A]")
    yield overload("assume", f"v: {ANY_VIEW}, extents: Wanted[ExtentsInOneTuple], /", "Any")
    yield overload("assume", "v: Wanted[ViewAndThenExtents], /, *rest: object", "Any")


def _has_extents() -> Iterator[str]:
    for extents in SHAPES:
        given = f"v: MDView[T, tuple[Any, ...], L, A], extents: {extents}, /"
        yield overload("has_extents", given, f"TypeIs[MDView[T, {extents}, L, A]]")
