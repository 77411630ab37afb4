"""Selections: what stands in the brackets of a view in a kernel, dimension by dimension, and the part it selects.

The types of the indices decide which layout and which static extents a part has; their values, where it begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast, final

from mdview.accessors.base import IndexRule
from mdview.base.values import replace, value
from mdview.errors import SliceError
from mdview.expressions.nodes import Param
from mdview.expressions.tracing import Symbol
from mdview.index.transforms import IndexMap, of_rows
from mdview.numba.atomic_steps import AtomicRefType
from mdview.numba.extension import Dummy, LLVMValue, NumbaType, errors, slicing, types
from mdview.numba.forms import Composed, Form, Strided
from mdview.numba.llvm import const, value_of
from mdview.numba.transforms import OpenTransform, Transform
from mdview.numba.view_values import Parts
from mdview.numba.viewtype import ViewType


@final
class AllType(Dummy):
    """Type of `mdview.ALL`: a whole dimension, whose extent stays static."""

    def __init__(self) -> None:
        """Make the one type."""
        super().__init__("mdview.ALL")


ALL_TYPE: Final = AllType()


def _unknown() -> Any:
    """Return a number that a type does not tell. Any: it stands for ints."""
    return Symbol(Param(0))


@final
@value
class Part:
    """What one dimension contributes: the type of its selection, and which argument that is, None for all of it.

    A new axis, of the type of None, belongs to no dimension of the view.
    """

    kind: Any
    argument: int | None

    @property
    def is_index(self) -> bool:
        """Whether the dimension is dropped."""
        return isinstance(self.kind, types.Integer | types.Boolean)

    @property
    def is_new(self) -> bool:
        """Whether it is a new axis."""
        return isinstance(self.kind, types.NoneType)

    @property
    def is_whole(self) -> bool:
        """Whether all of it is selected, as the type alone tells."""
        return isinstance(self.kind, AllType)

    @property
    def has_step(self) -> bool:
        """Whether neighbours may be further apart."""
        return isinstance(self.kind, types.SliceType) and bool(self.kind.has_step)

    def step_from(self, given: Any) -> Any:  # Any: an int, or what stands for one in a kernel
        """Distance of neighbours: ``given`` where there is a step, else 1; 0 for a dimension that is dropped."""
        if self.is_index:
            return 0
        return given if self.has_step else 1


def entries(index: NumbaType) -> tuple[NumbaType, ...]:
    """Types of the entries of an index, where a reference stands for its number."""
    kinds = tuple(index.types) if isinstance(index, types.BaseTuple) else (index,)
    return tuple([kind.dtype if isinstance(kind, AtomicRefType) else kind for kind in kinds])


def parts(view: ViewType, kinds: Sequence[NumbaType]) -> list[Part]:
    """One part per dimension of ``view`` from the types in its brackets, which must fit its rank and be indices.

    Each None is a part as well, where it stands.
    """
    given = [Part(kind, k) for k, kind in enumerate(kinds)]
    dots = [k for k, kind in enumerate(kinds) if isinstance(kind, types.EllipsisType)]
    indices = len(given) - len([part for part in given if part.is_new])
    missing = view.ndim - (indices - len(dots))
    if len(dots) > 1 or missing < 0:
        raise errors.TypingError(f"{indices} indices do not fit a view of rank {view.ndim}")
    place = dots[0] if dots else len(given)
    whole = [Part(ALL_TYPE, None)] * missing
    chosen = [*given[:place], *whole, *given[place + len(dots) :]]
    for r, part in enumerate(of_dimensions(chosen)):
        if not (part.is_index or part.is_whole or isinstance(part.kind, types.SliceType) or is_pair(part.kind)):
            raise errors.TypingError(
                f"index of type {part.kind} of dimension {r} is no integer, slice, '...', None or ALL"
            )
    return chosen


def of_dimensions(chosen: Sequence[Part]) -> list[Part]:
    """Return the parts that belong to dimensions of the view: all but the new axes."""
    return [part for part in chosen if not part.is_new]


def is_pair(kind: NumbaType) -> bool:
    """Tell whether this is a pair of integers: the beginning and the end of a range."""
    return isinstance(kind, types.BaseTuple) and len(kind) == 2 and all(isinstance(t, types.Integer) for t in kind)  # noqa: PLR2004


def is_element(view: ViewType, kinds: Sequence[NumbaType]) -> bool:
    """Tell whether these are one index for each dimension."""
    return len(kinds) == view.ndim and all(isinstance(k, types.Integer | types.Boolean) for k in kinds)


def part_type(view: ViewType, chosen: Sequence[Part]) -> ViewType:
    """Type of the part of ``view`` that is selected."""
    given = iter(view.extents)
    extents = [(part, None if part.is_new else next(given)) for part in chosen]
    kept = tuple([extent if part.is_whole else None for part, extent in extents if not part.is_index])
    return ViewType(view.dtype, kept, _part_form(view, chosen), view.access)


def _part_form(view: ViewType, chosen: Sequence[Part]) -> Form:
    form, unknown = view.form, [_unknown()] * view.ndim
    if isinstance(form, Strided):
        given = iter(form.strides)
        strides = [(1 if part.is_new else next(given), part) for part in chosen]
        kept = [(s, part) for s, part in strides if not part.is_index]
        products = [(_unknown() if s is None else s) * part.step_from(_unknown()) for s, part in kept]
        return Strided(tuple([s if isinstance(s, int) else None for s in products]))
    inner = form.transform.filled([_unknown()] * form.transform.count) if isinstance(form, Composed) else None
    moved = OpenTransform.of((inner or Transform.identity(view.ndim)).after(*_selecting(chosen, unknown, unknown)))
    if isinstance(form, Composed):
        return replace(form, transform=moved)
    return Composed(form.root, view.extents, (), moved, form.is_tested, None, form.tables)


def _selecting(chosen: Sequence[Part], firsts: Sequence[Any], steps: Sequence[Any]) -> tuple[IndexMap, int]:
    """Index map from a part to the view, by first indices and steps, and the rank of the part."""
    rank = len([part for part in chosen if not part.is_index])
    place, each = iter(range(rank)), zip(firsts, steps, strict=True)
    rows: list[tuple[Any, Any, int | None]] = []
    for part in chosen:
        own = None if part.is_index else next(place)
        if not part.is_new:  # no index of the view depends on a new axis
            first, step = next(each)
            rows.append((0 if part.is_whole else first, part.step_from(step), own))
    return of_rows(rows), rank


@final
@value
class Range:
    """Where one dimension of a part begins, how many indices it has, and how far apart they are."""

    first: LLVMValue
    count: LLVMValue
    step: LLVMValue


_NEW: Final = Range(const(0), const(1), const(1))
"""The one index of a new axis."""


def select(view: Parts, chosen: Sequence[Part], given: Sequence[LLVMValue], rule: IndexRule) -> LLVMValue:
    """Struct of the part of ``view`` that ``chosen`` selects with the values ``given``."""
    dimensions = of_dimensions(chosen)
    ranges = [_range(view, r, part, given, rule) for r, part in enumerate(dimensions)]
    kind, each = part_type(view.kind, chosen), iter(ranges)
    specs = [(part, _NEW if part.is_new else next(each)) for part in chosen]
    counts = [spec.count for part, spec in specs if not part.is_index]
    extents = [count for count, extent in zip(counts, kind.extents, strict=True) if extent is None]
    if isinstance(view.kind.form, Strided):
        place = view.offset([spec.first for spec in ranges])
        given_strides = iter(view.strides())
        strides = [(part, spec, const(1) if part.is_new else next(given_strides)) for part, spec in specs]
        steps = [view.builder.mul(s, spec.step) for part, spec, s in strides if not part.is_index]
        free = [s for s, known in zip(steps, cast("Strided", kind.form).strides, strict=True) if known is None]
        return view.derive(kind, view.at(place), [*extents, *free])
    rest = _composed_values(view, chosen, cast("Composed", kind.form), ranges)
    return view.derive(kind, view.data, [*extents, *rest])


def _composed_values(view: Parts, chosen: Sequence[Part], form: Composed, ranges: Sequence[Range]) -> list[LLVMValue]:
    """Values of a part of a view that is not strided."""
    firsts = [view.number(spec.first, wraps=True) for spec in ranges]
    steps = [view.number(spec.step, wraps=True) for spec in ranges]
    moved = view.transform(wraps=True).after(*_selecting(chosen, firsts, steps))
    numbers = map(value_of, form.transform.numbers(moved))
    return [*view.parameters, *view.tables, *numbers, *[view.room] * form.has_room, *view.words]


def _range(view: Parts, r: int, part: Part, given: Sequence[LLVMValue], rule: IndexRule) -> Range:
    extent = view.extents[r]
    if part.argument is None or part.is_whole:
        return Range(const(0), extent, const(1))
    entry = given[part.argument]
    if part.is_index:
        return Range(view.checked(r, part.kind, entry, rule), const(1), const(1))
    if is_pair(part.kind):
        return _pair(view, r, part.kind, entry)
    spec = view.context.make_helper(view.builder, part.kind, entry)
    slicing.guard_invalid_slice(view.context, view.builder, part.kind, spec)
    slicing.fix_slice(view.builder, spec, extent)
    step = spec.step if part.has_step else const(1)
    return Range(spec.start, slicing.get_slice_length(view.builder, spec), step)


def _pair(view: Parts, r: int, kind: NumbaType, pair: LLVMValue) -> Range:
    builder = view.builder
    ends = [builder.extract_value(pair, k) for k in range(2)]
    begin, end = [view.context.cast(builder, e, t, types.int64) for e, t in zip(ends, kind, strict=True)]
    bad = builder.or_(builder.icmp_signed("<", begin, const(0)), builder.icmp_signed("<", end, begin))
    bad = builder.or_(bad, builder.icmp_signed(">", end, view.extents[r]))
    view.guard(bad, f"the range of dimension {r} is no range within its extent", SliceError)
    return Range(begin, builder.sub(end, begin), const(1))
