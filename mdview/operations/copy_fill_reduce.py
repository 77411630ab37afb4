"""Whole-view operations on any layout and accessor: compare, copy, fill, reduce."""

# Overloads go from the narrow source to the wide one, so they overlap by design.
# mypy: disable-error-code="overload-overlap"

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import suppress
from math import prod
from typing import Any, Final, Literal, Protocol, TypeAlias, TypedDict, TypeVar, Unpack, final, overload

from mdview.accessors.accessor import Accessor, AnyExporter, Memory, ShapedArray, T, Writable
from mdview.base import answer_calls, brief, loaded_module
from mdview.base.argument_checks import check_function
from mdview.engines.bulk import bulk_dispatch
from mdview.engines.bulk.bulk_operand import Operand
from mdview.engines.bulk.progress import Done, Progress, nothing, part_counter
from mdview.errors import OperandError, ReadOnlyError, ThreadsError
from mdview.index.extents import shape_text
from mdview.layouts.layout import Layout
from mdview.mappings.mapping import E
from mdview.operations.manipulation import flip
from mdview.views import view_stores
from mdview.views.typing_protocols import A, Admits, AnySource, R, Source
from mdview.views.view import MDView
from mdview.views.view_base import check_view, extents_of, operand_of

N0 = TypeVar("N0", bound=int)
N1 = TypeVar("N1", bound=int)
S = TypeVar("S")

# Any: `equal` and `reduce` take views with any types of elements.
AnyView = MDView[Any, tuple[int, ...], Layout, Accessor[Any, Any]]

# Two views may have equal extents unless a dimension is static in both, with different values. The overloads accept
# two views if one admits the extents of the other, or, at rank 2, if each admits one extent of the other. From rank 3
# on, they accept any two views.
_AnyAccess: TypeAlias = Accessor[object, object]
_Over: TypeAlias = MDView[object, E, Layout, A]
_Admits: TypeAlias = Admits[object, E, Layout, A]
_Half: TypeAlias = Admits[object, tuple[N0, int], Layout, A] | Admits[object, tuple[int, N1], Layout, A]
_Rank3Up: TypeAlias = tuple[int, int, int, *tuple[int, ...]]
_Array: TypeAlias = ShapedArray[tuple[Any, ...], T] | Memory
_Read: TypeAlias = Accessor[T, object]
_Write: TypeAlias = Writable[T, object]
_Elements: TypeAlias = Source[T, tuple[Any, ...]]


class Ufunc(Protocol):
    """A NumPy ufunc, or a function with the same interface. Any: the types of results follow NumPy's rules."""

    @property
    def nin(self) -> int:
        """The number of arrays that the function takes."""
        ...

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Apply the function to arrays."""
        ...

    def reduce(self, *args: Any, **kwargs: Any) -> Any:
        """Combine the elements of an array."""
        ...


Keep: TypeAlias = Literal["first", "last"] | None
"""Which of several values for the same element is kept, in index order; with None, the values must agree."""


@final
class Options(TypedDict, total=False):
    """The keyword arguments of `copy`."""

    threads: int
    keep: Keep
    progress: Progress


_NO_INITIAL: Final = ...
"""The default of ``initial``: None is a possible initial value."""


@overload
def equal(first: _Over[E, _AnyAccess], second: _Admits[E, _AnyAccess], *, progress: Progress = False) -> bool: ...
@overload
def equal(first: _Admits[E, _AnyAccess], second: _Over[E, _AnyAccess], *, progress: Progress = False) -> bool: ...
@overload
def equal(
    first: _Half[N0, _AnyAccess, N1], second: _Half[N0, _AnyAccess, N1], *, progress: Progress = False
) -> bool: ...
@overload
def equal(
    first: _Over[_Rank3Up, _AnyAccess], second: _Over[_Rank3Up, _AnyAccess], *, progress: Progress = False
) -> bool: ...
@overload
def equal(first: AnyExporter, second: AnySource, *, progress: Progress = False) -> bool: ...
@overload
def equal(first: AnySource, second: AnyExporter, *, progress: Progress = False) -> bool: ...
@answer_calls
def equal(first: Any, second: Any, *, progress: Progress = False) -> bool:
    """Return True if two views have equal extents and equal elements, whatever their layouts.

    The operator ``==`` of views raises an error instead; ``is`` tells whether two views are the same object. If
    ``progress`` is True, a progress bar is shown (extra ``progress``). If it is a callable, it is called with the
    number of elements that are done and the number of all elements.

    Raises
    ------
    OperandError
        An operand is not a view.

    >>> equal(MDView([1, 2], (2,)), MDView([1.0, 2.0], (2,)))
    True
    """
    check_view(first, "the first operand")
    check_view(second, "the second operand")
    if extents_of(first) != extents_of(second):
        return False
    mine, its = operand_of(first), operand_of(second)
    return _told(progress, first, bulk_dispatch.equal, mine, its)


@overload
def copy(source: _Over[E, _Read[T]], target: _Admits[E, _Write[T]], **options: Unpack[Options]) -> None: ...
@overload
def copy(source: _Admits[E, _Read[T]], target: _Over[E, _Write[T]], **options: Unpack[Options]) -> None: ...
@overload
def copy(source: _Half[N0, _Read[T], N1], target: _Half[N0, _Write[T], N1], **options: Unpack[Options]) -> None: ...
@overload
def copy(source: _Over[_Rank3Up, _Read[T]], target: _Over[_Rank3Up, _Write[T]], **options: Unpack[Options]) -> None: ...
@overload
def copy(source: _Array[T], target: _Over[tuple[Any, ...], _Write[T]], **options: Unpack[Options]) -> None: ...
@overload
def copy(source: AnySource, target: AnyExporter, **options: Unpack[Options]) -> None: ...
@answer_calls
def copy(source: Any, target: Any, *, threads: Any = 1, keep: Keep = None, progress: Progress = False) -> None:
    """Copy the elements of ``source`` into ``target``; the two views may overlap.

    The result is as if all elements were loaded before the first store. Between items of the same format, bytes are
    copied. If several indices of ``target`` share an element, as in packed and broadcast views, the values stored there
    must agree, bit for bit. This rule holds for every store to a view.

    Parameters
    ----------
    threads
        The maximal number of threads; it is also limited by the number of processors. Several threads take part in
        copies of a megabyte or more between items of the same format, if the layouts have strided blocks in common, as
        strided, padded and tiled layouts do. All threads are done when the function returns.
    keep
        Which of several values for the same element is kept, in index order: ``"first"`` or ``"last"``. If a square
        matrix is copied into a packed matrix in C order, the first values are the upper triangle of the matrix, and the
        last values the lower triangle.
    progress
        As for `equal`.

    Raises
    ------
    ShapeError
        The extents differ.
    LayoutError
        Two values for the same element of ``target`` differ, and ``keep`` is None.
    ReadOnlyError
        ``target`` does not store.
    OperandError
        An operand is not a view, or ``keep`` is not ``"first"``, ``"last"`` or None.
    ThreadsError
        ``threads`` is not a positive integer.

    >>> target = MDView([0] * 4, (2, 2))
    >>> copy(MDView([1, 2, 3, 4], (2, 2)), target, threads=2)
    >>> target.tolist()
    [[1, 2], [3, 4]]
    """
    check_view(source, "the source")
    check_writable(target, "the target")
    if not isinstance(threads, int) or threads < 1:
        raise ThreadsError(f"threads is how many threads may take part, an integer of 1 or more, got {brief(threads)}")
    store = view_stores.set_elements if keep is None else view_stores.keep_last
    if keep == "first":  # the last value in reverse index order
        source, target = flip(source), flip(target)
    elif keep not in {None, "last"}:
        raise OperandError(f"keep is 'first', 'last' or None, got {brief(keep)}")
    _told(progress, target, store, target, source, threads)


@answer_calls
def fill(
    target: MDView[T, tuple[int, ...], Layout, Writable[T, object]], value: T, *, progress: Progress = False
) -> None:
    """Store ``value`` in every element of ``target``; ``progress`` is as for `equal`.

    Raises
    ------
    ReadOnlyError
        ``target`` does not store.
    OperandError
        ``target`` is not a view.
    """
    check_writable(target, "the target")
    _told(progress, target, view_stores.fill_view, target, value)


@overload
def reduce(function: Ufunc, view: AnySource, *, initial: Any = ..., progress: Progress = False) -> Any: ...
@overload
def reduce(function: Callable[[T, T], T], view: _Elements[T], *, progress: Progress = False) -> T: ...
@overload
def reduce(function: Callable[[S, T], S], view: _Elements[T], *, initial: S, progress: Progress = False) -> S: ...
@answer_calls
def reduce(
    function: Callable[[Any, Any], Any], view: Any, *, initial: Any = _NO_INITIAL, progress: Progress = False
) -> Any:
    """Combine all elements of ``view`` into one value by a function of two values.

    A Python function is applied as a left fold in index order, last index fastest: the result is exactly that of
    ``functools.reduce(function, values)``. For a NumPy ufunc (``np.add``, ``np.maximum``) the result is the NumPy
    scalar that the ufunc's own ``reduce`` over all axes returns. A ufunc combines elements in the order of memory,
    which is as fast for tiles as for rows, so the last bits of a floating-point sum may depend on the layout. A ufunc
    whose result depends on the order (``np.subtract``) combines them in index order.

    Parameters
    ----------
    function
        A function of two arguments: the combination of the previous elements, and an element.
    initial
        The value to start from; the first element by default. For a ufunc it is passed to the ufunc's own ``reduce``,
        which converts it to the type of the result.
    progress
        As for `equal`.

    Raises
    ------
    TypeError, ValueError
        The view is empty and ``initial`` is missing. For a ufunc, it also has no identity.
    OperandError
        ``function`` is not a function, or ``view`` is not a view.

    >>> import operator
    >>> reduce(operator.add, MDView([1, 2, 3, 4], (2, 2)))
    10
    >>> reduce(max, MDView([1, 5, 3], (3,)), initial=7)
    7
    """
    check_function(function, "function")
    check_fold(function, "function must take two values")
    check_view(view, "what is reduced")
    operand = operand_of(view)
    return _told(progress, view, _reduced, function, operand, initial)


def _told(progress: Progress, view: AnyView, work: Callable[..., R], *args: object) -> R:
    """Call a whole-view operation with a counter of the elements that are done; return the result of the operation.

    The counter reports the progress.
    """
    if progress is False:
        return work(*args, nothing)
    with part_counter(progress, prod(extents_of(view))) as done:
        return work(*args, done)


_FOLDS: Final = {"sum": "np.add", "prod": "np.multiply", "any": "np.logical_or", "all": "np.logical_and"}
"""Functions of a whole sequence, each with the equivalent ufunc of two values."""
_NUMPY_FOLDS: Final = _FOLDS | {"max": "np.maximum", "min": "np.minimum"}


def check_fold(function: Any, rule: str) -> None:
    """Refuse a function of a whole sequence, such as ``sum``; ``rule`` begins the message."""
    name = getattr(function, "__name__", "")
    folds = {"builtins": _FOLDS, "math": _FOLDS, "numpy": _NUMPY_FOLDS}.get(getattr(function, "__module__", ""), {})
    if name in folds and not bulk_dispatch.is_ufunc(function):
        raise OperandError(f"{rule}, got {name}, which takes all; write reduce({folds[name]}, view)")
    np: Any = loaded_module("numpy")  # Any: checkers do not read NumPy here
    if np is not None and type(function) is type(np.mean) and _is_one_of_two(function, np):
        call = f"np{function.__module__.removeprefix('numpy')}.{name}(np.asarray(view))"
        raise OperandError(f"{rule}, got {name}, which takes all; write {call}")


def _is_one_of_two(function: Any, np: Any) -> bool:
    """Tell whether a function returns one number for an array of two numbers. ``Any`` stands for the NumPy module."""
    with suppress(Exception):  # the function takes other arguments
        return not np.ndim(function(np.ones(2)))
    return False


def _reduced(function: Any, operand: Operand, initial: Any, done: Done) -> Any:
    """Return all values combined by a ufunc or another function, see `reduce`."""
    if bulk_dispatch.is_ufunc(function):
        return bulk_dispatch.reduced(function, operand, {} if initial is _NO_INITIAL else {"initial": initial}, done)
    if initial is _NO_INITIAL and not operand.plan.size:
        raise OperandError(
            f"a view of extents {shape_text(operand.plan.extents)} is empty and has nothing to reduce; pass initial="
        )
    start = () if initial is _NO_INITIAL else (initial,)
    return functools.reduce(function, bulk_dispatch.values(operand, done), *start)


def check_writable(view: AnyView, name: str) -> None:
    """Refuse a view that does not store; ``name`` begins the message."""
    check_view(view, name)
    if not isinstance(view.accessor, Writable):
        raise ReadOnlyError(
            f"{name} is read-only: its accessor {brief(view.accessor)} has no store; give a copy, view.copy()"
        )
