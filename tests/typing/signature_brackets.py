"""Brackets, ``view[...]`` and ``view[...] = x``: for each rank a class of what its views take, which a descriptor chooses.

A checker whose message lists all overloads lists those of the rank, and each class is read for its rank alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import signature_keys as keys
from signature_patterns import dynamic, layout_after, overload, result_extents, source_extents, tuple_of

RANKS = range(keys.RANKS + 1)
ELEMENTS = range(7)
"""Ranks of which the elements have exact types."""
UNKNOWN = "UnknownRank[{}, {}]"
PARAMETERS = {0: "tuple[()]", 1: "Int | tuple[Int]"}
"""Indices of elements that are not a tuple of ints, by rank."""

VARIABLES = """\
I_contra = TypeVar("I_contra", contravariant=True)
K_contra = TypeVar("K_contra", contravariant=True)
W_contra = TypeVar("W_contra", contravariant=True)
M_co = DefaultTypeVar("M_co", covariant=True, default=object)
"""
VIEWED = """\
class _Viewed(Generic[T_co, E_co, M_co, A_co]):
    @property
    def extents(self) -> E_co: ...
    @property
    def layout(self) -> M_co: ...
    @property
    def accessor(self) -> A_co: ...
    def _element(self) -> T_co: ...
"""
WIDE = "MDView[T_co, tuple[int, ...], Layout, A_co]"
LOADS = f"""\
class _BracketsN(Generic[I_contra, T_co, A_co]):
    @overload
    def __call__(self, index: I_contra, /) -> Any: ...
    @overload
    def __call__(self, index: KeysN, /) -> {WIDE}: ...
    @overload
    def __call__(self, index: Wanted[IndexForEachDimension], /) -> Any: ...
"""
NO_LOAD = """\
class _NoBrackets:
    def __call__(self, index: ViewOfOneRank, /) -> Any: ...
"""
STORES = """\
class _StoringBrackets(Generic[I_contra, K_contra, W_contra]):
    @overload
    def __call__(self, index: I_contra, value: W_contra, /) -> None: ...
    @overload
    def __call__(self, index: I_contra, value: Wanted[ValueOfTheElements], /) -> None: ...
    @overload
    def __call__(self, index: K_contra, value: Fill[W_contra], /) -> None: ...
    @overload
    def __call__(self, index: K_contra, value: Wanted[ValueOfTheElements], /) -> None: ...
    @overload
    def __call__(self, index: Wanted[IndexForEachDimension], value: object, /) -> None: ...
class _ReadOnlyBrackets:
    def __call__(self, index: ViewIsWritable, value: object, /) -> None: ...
"""


def definitions() -> str:
    """The classes, and those of the two descriptors."""
    loads = "".join([_class(f"_Brackets{rank}(_Viewed[T_co, E_co, M_co, A_co])", _load(rank)) for rank in ELEMENTS])
    return (
        VARIABLES
        + VIEWED
        + loads
        + LOADS
        + NO_LOAD
        + STORES
        + _class("_Loading", _loading())
        + _class("_Storing", _storing())
    )


def _class(head: str, overloads: Iterable[str]) -> str:
    lines = "".join(overloads).splitlines()
    return f"class {head}:\n" + "".join([f"    {line}\n" for line in lines])


def _index(rank: int) -> str:
    return PARAMETERS.get(rank) or tuple_of(["Int"] * rank)


def _load(rank: int) -> Iterator[str]:
    """The element, then exact patterns, then what a key makes of the rank alone."""

    def one(extents: str, layout: str, index: str, result: str) -> str:
        given = f"self: ViewIn[T_co, {extents}, {layout}, A_co], index: {index}, /"
        return overload("__call__", given, f"MDView[T_co, {result}, L, A_co]")

    accessor = f"self: _Brackets{rank}[object, {dynamic(rank)}, object, Accessor[object, R]]"
    yield overload("__call__", f"{accessor}, index: {_index(rank)}, /", "R")
    for pattern in keys.EXACT.split():
        if len(pattern.replace("N", "")) == rank:
            given = source_extents(pattern), layout_after(pattern.replace("N", "R"))
            yield one(*given, keys.of_pattern(pattern), result_extents(pattern))
    if rank in RANKS:
        for result in keys.results(rank):
            yield one(dynamic(rank), "PartOf[L]", keys.alias(rank, result), dynamic(result))
    else:
        yield overload("__call__", "self, index: KeysN, /", WIDE)
    yield overload("__call__", "self, index: Wanted[IndexForEachDimension], /", "Any")


def _get(view: str, result: str) -> str:
    return overload("__get__", f"self, view: {view}, owner: object, /", result)


def _loading() -> Iterator[str]:
    yield _get("None", "Self")
    # Of unknown rank, `v[i, j]` is an element or a row; Any, because a union would be of no use without a cast.
    yield _get(UNKNOWN.format("T", "A"), "_BracketsN[Int | tuple[Int, ...], T, A]")
    for rank in ELEMENTS:
        extents = tuple_of([f"N{r}" for r in range(rank)])
        yield _get(f"MDView[T, {extents}, L, A]", f"_Brackets{rank}[T, {extents}, L, A]")
    yield _get("MDView[T, Rank7Up, Layout, A]", "_BracketsN[tuple[Int, ...], T, A]")
    yield _get("object", "_NoBrackets")


def _storing() -> Iterator[str]:
    def one(view: str, index: str, every: str, value: str = "W") -> str:
        return _get(view, f"_StoringBrackets[{index}, {every}, {value}]")

    view = "MDView[object, {}, Layout, {}]"
    yield _get("None", "Self")
    # `v[i] += 1` stores back what `v[i]` was.
    yield one(view.format("tuple[int, ...]", "AtomicAccessor[W]"), "KeysN", "KeysN", "W | AtomicRef[W]")
    writable = "Writable[W, object]"
    yield one(UNKNOWN.format("object", writable), "KeysN", "KeysN")
    for rank in RANKS:
        yield one(view.format(dynamic(rank), writable), _index(rank), f"Keys{rank}")
    yield one(view.format("Rank5Up", writable), "KeysN", "KeysN")
    yield _get("object", "_ReadOnlyBrackets")
