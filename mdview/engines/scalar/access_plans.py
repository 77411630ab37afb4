"""The scalar engine: which compiled class gives access to the elements of a view, and what the view keeps for it.

The answer for one mapping and one access is a *recipe*. It also remembers the recipes of the view's parts, so that a
row or a window is found without deriving its mapping again. Kinds and recipes are kept in bounded caches.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from typing import Any, Final, TypeAlias, final

from mdview.accessors.base import IndexRule
from mdview.base.caches import remember, remember_shared
from mdview.engines.scalar.access import Access
from mdview.engines.scalar.grids import has_grid
from mdview.engines.scalar.lookups import digits_code, tables_code
from mdview.engines.scalar.offset_code import AnyMapping, OffsetCode, calling_code, strided_code, traced_code
from mdview.engines.scalar.slice_cache import Window, no_window, windows
from mdview.engines.scalar.specialised import Kind, compiled_kind, general_kind, grid_kind
from mdview.index.slices import ALL, Selection
from mdview.layouts.base import Layout
from mdview.mappings.mapping import Mapping, canonical, value_key
from mdview.mappings.slicing import select

MOST_COMPILED: Final = 64
"""The highest rank whose element access is compiled."""

CACHE_SIZE: Final = 1024
"""How many kinds are kept compiled; the oldest one goes first (views of that kind keep their class)."""

Row: TypeAlias = "tuple[Recipe, int, int, int]"
"""A row's recipe, where row 0 begins, how far rows are apart, and how many there are."""

_kinds: dict[Hashable, Kind] = {}


@final
class Recipe:
    """How to make the views of one mapping with one access.

    Attributes
    ----------
    access
        The access.
    extents, strides
        Those of the mapping; the strides are None where nobody has stated any.
    kind, make
        The class, and the function that makes a view of it.
    mapping
        The mapping, held for as long as its identity is a key.
    parts
        Parts seen before, by their shape (see `mdview.engines.scalar.slice_cache`): the recipe of each, and where it
        begins, which for strided mappings is counted from the sum of first index times stride.
    row, rows
        Where rows are alike, the one row seen before, else each by its index.
    start, values
        What ``make`` reads: what the view's origin is added to, and the numbers of the offset.
    window, slices_window
        The functions that find a part by a tuple in brackets, and by the slices of `subview`.
    """

    __slots__ = (
        *("access", "extents", "kind", "make", "mapping", "parts", "row", "rows", "slices_window", "start", "strides"),
        *("values", "window"),
    )

    def __init__(
        self,
        mapping: AnyMapping,
        kind: Kind,
        access: Access,
        values: tuple[Any, ...] = (),
        start: int = 0,
        *,
        finds_parts: bool = True,
    ) -> None:
        """Keep the parts."""
        self.access = access
        self.extents = mapping.extents
        self.strides = mapping.found_strides()
        self.kind, self.make = kind
        self.mapping = mapping
        self.parts: dict[tuple[object, ...], tuple[Recipe, int]] = {}
        self.row: Row | None = None
        self.rows: dict[int, Row] = {}
        self.start = start
        self.values = values
        self.window: Window = no_window
        self.slices_window: Window = no_window
        if finds_parts and access.keeps and self.extents:
            is_strided, wraps = self.strides is not None, access.rule is IndexRule.WRAP
            self.window, self.slices_window = windows(len(self.extents), is_strided=is_strided, wraps=wraps)

    def new_part(
        self, shape: tuple[object, ...], slices: Sequence[Selection] | None, shift: int
    ) -> tuple[Recipe, int] | None:
        """Derive and remember a part, which begins ``shift`` before where it is; None for nothing, or an element."""
        if slices is None or all(isinstance(s, int) for s in slices):
            return None
        mapping, start = select(self.mapping, slices)
        part = new_recipe(self.access, mapping, moved=True)
        return remember_shared(self.parts, shape, (part, start - shift))

    def new_row(self, index: int) -> Row | None:
        """Derive and remember the part at one index of dimension 0."""
        extent = self.extents[0] if len(self.extents) > 1 else 0
        place = index + extent if index < 0 and self.access.rule is IndexRule.WRAP else index
        if not 0 <= place < extent or self.window is no_window:
            return None
        mapping, start = select(self.mapping, (place, *[ALL] * (len(self.extents) - 1)))
        part = new_recipe(self.access, mapping, moved=True)
        if self.strides is None:
            return remember_shared(self.rows, index, (part, start, 0, extent))
        self.row = part, start - place * self.strides[0], self.strides[0], extent
        return self.row


recipes: dict[tuple[int, Access, bool], Recipe] = {}
"""Recipes by the identity of the mapping, the access, and whether the origin is 0."""


def recipe(access: Access, mapping: AnyMapping, origin: int) -> Recipe:
    """Find or make the recipe for views of ``mapping``; what serves one origin but 0 serves all."""
    mapping = canonical(mapping)
    key = (id(mapping), access, not origin)
    return recipes.get(key) or remember(recipes, key, new_recipe(access, mapping, moved=origin != 0))


_bound: dict[tuple[object, ...], Recipe] = {}


def bound_recipe(access: Access, extents: tuple[int, ...], layout: Layout) -> Recipe:
    """Recipe for views of origin 0 of ``layout`` over ``extents``; the one of before for this layout and equal extents.

    Raises
    ------
    ExtentsError, LayoutTypeError, LayoutError, RankError
        As `Mapping` does.
    """
    if type(extents) is not tuple:
        return new_recipe(access, Mapping(extents, layout), moved=False)
    key = (access, *value_key(layout, extents))
    try:
        known = _bound.get(key)
    except TypeError:  # an extent without a hash, and so no integer: the mapping says which; or a layout without one
        return new_recipe(access, Mapping(extents, layout), moved=False)
    return known or remember(_bound, key, new_recipe(access, canonical(Mapping(extents, layout)), moved=False))


def new_recipe(access: Access, mapping: AnyMapping, *, moved: bool) -> Recipe:
    """Make the recipe for views of ``mapping`` of any origin, if ``moved``, or of origin 0."""
    # The general access knows about the halo, and takes any number of dimensions; a compiler has its limits.
    if mapping.rank <= MOST_COMPILED and mapping.layout.is_total():
        if has_grid(access, mapping):
            key = ("grid", access, len(mapping.extents))
            known = _kinds.get(key) or remember(_kinds, key, grid_kind(*key[1:]), CACHE_SIZE)
            return Recipe(mapping, known, access)
        for code in _codes(access, mapping, moved=moved):
            kind = _kind(code, access, mapping)
            if kind is not None:
                return Recipe(mapping, kind, access, code.values, code.start)
    return general_recipe(access, mapping)


def general_recipe(access: Access, mapping: AnyMapping) -> Recipe:
    """Make the recipe for views whose elements and parts are all found by general code."""
    base = access.base
    kind = _kinds.get(base) or remember(_kinds, base, general_kind(base), CACHE_SIZE)
    return Recipe(mapping, kind, access, finds_parts=False)


def _codes(access: Access, mapping: AnyMapping, *, moved: bool) -> Iterator[OffsetCode]:
    """How offsets may be computed, the best way first; the last way serves every mapping."""
    makers: list[Callable[..., OffsetCode | None]] = []
    if access.is_plain:  # the tables' code takes an IndexError for its own, and an accessor may raise one
        makers += [tables_code, digits_code]
    makers += [strided_code, partial(traced_code, concrete=False), partial(traced_code, concrete=True)]
    for make in makers:
        code = make(mapping, moved=moved)
        if code is not None:
            yield code
    yield calling_code(mapping, moved=moved)


def _kind(code: OffsetCode, access: Access, mapping: AnyMapping) -> Kind | None:
    """Find or compile the class for offset code; None where the code is too much for the compiler."""
    key = (code.key, access)
    known = _kinds.get(key)
    if known is not None:
        return known
    try:
        return remember(_kinds, key, compiled_kind(access, code, mapping), CACHE_SIZE)
    except (MemoryError, RecursionError, SyntaxError):
        return None
