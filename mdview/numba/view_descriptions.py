"""Descriptions of views for kernels: a Numba type and a block of numbers; and the recipes that plans cache.

A *recipe* is the common part of the descriptions of all views with the same plan, and equal items and accessors: the
type, and all numbers except the address and the room. Recipes are cached in plans, so the description of a new view of
a known plan needs only these two numbers. For a part whose plan is a slice of a known plan, the descriptor is the
descriptor of the whole after an index map, whose rows are run-time numbers. All other views are described by their
mapping.

A description is attached to its view. It holds the storage and the tables to which its numbers refer.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, TypeAlias, cast, final

from mdview.accessors.accessor import Accessor
from mdview.base import Dim, as_text, brief, replace
from mdview.base.caches import is_small
from mdview.engines.mapping_plan import Plan
from mdview.errors import KernelError, MDViewError
from mdview.index.extents import static_extents
from mdview.index.index_map import Row, of_rows
from mdview.mappings.mapping import AnyMapping
from mdview.memory.exporters import address_of
from mdview.memory.storage import Storage
from mdview.numba.expression_lowering import UNLIMITED
from mdview.numba.indexing import describe_fill
from mdview.numba.item_access import ItemDescriptor, describe_access, describe_item
from mdview.numba.numba_api import errors, typeof
from mdview.numba.offset_descriptors import Description, describe_mapping
from mdview.numba.view_type import NO_DATA, NumbaViewType
from mdview.views.memory_export import RECORDS, TELL_APART
from mdview.views.view import MDView
from mdview.views.view_base import ViewBase, keep_for_kernels, kept_for_kernels, parts_of, placed_parts_of
from mdview.views.view_parts import AnyAccessor

BLOCK: Final = 1
"""The position of the block in a description."""
HELD: Final = 5
"""The number of entries of a description. A further entry may hold the buffer that Numba reads, or an error message."""
HEAD: Final = 3
"""The number of entries of a block before the run-time numbers: fingerprint of the type, address of the data, room."""
MOST_RECIPES: Final = 16
"""The most entries of the cache of recipes in a plan; a recipe has two entries."""

Described: TypeAlias = tuple[int, bytes, NumbaViewType, "Recipe", Storage]
"""A description: the number of the Numba type, the block, the Numba type itself, the recipe, and the storage."""
ItemFacts: TypeAlias = tuple[ItemDescriptor, int, int]
"""The descriptor of the items of a storage, the address of item 0, and the distance of addresses of items."""


_pack: Final = struct.Struct("2q").pack


@final
class Recipe:
    """The common part of the descriptions of all views with the same plan, and equal items and accessors.

    Attributes
    ----------
    kind, code
        The Numba type, and its number.
    head, tail
        The bytes of the block before the address, and after the room (the number of items from the address on).
    first
        The offset, relative to the origin of a view, to which the address belongs.
    step
        The distance of addresses of items; 0 without elements.
    low, high, most
        Bounds of the offsets, relative to the origin of a view, and the largest number of items from the origin on for
        which the bounds hold. A view with more items needs another recipe.
    whole
        The description of the mapping; None for a part.
    words
        The words of the fill, and of the fields of the accessor.
    held
        Objects to which numbers refer, besides the tables of ``whole``, and objects whose identity is part of a key.
    kinds
        The types of parts, by the rows of their index maps.
    """

    __slots__ = (
        *("code", "first", "head", "held", "high", "kind", "kinds", "low", "most", "step", "tail", "whole", "words"),
    )

    def __init__(
        self, kind: NumbaViewType, values: Sequence[int], words: Sequence[int], step: int, held: object
    ) -> None:
        """Make a recipe of run-time numbers, ``values``, and words; bounds and first offset are set later.

        Raises
        ------
        KernelError
            A run-time number takes more than 64 bits.
        """
        self.kind: NumbaViewType = kind
        self.code: int = kind._code
        self.words: Sequence[int] = words
        self.step: int = step
        self.held: object = held
        try:
            self.head: bytes = struct.pack("q", kind.fingerprint)
            self.tail: bytes = struct.pack(f"{len(values) + len(words)}q", *values, *words)
        except struct.error:
            raise KernelError(
                f"a kernel computes in 64 bits, and one of the numbers of this view takes more: {as_text(values)}"
            ) from None
        self.first: int = 0
        self.low: int = UNLIMITED
        self.high: int = -UNLIMITED
        self.most: int = UNLIMITED
        self.whole: Description | None = None
        self.kinds: dict[object, NumbaViewType] = {}

    def serves(self, origin: int, length: int) -> bool:
        """Tell whether the recipe holds for a view with this origin and length of the data."""
        return origin + self.low >= 0 and self.high < length - origin <= self.most


def describe_view(view: ViewBase) -> Described:
    """Make the description of a view, attach it to the view, and return it.

    Raises
    ------
    KernelError
        The view has no data, or a kernel cannot access it.
    """
    storage, origin, plan, accessor = placed_parts_of(view)
    if storage is None:
        raise KernelError(NO_DATA)
    facts: ItemFacts = getattr(storage, "in_kernels", None) or _facts(storage)
    recipe = _known(plan, facts, accessor)
    length = storage.length
    if recipe is None or not recipe.serves(origin, length):
        recipe = _of_part(plan, origin, length, facts, accessor) or _of_whole(view, origin, facts)
        _keep(plan, facts, accessor, recipe)
    origin += recipe.first
    block = recipe.head + _pack(facts[1] + origin * recipe.step, length - origin if recipe.step else 0) + recipe.tail
    description = recipe.code, block, recipe.kind, recipe, storage
    keep_for_kernels(view, description)
    return description


def description_of(view: ViewBase) -> Described:
    """Return the description that is attached to a view, or a new one; raises as `describe_view` does."""
    kept = kept_for_kernels(view)
    return cast("Described", kept) if kept[0] >= 0 else describe_view(view)


_ITEMS: Final[dict[object, ItemDescriptor]] = {}
"""Item descriptors by value, so that equal descriptors are one object.

A descriptor of aligned memory is also stored by format and item size.
"""


def _facts(storage: Storage) -> ItemFacts:
    """Return the facts about the items of a storage for kernels; they are cached in the storage."""
    items, item, address, step = storage.items, None, 0, 1
    if is_memory := type(items) is memoryview:
        address, step = address_of(items), items.itemsize
        item = _ITEMS.get((items.format, step))
    if item is None or address % (item.align or 1):
        described = describe_item(storage)  # refuses objects
        item = _ITEMS.setdefault(described, described)
        if is_memory and item.align == storage.item_alignment:
            _ITEMS[items.format, step] = item
    if not is_memory:  # an address of items that share a byte counts items
        parts = 8 // storage.bits if storage.bits % 8 else 1
        address, step = storage.address() * parts, storage.bits // 8 or 1
    storage.in_kernels = facts = item, address, step
    return facts


def _of_whole(view: ViewBase, plan_origin: int, facts: ItemFacts) -> Recipe:
    """Return a recipe made from the mapping of a view; a mapping that is pending is derived."""
    storage, origin, mapping, accessor = parts_of(view)
    if storage is None:
        raise KernelError(NO_DATA)
    if mapping.size and not 0 <= origin <= storage.length:
        raise KernelError(
            f"{brief(mapping)} begins at element {origin} of {storage.length}: the layout contradicts itself"
        )
    return _of_mapping(mapping, storage.length - origin, origin - plan_origin, facts, accessor)


def _known(plan: Plan, facts: ItemFacts, accessor: AnyAccessor) -> Recipe | None:
    """Return the recipe in a plan for items and an accessor, or an accessor of identical parts; None if absent."""
    recipes: dict[tuple[int, ...], Recipe] = plan.in_kernels
    recipe = recipes.get((id(facts[0]), id(accessor)))
    if recipe is None and recipes:
        recipe = recipes.get((id(facts[0]), *map(id, _parts_of_accessor(accessor))))
    return recipe


def _keep(plan: Plan, facts: ItemFacts, accessor: AnyAccessor, recipe: Recipe) -> None:
    """Cache a recipe in a plan, unless the accessor is large."""
    if is_small(accessor):
        recipe.held = parts = [recipe.held, accessor, *_parts_of_accessor(accessor)]
        recipes = plan.in_kernels if len(plan.in_kernels) < MOST_RECIPES else {}
        keys = (id(facts[0]), id(accessor)), (id(facts[0]), *map(id, parts[2:]))
        plan.in_kernels = {**recipes, **dict.fromkeys(keys, recipe)}


def _parts_of_accessor(accessor: AnyAccessor) -> list[object]:
    """Return the parts of an accessor: its class and its fields; an inner accessor is replaced by its own parts.

    Accessors with identical parts are equal.
    """
    parts: list[object] = [type(accessor)]
    for field in getattr(accessor, "__dict__", {"": accessor}).values():
        parts += _parts_of_accessor(field) if isinstance(field, Accessor) and field is not accessor else [field]
    return parts


def _of_mapping(mapping: AnyMapping, room: int, shift: int, facts: ItemFacts, accessor: AnyAccessor) -> Recipe:
    """Return a recipe from a mapping, for views with ``room`` items from offset 0 on.

    ``shift`` is the position of offset 0 relative to the origin of a view.
    """
    item, _, step = facts
    description = describe_mapping(mapping, room)
    access, fields, held = describe_access(accessor, item.dtype)
    words: list[int] = []
    kind = NumbaViewType(item, static_extents(mapping.extents), description.form, access)
    if description.form.fill is not None:
        fill, words = describe_fill(kind, accessor)
        kind = NumbaViewType(item, kind.extents, replace(description.form, fill=fill), access)
    recipe = Recipe(kind, description.values, [*words, *fields], step, held)
    recipe.whole = description
    if mapping.size:
        limits = description.low, description.high, description.most, description.first
        recipe.low, recipe.high, recipe.most, recipe.first = [limit + shift for limit in limits]
    else:
        recipe.step = 0
    return recipe


def _of_part(plan: Plan, origin: int, length: int, facts: ItemFacts, accessor: AnyAccessor) -> Recipe | None:
    """Return a recipe for views whose plan is a slice of another plan; None if the mapping is needed for the recipe."""
    if plan.strides is not None or plan.sliced is None or plan.mapping is not None:
        return None
    root, rows = plan.sliced
    if root.mapping is None or Dim in map(type, root.mapping.extents):
        return None
    base = _known(root, facts, accessor)
    if base is None or base.whole is None:
        base = _of_mapping(root.mapping, length - max(origin, 0), 0, facts, accessor)
        _keep(root, facts, accessor, base)
    whole, form = base.whole, base.kind.form
    if whole is None or form.root is None or (form.tiling and _is_aligned(form.tiling.sizes, rows)):
        return None
    has_tables = root.axes is not None
    if has_tables and (form.is_tested or not whole.follows_tables):
        return None  # the origin of the part comes from the tables of the plan
    kind, numbers = _moved(base, whole, rows, len(plan.extents))
    recipe = Recipe(kind, [*plan.extents, *whole.base, *numbers], base.words, facts[2], base)
    recipe.low, recipe.high, recipe.most = base.low, base.high, base.most
    if has_tables:
        recipe.low, recipe.high = plan.ends or (-UNLIMITED, UNLIMITED)
    return recipe if recipe.serves(origin, length) else None


def _is_aligned(sizes: Sequence[int], rows: Sequence[Row]) -> bool:
    """Tell whether a part of a view begins at the first element of a tile, and so may have tiles itself."""
    return all(step == 1 and first % n == 0 for (first, step, _), n in zip(rows, sizes, strict=True))


def _moved(base: Recipe, whole: Description, rows: Sequence[Row], rank: int) -> tuple[NumbaViewType, Sequence[int]]:
    """Return the Numba type of parts of a whole, given by the rows of their index map, and their open numbers."""
    if whole.rows is None:
        transform = whole.transform.after(of_rows(rows), rank)
        numbers: Sequence[int] = transform.open_numbers
        key: object = transform.pattern()
    else:  # the same, faster
        moved = whole.rows.rows_after(rows)
        numbers = [n for first, step, _ in moved for n in ((first,) if 0 <= step <= 1 else (first, step))]
        key = rank, *[(source, step if 0 <= step <= 1 else None) for _, step, source in moved]
    kind = base.kinds.get(key)
    if kind is None:
        pattern = whole.transform.after(of_rows(rows), rank).pattern()
        form = replace(base.kind.form, transform=pattern, tiling=None)
        base.kinds[key] = kind = NumbaViewType(base.kind.item, (None,) * rank, form, base.kind.access)
    return kind, numbers


@typeof.typeof_impl.register(ViewBase)
def typeof_view(view: ViewBase, context: object) -> NumbaViewType:
    """Return the Numba type of an argument that is a view.

    A ValueError of a user's layout becomes a KernelError: Numba would interpret it as an argument without a type.
    """
    if getattr(context, "purpose", None) is typeof.Purpose.constant:
        raise KernelError(
            "a view is no constant of a kernel: a compiled kernel would outlive it; pass the view as an argument"
        )
    try:
        kind = description_of(view)[2]
    except ValueError as error:
        raise KernelError(f"this view cannot be described to a kernel: {error}") from error
    if sys.version_info >= (3, 12):
        try:  # Numba may have requested the buffer before it loaded this module
            cast("Any", view).__buffer__(RECORDS)
        except BufferError as error:  # Numba requests the buffer in each call
            keep_for_kernels(view, (*description_of(view)[:HELD], str(error)))
    return kind


_FIRST: Final[dict[tuple[object, ...], NumbaViewType]] = {}
"""The type of the first view for each buffer format, rank, order and access; Numba caches it for all such buffers."""

_CLASSES: Final[dict[NumbaViewType, Any]] = {}
"""Subclasses of `MDView`, by Numba type, for views whose type is not in `_FIRST`.

A subclass is never deleted, since Numba caches classes by address. ``Any`` stands for classes of views.
"""


def _tell_apart(view: ViewBase, buffer: memoryview[Any]) -> None:
    """Set the class of a view to a subclass if Numba would mistake it for a view of another type.

    Numba caches one type for all objects of the same class whose buffers have equal format, rank, order and access.
    """
    with suppress(MDViewError, errors.NumbaError):  # the view cannot be an argument of a kernel
        description, cls = description_of(view), cast("Any", MDView)
        kind = description[2]
        key = buffer.format, buffer.ndim, buffer.c_contiguous, buffer.f_contiguous, buffer.readonly
        if _FIRST.setdefault(key, kind) is not kind:  # the type that Numba caches
            names = {"__slots__": (), "__module__": cls.__module__, "__doc__": cls.__doc__}
            cls = _CLASSES.get(kind) or _CLASSES.setdefault(kind, type(cls)(cls.__name__, (cls,), names, compiled=True))
        view.__class__ = cls
        if not buffer.readonly:
            keep_for_kernels(view, (*description[:HELD], buffer))


TELL_APART.append(_tell_apart)
