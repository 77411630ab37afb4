"""`LayoutComposed`: the composition of another layout with an index map (slice of tiles, reshape, padding).

It is the result of operations that no other layout expresses: a slice of a tiled layout, a reshape of a transpose, a
padded view. An operation on a composed layout composes the index maps, so an access costs one index map for a chain of
any length. Only a reshape of an irregular slice of a reshape, or of a padded view, nests a second composed layout.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final, final

from mdview.base import ValueType, as_integer, as_text, brief, has_collision, plural, replace, value
from mdview.base.argument_checks import as_pairs
from mdview.errors import LayoutError, LayoutTypeError, RankError
from mdview.index.extents import Dim, as_extents, is_empty, shape_text, size_of
from mdview.index.index_map import IndexMap
from mdview.index.padding import domain, whole
from mdview.layouts.layout import FEW, Box, Composition, Layout, Strides, as_layout, unless_undecided
from mdview.layouts.offset_analysis import linear_over, offset_of

_KINDS: Final = frozenset({int, Dim})


@final
@value
class LayoutComposed(Layout, metaclass=ValueType):
    """The composition of ``base`` over ``base_extents`` with ``transform``, a map to indices of the base.

    ``box`` has a half-open range of indices for each dimension: only indices inside have elements, and indices outside
    are the padding that `pad` adds. A box with more ranges than the rank is empty: an integer index selected padding.
    """

    short_name = "composed"
    base: Layout
    base_extents: tuple[int, ...]
    transform: IndexMap
    box: Box | None = None

    def __post_init__(self) -> None:
        """Convert the base extents to a tuple of ints, and the numbers of the transform to ints.

        Raises
        ------
        ExtentsTypeError, ExtentsError
            ``base_extents`` are not valid extents, or a number of the transform is not an integer.
        """
        if isinstance(self.base, str):
            object.__setattr__(self, "base", as_layout("LayoutComposed composes", self.base))
        extents, transform = self.base_extents, self.transform
        if isinstance(transform, IndexMap):  # another type is refused when the layout is bound
            ints = transform.of_ints()
            if ints is not transform:
                object.__setattr__(self, "transform", ints)
        if type(extents) is not tuple or not _KINDS.issuperset(map(type, extents)):
            object.__setattr__(self, "base_extents", as_extents(extents))

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Return the offset of the transformed index in the base."""
        return self.base.offset(self.base_extents, self.transform.apply(index))

    def composition(self, extents: Sequence[int]) -> Composition:
        """Return the base, its extents, the transform and the box."""
        return Composition(self.base, self.base_extents, self.transform, self.box)

    def static_parameters(self) -> Hashable:
        """Return the types of the base extents, static or not, and the static parameters of the base."""
        return (*map(type, self.base_extents), self.base.static_parameters())

    def is_total(self) -> bool:
        """Tell whether neither this layout nor the base has padding."""
        return self.box is None and self.base.is_total()

    def has_element(self, extents: Sequence[int], index: Sequence[int]) -> bool:
        """Tell whether ``index`` lies in the box and its base index has an element."""
        if self.box is not None:
            if len(self.box) > len(index):
                return False
            for i, (low, high) in zip(index, self.box, strict=False):
                if not low <= i < high:
                    return False
        return self.base.is_total() or self.base.has_element(self.base_extents, self.transform.apply(index))

    def valid_box(self, extents: Sequence[int]) -> Box:
        """Return the box of the indices that lie in ``box`` and have an element in the base.

        Raises
        ------
        LayoutError
            The base has padding, and after a reshape the indices with elements do not form a box.
        """
        inside = whole(extents) if self.box is None else self.box
        if self.base.is_total():
            return inside
        box = domain(self.transform, self.base.valid_box(self.base_extents), inside)
        if box is None:
            raise LayoutError(
                f"the padding of {brief(self)} lies behind a reshape and is no box; ask is_valid(index) instead"
            )
        return box

    def check(self, extents: Sequence[int]) -> None:
        """Refuse extents with a rank that is too low, or with indices that the transform maps outside the base."""
        self._check_parts()
        transform = self.transform
        sources = [source for source in transform.source if source is not None]
        rank = 1 + max(sources, default=-1) if transform.radix is None else len(transform.radix.weights)
        if len(extents) < rank:
            reads = plural(rank, "index", "indices")
            raise RankError(f"the transform reads {reads}, extents {shape_text(extents)} have rank {len(extents)}")
        if self.box is not None and len(self.box) < len(extents):
            raise RankError(
                f"a box has a range for each dimension of extents {shape_text(extents)}, got {as_text(self.box)}"
            )
        if is_empty(self._elements(extents)[1]):
            return
        box = whole(extents) if self.box is None else self.box
        inside = transform.after(IndexMap.shifted([low for low, _ in box]))
        for r, (low, high) in enumerate(inside.ranges([high - low for low, high in box])):
            if low < 0 or high >= self.base_extents[r]:
                raise LayoutError(
                    f"extents {shape_text(extents)} reach index {as_text(min(low, 0) or high)} of "
                    f"dimension {r} of the base, "
                    f"whose extent is {self.base_extents[r]}"
                )

    def _check_parts(self) -> None:
        """Check that base, base extents, transform and box of a composed layout are valid and fit each other."""
        as_layout("LayoutComposed composes", self.base)
        transform = self.transform
        if not isinstance(transform, IndexMap):
            raise LayoutTypeError(f"LayoutComposed takes an IndexMap, got {brief(transform)}")
        if self.box is not None:
            as_pairs(self.box, "a box")
        self.base.check(as_extents(self.base_extents))
        if {len(transform.offset), len(transform.stride), len(transform.source)} != {len(self.base_extents)}:
            raise RankError(
                f"{brief(transform)} leads to {len(transform.offset)} dimensions, the base has {self.base_extents}"
            )
        if any(source is not None and as_integer(source, "a source of a transform") < 0 for source in transform.source):
            raise LayoutError(f"sources of a transform are dimension numbers, 0 or more: {as_text(transform.source)}")

    def required_span_size(self, extents: Sequence[int]) -> int:
        """Return the largest offset of an element plus 1; 0 if there is no element."""
        part, counts = self.same_offsets(extents)
        if not isinstance(part, LayoutComposed):
            return part.required_span_size(counts)
        bounds = part.offset_bounds(counts)
        return 0 if bounds is None else 1 + bounds[1]

    def offset_bounds(self, extents: Sequence[int]) -> tuple[int, int] | None:
        """Return the lowest and highest offset of an element; None if there is no element.

        The bounds are those of the base if the transform is onto. If the offset is monotone in each index, the bounds
        are the offsets of the lowest and the highest base index. Otherwise they follow from the arithmetic.
        """
        part, counts = self.same_offsets(extents)
        if not isinstance(part, LayoutComposed):
            return part.offset_bounds(counts)
        if is_empty(counts):
            return None
        base = part.base
        transform = part.transform
        moves = {(source, step > 0) for step, source in zip(transform.stride, transform.source, strict=True) if step}
        is_affine = transform.radix is None and len(moves) == len({source for source, _ in moves})
        if base.is_total() and base.is_monotone() and is_affine:  # no index moves base indices both ways
            lowest, highest = list(zip(*transform.ranges(counts), strict=True)) or [(), ()]
            return offset_of(base, part.base_extents, lowest), offset_of(base, part.base_extents, highest)
        return Layout.offset_bounds(part, counts)

    def is_unique(self, extents: Sequence[int]) -> bool:
        """Tell whether no two indices share an offset; if the transform is injective, the base decides."""
        part, counts = self._elements(extents)
        if is_empty(counts):
            return True
        repeats = part._repeats(counts)  # noqa: SLF001 - the same class
        if repeats and self.base.is_total():
            return False
        # A base index depends on one index or digit, so the transform is injective if each has a base index.
        moved = {source for step, source in zip(part.transform.stride, part.transform.source, strict=True) if step}
        radix = part.transform.radix
        through = radix is None or all(n == 1 or r in moved for r, n in enumerate(radix.shape))
        if through and self.base.is_always_unique((None,) * len(self.base_extents)):
            return True
        if not repeats and through and part.transform.is_onto(counts, self.base_extents):
            return self.base.is_unique(self.base_extents)
        if part.is_total() and size_of(counts) > FEW:
            if through and unless_undecided(lambda: self.base.is_unique(self.base_extents)):
                return True
            ends = unless_undecided(lambda: part.offset_bounds(counts))
            if ends is not None and size_of(counts) > ends[1] - ends[0] + 1:
                return False  # more indices than offsets
        return Layout.is_unique(part, counts)

    def is_exhaustive(self, extents: Sequence[int]) -> bool:
        """Tell whether every offset below the span is the offset of an element."""
        part, counts = self.same_offsets(extents)
        size = size_of(counts)
        if part.is_total() and part.is_always_unique((None,) * len(counts)):
            return part.required_span_size(counts) == size  # unique: counting decides
        if not isinstance(part, LayoutComposed):
            return part.is_exhaustive(counts)
        if part.is_total() and size > FEW and unless_undecided(lambda: part.is_unique(counts)):
            return part.required_span_size(counts) == size
        return is_empty(counts) or Layout.is_exhaustive(part, counts)

    def _elements(self, extents: Sequence[int]) -> tuple[LayoutComposed, tuple[int, ...]]:
        """Return the part inside the box as a layout without a box, and its extents, with a 0 if the box is empty."""
        if self.box is None:
            return self, tuple(extents)
        if len(self.box) > len(extents):
            return self, (0,)
        box = [(max(low, 0), min(high, e)) for (low, high), e in zip(self.box, extents, strict=True)]
        into = IndexMap.shifted([low for low, _ in box])
        inner = LayoutComposed(self.base, self.base_extents, self.transform.after(into))
        return inner, tuple([max(0, high - low) for low, high in box])

    def same_offsets(self, extents: Sequence[int]) -> tuple[Layout, Sequence[int]]:
        """Return the base if the transform is onto, else this layout over fewer indices; and extents for the result."""
        part, counts = self._elements(extents)
        if is_empty(counts):
            return part, counts
        if part.transform.is_onto(counts, self.base_extents):
            return self.base.same_offsets(self.base_extents)
        transform, counts = part.transform.fewest(counts)
        return replace(part, transform=transform), counts

    def strides(self, extents: Sequence[int]) -> Strides | None:
        """Return the strides if the offset is linear in the index; None if it is not linear, or if there is a box."""
        if self.box is not None:
            return None
        form = composed_strides(self.base, self.base_extents, self.transform, extents)
        return None if form is None else form[1]

    def _repeats(self, extents: Sequence[int]) -> bool:
        """Tell whether two indices have the same base index, so that the composition is not unique.

        That is, the mixed-radix stage maps them to the same number, or a dimension has no influence on the base index.
        """
        transform = self.transform
        if transform.radix is not None:
            return has_collision(extents, transform.radix.all_weights(len(extents)))
        moved = {source for step, source in zip(transform.stride, transform.source, strict=True) if step}
        return any(e > 1 and r not in moved for r, e in enumerate(extents))


def composed_strides(
    base: Layout, base_extents: tuple[int, ...], transform: IndexMap, extents: Sequence[int]
) -> tuple[int, Strides] | None:
    """Return the origin and the strides of a base composed with a transform; None if there are no strides."""
    if not base.is_total():
        return None
    if transform.radix is not None:
        if is_empty(extents) or base.stride_rule() is None:
            return None
        folded = transform.folded(base.strides(base_extents) or (), extents)
        return None if folded is None else (base.origin(base_extents) + folded[0], tuple(folded[1]))
    source = transform.source
    count = [1 if s is None else extents[s] for s in source]
    rows = list(zip(transform.offset, [0] * len(count) if is_empty(extents) else count, transform.stride, strict=True))
    form = linear_over(base, base_extents, rows)  # over an empty index space the transform may leave the base
    if form is None:
        return None
    strides = [0] * len(extents)
    for s, stride in zip(source, form[1], strict=True):
        if s is not None:
            strides[s] += stride
    return form[0], tuple(strides)
