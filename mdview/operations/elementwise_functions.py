"""Elementwise functions: `transform` and `accumulate` over views and bins, as columns of equal length.

A *column* is an operand of bulk operations with one element for each index, or, if any operand is binned, for each
event. The column of a binned operand has the events cell by cell. The column of a view beside a binned operand repeats
the element of each cell for each event in the cell.
"""

# Overloads go from the narrow source to the wide one, so they overlap by design.
# mypy: disable-error-code="overload-overlap"

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, repeat
from typing import Any, TypeAlias, TypeVar, cast, overload

from mdview.accessors.accessor import Writable
from mdview.accessors.policies import DefaultAccessor
from mdview.base import answer_calls, brief, import_numpy, loaded_module, plural, refuse_unviewed
from mdview.base.argument_checks import check_function
from mdview.engines.bulk import bulk_dispatch, reference_loop
from mdview.engines.bulk.bulk_operand import PLAIN, Operand
from mdview.engines.mapping_plan import Plan
from mdview.engines.offset_tables import Base, TablePart
from mdview.errors import BroadcastError, OperandError
from mdview.index.extents import shape_text
from mdview.iteration.bins import AnyBinned, Binned, Bins, over_cells, packed_ranges
from mdview.iteration.coalesced_loops import LoopNest, common_extents
from mdview.layouts.layout import Layout
from mdview.mappings.mapping import L, Mapping
from mdview.memory.data_types import DTypeLike
from mdview.memory.storage import is_memory
from mdview.operations.copy_fill_reduce import AnyView, check_fold, check_writable
from mdview.operations.creation import view_of_results
from mdview.views.memory_export import AnyArray
from mdview.views.typing_protocols import A, AnySource, R, S, Source, T
from mdview.views.view import MDView
from mdview.views.view_base import extents_of, held, operand_of
from mdview.views.view_stores import target_operand

Column: TypeAlias = AnyView | AnyBinned
# Any, throughout: operands have any element types.
# Any: for three or more operands, or bins beside views, no overload relates the types of operands and results.
ElementFunction: TypeAlias = Callable[..., Any]
Results: TypeAlias = list[Any] | AnyArray
T0 = TypeVar("T0")
T1 = TypeVar("T1")
Each = TypeVar("Each", bound=tuple[Any, ...])
W = TypeVar("W")
_Values: TypeAlias = Source[T0, tuple[Any, ...]]
_Cells: TypeAlias = _Values[T0] | Binned[T0, Any]
_Any: TypeAlias = AnySource | AnyBinned
_NewBinned: TypeAlias = Binned[R, DefaultAccessor[R]]
# The same type as a result has any accessor, as a checker keeps `Writable` of the accessor's type and no more.
_Out: TypeAlias = MDView[T, S, L, Writable[W, object]]
_Sink: TypeAlias = MDView[object, tuple[int, ...], Layout, Writable[W, object]] | Binned[W, Any]


@overload
def transform(f: Callable[[T0], R], a: Source[T0, S], /, *, out: None = None) -> MDView[R, S]: ...
@overload
def transform(
    f: Callable[[T0, T1], R], a: _Values[T0], b: _Values[T1], /, *, out: None = None
) -> MDView[R, tuple[Any, ...]]: ...
@overload
def transform(f: Callable[[T0], R], a: _Cells[T0], /, *, out: None = None) -> _NewBinned[R]: ...
@overload
def transform(f: Callable[[T0, T1], R], a: _Cells[T0], b: _Cells[T1], /, *, out: None = None) -> _NewBinned[R]: ...
@overload
def transform(f: Callable[[T0], W], a: _Cells[T0], /, *, out: _Out[T, S, L, W]) -> MDView[T, S, L, Any]: ...
@overload
def transform(
    f: Callable[[T0, T1], W], a: _Cells[T0], b: _Cells[T1], /, *, out: _Out[T, S, L, W]
) -> MDView[T, S, L, Any]: ...
@overload
def transform(f: Callable[[T0], W], a: _Cells[T0], /, *, out: Binned[W, A]) -> Binned[W, A]: ...
@overload
def transform(f: Callable[[T0, T1], W], a: _Cells[T0], b: _Cells[T1], /, *, out: Binned[W, A]) -> Binned[W, A]: ...
@overload
def transform(
    f: ElementFunction, a: _Any, b: _Any, c: _Any, /, *more: _Any, out: _Any | None = ..., dtype: DTypeLike | None = ...
) -> Any: ...
@overload
def transform(f: ElementFunction, /, *operands: _Any, out: None = None, dtype: DTypeLike) -> Any: ...
@answer_calls
def transform(f: ElementFunction, *operands: Any, out: Any = None, dtype: DTypeLike | None = None) -> Any:
    """Apply ``f`` at each index: ``out[i] = f(a[i], b[i], ...)`` for operands broadcast to each other.

    Parameters
    ----------
    f
        A function of as many values as there are operands. A NumPy ufunc is applied to arrays, so overflow and types
        of results follow NumPy. Any other function is applied to Python values in index order, last index fastest.
    operands
        Views and `Binned`. If an operand is binned, ``f`` is applied to each event: a view has the same value for all
        events of a cell, and the cells of several binned operands have equal numbers of events.
    out
        A view or `Binned` that receives the results; it may be an operand or overlap an operand. If there are several
        results for an element (such as an event that is in two cells), they must agree. By default the results are
        stored in a new view in C order, or for binned operands in a new `Binned` with contiguous bins.
    dtype
        The type of the items of new memory, see `empty`. For a ufunc the default is the type of NumPy's result. For any
        other function it is the type of the results if all are numbers of the same type, else objects.

    Returns
    -------
    MDView or Binned
        ``out``, or the new view or `Binned`.

    Raises
    ------
    BroadcastError
        The extents of the operands cannot be broadcast to each other, or differ from the extents of ``out``; see
        `accumulate`.
    LayoutError
        Results for the same element differ.
    BinsError
        Cells of binned operands differ in size; the message names the first such cell.
    OperandError
        ``f`` is not a function or is a ufunc of another number of values, there is no operand, an operand is neither a
        view nor `Binned`, or ``out`` is a view although an operand is binned.
    ReadOnlyError, NullViewError, HaloError
        ``out`` does not store, a view has no data, or an index of ``out`` lies in padding.

    An error that ``f`` or the store of a result raises is raised unchanged, and no element is changed.

    >>> row, column = MDView([1, 2, 3], (3,)), MDView([10, 20], (2, 1))
    >>> transform(lambda x, y: x * y, row, column).tolist()
    [[10, 20, 30], [20, 40, 60]]
    >>> binned = Binned(MDView([1, 2, 3, 4, 5], (5,)), [(0, 2), (2, 2), (2, 5)])
    >>> transform(lambda x, y: x * y, binned, MDView([2, 3, 4], (3,)), out=binned).events.tolist()
    [2, 4, 12, 16, 20]
    """
    _check_call(f, operands, out, dtype)
    takes_arrays = _takes_arrays(f, len(operands))
    extents, sizes, sources = columns(operands if out is None else (*operands, out), out)
    target = None
    if out is not None:
        target = sources.pop()
        _check_results(out, extents, sizes)
    if takes_arrays:
        results: Results = bulk_dispatch.applied(f, sources, target)
    else:
        results = [f(*values) for values in zip(*[bulk_dispatch.values(source) for source in sources], strict=True)]
        if target is not None:
            bulk_dispatch.assign(target, results)
    if out is not None:
        return out
    if sizes is None:
        return view_of_results(results, operands[0].extents if len(operands) == 1 else extents, dtype)
    return _new_binned(results, extents, sizes, operands, dtype)


@overload
def accumulate(f: Callable[[W], W], out: _Sink[W]) -> None: ...
@overload
def accumulate(f: Callable[[W, T0], W], out: _Sink[W], a: _Cells[T0], /) -> None: ...
@overload
def accumulate(f: Callable[..., W], out: _Sink[W], a: Column, b: Column, /, *more: Column) -> None: ...
@answer_calls
def accumulate(f: ElementFunction, out: Column, *operands: Any) -> None:
    """Combine values into elements of ``out``: ``out[i] = f(out[i], a[i], b[i], ...)`` for each index ``i`` in turn.

    ``out`` is broadcast to the operands, so an element of ``out`` is combined with the values at all indices that share
    the element, last index fastest. An element of a view ``out`` beside binned operands is combined with all events of
    its cell.

    Parameters
    ----------
    f
        A function of an element of ``out`` and as many values as there are operands. NumPy ufuncs of one or two values
        run in NumPy, in the same order, with one exception: a ufunc with an identity (``np.add``) combines the events
        of a cell first, floats pairwise.
    out
        A view or `Binned` that stores. It may overlap operands, whose values before the call are used.
    operands
        Views and `Binned`, see `transform`.

    Raises
    ------
    BroadcastError, BinsError, OperandError, ReadOnlyError, NullViewError, HaloError
        See `transform`. If any of these errors is raised, nothing is stored.

    >>> total = MDView([0, 100], (2, 1))
    >>> accumulate(lambda x, y: x + y, total, MDView([1, 2, 3, 4, 5, 6], (2, 3)))
    >>> total.tolist()
    [[6], [115]]
    """
    check_function(f, "f")
    takes_arrays = _takes_arrays(f, 1 + len(operands)) and len(operands) <= 1 and hasattr(f, "resolve_dtypes")
    _, sizes, (target, *sources) = columns((out, *operands), out, by_cell=True)
    are_arrays = takes_arrays and target.is_plain and is_memory(target.items)
    is_by_cell = sizes is not None and isinstance(out, MDView)
    is_combined = are_arrays and is_by_cell and len(sources) == 1 and cast("Any", f).identity is not None
    if sizes is not None and is_by_cell and not is_combined:
        target = repeated(target, sizes, is_target=True)
    if are_arrays:
        _accumulate_arrays(f, target, sources, sizes if is_combined else None)
        return
    staged: dict[int, Any] = {}
    read, items = target.accessor.read, target.items
    values_by_source = [bulk_dispatch.values(source) for source in sources]
    for position, *values in zip(reference_loop.positions(target), *values_by_source, strict=True):
        before = staged[position] if position in staged else read(items, position)
        staged[position] = f(before, *values)
    reference_loop.store_each(cast("Writable[Any, Any]", target.accessor), items, staged.keys(), staged.values())


def _accumulate_arrays(f: Any, target: Operand, sources: Sequence[Operand], sizes: list[int] | None) -> None:
    """Accumulate by a ufunc in a copy of the target, and store the copy. ``Any`` stands for a ufunc.

    The type of the copy can hold the arguments and results of ``f``. If ``sizes`` is not None, it has the number of
    consecutive events of each element, and ``f``, which has an identity, first combines the events of each element.
    """
    np = import_numpy()
    places, columns = bulk_dispatch.position_array(target), [bulk_dispatch.array(source).ravel() for source in sources]
    counts = None if sizes is None else np.array(sizes, np.intp)
    places = places if counts is None else places[counts > 0]
    if not places.size:
        return
    first = int(places.min())
    places = places - first
    span = Plan((int(places.max()) + 1,), first, (1,))
    window = bulk_dispatch.array(Operand(target.items, span, 0, target.accessor))
    window = window.astype(np.result_type(*f.resolve_dtypes((window.dtype, *[c.dtype for c in columns], None))))
    if counts is not None:
        columns = [f.reduceat(columns[0], (np.cumsum(counts) - counts)[counts > 0], dtype=window.dtype)]
    f.at(window, places, *columns)
    copied = operand_at(target, first, places)
    bulk_dispatch.copy(copied.ordered(window[places]), copied, keeps_last=True)


def _check_call(f: object, operands: Sequence[Column], out: Column | None, dtype: DTypeLike | None) -> None:
    """Check that the arguments of `transform` fit each other."""
    check_function(f, "f")
    if not operands:
        raise OperandError("transform has at least one operand; fill(view, value) needs none")
    if len(operands) == 1:
        check_fold(f, "f must take an element")
    if dtype is not None and out is not None:
        raise OperandError("dtype is that of new memory, and the items of out have one; leave one of the two out")


def _takes_arrays(f: Any, count: int) -> bool:
    """Tell whether ``f`` has the interface of a ufunc; refuse a ufunc that does not take ``count`` values."""
    try:
        taken, results, signature = f.nin, f.nout, f.signature
    except AttributeError:
        return False
    if not isinstance(taken, int) or not hasattr(f, "at"):
        return False
    if signature is not None or results != 1:
        raise OperandError(f"{brief(f)} does not give one value at each index; call it with np.asarray(view)")
    if taken != count:
        raise OperandError(f"{brief(f)} is a function of {plural(taken, 'value')}, got {count}")
    return True


def _check_results(out: Column, extents: tuple[int, ...], sizes: list[int] | None) -> None:
    """Check that ``out`` of an elementwise function has one element for each result."""
    if (out.extents if isinstance(out, Binned) else extents_of(out)) != extents:
        raise BroadcastError(
            f"the results have extents {shape_text(extents)}, the output has {shape_text(out.extents)}; to "
            f"combine several results in one element, use accumulate"
        )
    if isinstance(out, Binned):
        return
    if sizes is not None:
        raise OperandError(
            "binned operands give a result for each event, which a dense output cannot hold; use accumulate"
        )


def _new_binned(
    results: Results, extents: tuple[int, ...], sizes: list[int], operands: Sequence[Column], dtype: DTypeLike | None
) -> AnyBinned:
    """Return new contiguous bins of results, whose buffer has the form of the first binned operand's buffer.

    Results are given cell by cell, which is their order in the buffer if its dimension 0 is cut into bins; otherwise
    they are reordered.
    """
    first = next(operand for operand in operands if isinstance(operand, Binned)).bins
    rest = list(first.buffer.extents)
    rest[first.axis] = 1
    cell = Mapping(tuple(rest)).size
    ranges = packed_ranges([size // cell if cell else 0 for size in sizes])
    rest[first.axis] = ranges[-1][1] if ranges else 0
    data = results.copy() if first.axis else results
    new = Binned(view_of_results(data, tuple(rest), dtype), ranges, axis=first.axis, cells=Mapping(extents))
    if first.axis:
        _, _, (target,) = columns((new,))
        bulk_dispatch.copy(target.ordered(results), target)
    return new


def columns(
    given: Sequence[Column], out: Column | None = None, *, by_cell: bool = False
) -> tuple[tuple[int, ...], list[int] | None, list[Operand]]:
    """Return the common extents of operands, the number of events in each cell (None without bins), and the columns.

    If ``out`` is a view beside binned operands, its column has an element for each event, or for each cell if
    ``by_cell``.

    Raises
    ------
    OperandError
        An operand is neither a view nor `Binned`.
    BroadcastError, BinsError
        The extents cannot be broadcast to common extents, or cells of binned operands differ in size.
    ReadOnlyError, HaloError
        The operand ``out`` does not store, or has padding.
    """
    operands: list[Operand] = []
    shapes: list[tuple[int, ...]] = []
    binned: list[Bins] = []
    for k, each in enumerate(given):
        if isinstance(each, MDView):
            view = each
            shapes.append(extents_of(view))
        elif isinstance(each, Binned):
            view = held(each.events)  # the plan of its mapping: offsets of bins are those of the mapping
            shapes.append(tuple(map(int, each.extents)))
            binned.append(each.bins)
        else:
            refuse_unviewed(f"operand {k}", "a view or Binned", each, "write MDView([value], ()) for one value")
        if each is out:
            check_writable(view, "the output")
        operands.append(target_operand(view) if each is out else operand_of(view))
    if shapes.count(shapes[0]) == len(shapes) and not binned:
        return shapes[0], None, operands
    extents = common_extents(shapes)
    if not binned:
        return extents, None, [_spread(operand, extents) for operand in operands]
    walk = over_cells(binned, extents)
    numbers = iter(range(len(binned)))
    made = [
        _events(own, walk, next(numbers))
        if isinstance(each, Binned)
        else _spread(own, extents)
        if by_cell and each is out
        else repeated(_spread(own, extents), walk.sizes, is_target=each is out)
        for each, own in zip(given, operands, strict=True)
    ]
    return extents, walk.sizes, made


def _spread(operand: Operand, extents: tuple[int, ...]) -> Operand:
    """Return an operand broadcast to extents."""
    plan = operand.plan
    if plan.extents == extents:
        return operand
    new = len(extents) - len(plan.extents)
    rows = [(0, 0, None) if n == 1 else (0, 1, new + r) for r, n in enumerate(plan.extents)]
    return operand.through(plan.taken(rows, extents), operand.accessor)


def repeated(operand: Operand, sizes: list[int], *, is_target: bool) -> Operand:
    """Return an operand that repeats the element of each cell for each event; ``sizes`` are the numbers of events.

    The positions of a target are repeated, so that stores reach its items. For other operands, values may be copied.
    """
    np = loaded_module("numpy")
    if np is not None and not is_target:
        row = bulk_dispatch.array(operand).ravel()
        if not row.dtype.hasobject:
            repetition = Operand(np.repeat(row, sizes), Plan((sum(sizes),), 0, (1,)), 0, PLAIN)
            repetition.is_spare = True
            return repetition
    if not operand.is_direct:
        items = list(bulk_dispatch.values(operand)) if np is None else bulk_dispatch.array(operand).ravel()
        operand = operand.ordered(items)
    if np is not None:
        return operand_at(operand, 0, np.repeat(bulk_dispatch.position_array(operand), sizes))
    return operand_at(operand, 0, list(chain.from_iterable(map(repeat, reference_loop.positions(operand), sizes))))


def _events(events: Operand, walk: LoopNest, k: int) -> Operand:
    """Return the events of the binned operand ``k`` of a walk as a column, cell by cell."""
    np, starts = loaded_module("numpy"), walk.starts
    if np is None:
        return operand_at(events, events.origin, list(walk.offsets(k, 0)))
    if len(walk.extents) > 1:
        return operand_at(events, events.origin, np.fromiter(walk.offsets(k, 0), np.intp, starts[-1]))
    step = walk.strides[k][-1]
    firsts = np.array(walk.bases[k], np.intp) - step * np.array(starts[:-1], np.intp)
    filled = firsts[np.array(walk.sizes, np.intp) > 0]
    if filled.size and (filled == filled[0]).all():  # the cells are contiguous
        return Operand(events.items, Plan((starts[-1],), int(filled[0]), (step,)), events.origin, events.accessor)
    return operand_at(events, events.origin, np.repeat(firsts, walk.sizes) + step * np.arange(starts[-1]))


def operand_at(operand: Operand, origin: int, offsets: list[int] | AnyArray) -> Operand:
    """Return an operand of rank 1 with the items at ``offsets``, in the order of the offsets."""
    extents = (len(offsets),)
    if isinstance(offsets, list):
        axis = TablePart(Base(offsets), 0, 1, len(offsets)) if offsets else 0
        plan = Plan(extents, 0, (axis,), distinct=False)
    else:
        plan = Plan(extents, distinct=False)
        plan.positions.offsets = offsets
    return Operand(operand.items, plan, origin, operand.accessor)
