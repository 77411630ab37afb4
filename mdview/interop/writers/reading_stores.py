"""What users have for a store: a view or mapping of a tiled layout, an array of zarr or h5py, or extents and units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Literal, TypeAlias

from mdview.base.integers import as_integer
from mdview.base.texts import shown, told
from mdview.errors import ExtentsError, LayoutError, OperandError, RankError
from mdview.index.extents import as_extents, shape_text, size_of
from mdview.index.transforms import IndexTransform
from mdview.interop.writers.grids import Grid
from mdview.interop.writers.progressions import Interval
from mdview.interop.writers.stores import Store
from mdview.layouts.base import Layout, unless_undecided
from mdview.mappings.mapping import Mapping
from mdview.views.base import ViewBase, mapping_of
from mdview.views.parts import AnyMapping

Unit: TypeAlias = "Literal['inner'] | Sequence[int | Sequence[int]] | None"
"""The tiles within tiles, or for each dimension the size of a unit, or one size for each unit."""

_WAYS = "a view or a mapping, an array with shape and chunks (zarr, h5py), or a pair (extents, unit)"


def store_of(given: Any, unit: Unit = None) -> Store:
    """Return the store that something is. Any: arrays are known by their attributes.

    Raises
    ------
    OperandError
        It is none.
    LayoutError
        It has no units, or one element is in several places of it.
    ExtentsError, ExtentsTypeError, RankError
        The unit is none of these extents.
    """
    if isinstance(given, Mapping | ViewBase):
        return _of_mapping(mapping_of(given), unit)
    if isinstance(given, tuple) and len(given) == 2 and unit is None:  # noqa: PLR2004 - a pair
        return _plain(as_extents(given[0]), given[1], "unit")
    shape = getattr(given, "shape", None)
    if shape is None or isinstance(given, type):
        message = f"a store is {_WAYS}, got {told(given)}"
        raise OperandError(message)
    if unit is not None:
        return _plain(as_extents(shape), unit, "unit")
    return _plain(as_extents(shape), *_units_of_array(given))


def _units_of_array(given: Any) -> tuple[Any, str]:
    """Return the units of an array of zarr or h5py, and what they are called. Any: theirs."""
    found: list[Any] = []
    for name in ("shards", "chunks"):
        try:
            found += [getattr(given, name)] if hasattr(given, name) else []
        except NotImplementedError:  # zarr's word for sizes that are not all the same
            return given.write_chunk_sizes, name[:-1]
        if found and found[-1] is not None:
            return found[-1], name[:-1]
    if not hasattr(given, "chunks"):
        message = f"{told(given)} does not say in which units it is written; write unit=(…), a size for each dimension"
        raise OperandError(message)
    return (1,) * len(given.shape), "element"


def _of_mapping(mapping: AnyMapping, unit: Unit) -> Store:
    layout, extents = mapping.layout, tuple(map(int, mapping.extents))
    valid = tuple([(low, high - 1) for low, high in mapping.valid_box])
    if len(valid) != len(extents):  # an index has selected padding alone
        valid = ((0, -1),) * len(extents)
    if unit is not None and unit != "inner":
        if unless_undecided(lambda: mapping.is_unique) is False:
            _refuse_shared(layout, extents)
        return _plain(extents, unit, "unit", valid)
    part = layout.composition(mapping.extents)
    tiling = part.base.tiling()
    if tiling is None:
        message = f"{told(layout)} has no tiles; say what is written as a whole: unit=(…), one size for each dimension"
        raise LayoutError(message)
    if part.transform.radix is not None:
        message = f"tiles of {told(layout)} are no blocks of its indices: reshape after storing, not before"
        raise LayoutError(message)
    _check_transform(part.transform, layout, extents)
    sizes = [(n,) for n in tiling.sizes] if unit is None else _inner_sizes(part.base, tiling.sizes)
    grids = tuple([Grid(int(e), own) for e, own in zip(part.extents, sizes, strict=True)])
    return Store(extents, part.transform, grids, valid, "tile")


def _inner_sizes(layout: Layout, sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """Return for each dimension the sizes of the tiles within one tile, of which the last may be cut."""
    inner = getattr(layout, "inner", None)
    tiling = inner.tiling() if isinstance(inner, Layout) else None
    if tiling is None:
        message = f"{told(layout)} has no tiles within its tiles; write unit=(…), one size for each dimension"
        raise LayoutError(message)
    rows = zip(sizes, tiling.sizes, strict=True)
    return [(t,) if n % t == 0 else (*[t] * (n // t), n % t) for n, t in rows]


def _check_transform(transform: IndexTransform, layout: Layout, extents: Sequence[int]) -> None:
    """Refuse a store one element of which has several indices, or an index of which moves along two dimensions."""
    rows = zip(transform.stride, transform.source, strict=True)
    moved = [s for n, s in rows if s is not None and n and extents[s] > 1]
    if any(e > 1 and r not in moved for r, e in enumerate(extents)) and size_of(extents):
        _refuse_shared(layout, extents)
    if len({*moved}) < len(moved):
        message = (
            f"tiles of {told(layout)} are no blocks of its indices: it is a diagonal; store to what it was made of"
        )
        raise LayoutError(message)


def _refuse_shared(layout: Layout, extents: Sequence[int]) -> None:
    message = (
        f"some indices of {told(layout)} over extents {shape_text(extents)} are the same element, so that who stores "
        "to which is not told by indices; store to the view that it was made of"
    )
    raise LayoutError(message)


def _plain(extents: tuple[int, ...], unit: Any, kind: str, valid: tuple[Interval, ...] | None = None) -> Store:
    """Return a store that is the whole. Any: what a user gave."""
    extents = tuple(map(int, extents))
    if isinstance(unit, str) or not isinstance(unit, Iterable):
        message = f"a unit is one size for each dimension of {shape_text(extents)}, got {told(unit)}"
        raise OperandError(message)
    unit = tuple(islice(unit, len(extents) + 1))  # an endless one, too, has an end here
    if len(unit) != len(extents):
        message = f"extents {shape_text(extents)} need a unit of {len(extents)} sizes, got {told(unit)}"
        raise RankError(message)
    grids = tuple([Grid(e, _sizes(e, own, r)) for r, (e, own) in enumerate(zip(extents, unit, strict=True))])
    whole = tuple([(0, e - 1) for e in extents])
    return Store(extents, IndexTransform.taking(range(len(extents))), grids, whole if valid is None else valid, kind)


def _sizes(extent: int, given: Any, r: int) -> tuple[int, ...]:
    """Return the sizes of units along one dimension. Any: what a user gave."""
    several = isinstance(given, tuple | list)
    sizes = tuple([int(as_integer(n, "the size of a unit")) for n in (given if several else (given,))])
    if min(sizes, default=0) < (0 if several else 1) and sizes:
        message = f"units have at least 1 index: size {shown(min(sizes))} of dimension {r}"
        raise ExtentsError(message)
    if several and sum(sizes) < extent:
        message = f"units of dimension {r} have {shown(sum(sizes))} indices in all, its extent is {extent}"
        raise ExtentsError(message)
    return sizes
