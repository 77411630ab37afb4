"""Whole-view operations on any layout and accessor: compare, copy, fill, reduce."""

# Overloads go from the narrow source to the wide one, so they overlap by design.
# mypy: disable-error-code="overload-overlap"

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import suppress
from math import prod
from typing import Any, Final, Literal, Protocol, TypeAlias, TypedDict, TypeVar, Unpack, cast, final, overload

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
from mdview.views import setitem
from mdview.views.typing_protocols import A, Admits, AnySource, R, Source
from mdview.views.view import MDView
from mdview.views.view_base import check_view, extents_of, operand_of

N0 = TypeVar("N0", bound=int)
N1 = TypeVar("N1", bound=int)
S = TypeVar("S")

# Any: `equal` and `reduce` take views of any element types.
AnyView = MDView[Any, tuple[int, ...], Layout, Accessor[Any, Any]]

# Two views have equal extents unless some dimension of both is static with different values. So one of them admits the
# extents of the other, or they do so dimension by dimension; from rank 3 on, any two of them may be equal.
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
    """A function of NumPy, or one made like it, which reduces arrays itself. Any: its types are rules of NumPy."""

    @property
    def nin(self) -> int:
        """How many arrays it takes."""
        ...

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Apply it."""
        ...

    def reduce(self, *args: Any, **kwargs: Any) -> Any:
        """Combine elements."""
        ...


Keep: TypeAlias = Literal["first", "last"] | None
"""Which of several values for one element stays; None where they have to agree."""


@final
class Options(TypedDict, total=False):
    """The keyword arguments of all copies."""

    threads: int
    keep: Keep
    progress: Progress


_NO_INITIAL: Final = ...
"""The absence of an initial value, where None may be one."""


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
    """Tell whether two views have equal extents and equal elements, whatever their layouts.

    This is what ``==`` of views is not: that raises an error, and ``is`` tells whether two views are one object.
    ``progress`` is True for a bar (extra ``progress``), or a callable that gets the elements done and all elements.

    Raises
    ------
    OperandError
        Not two views.

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
def copy(source: Any, target: Any, *, threads: int = 1, keep: Keep = None, progress: Progress = False) -> None:
    """Copy the elements of ``source`` into ``target``; they may overlap.

    The result is that of loading all elements and then storing them. Between items of one format, bytes are copied.
    Where several indices of ``target`` are one element, as in packed and broadcast ones, what is stored there has to
    agree, bit for bit; every way to store to a view keeps this rule.

    Parameters
    ----------
    threads
        How many threads may take part; no more than there are processors do. They do in copies of a megabyte or more
        between items of one format, where the two layouts have strided blocks in common: strided, padded and tiled
        ones. All work is done on return.
    keep
        Which of several values for one element stays, in index order: ``"first"`` or ``"last"``. Of a square matrix and
        a packed one in C order these are the upper and the lower triangle.
    progress
        As for `equal`.

    Raises
    ------
    ShapeError
        The extents differ.
    LayoutError
        Two values for one element of ``target`` differ, and ``keep`` does not tell which stays.
    ReadOnlyError
        ``target`` does not store.
    OperandError
        Not two views, or ``keep`` is another word.
    ThreadsError
        ``threads`` is no positive integer.

    >>> target = MDView([0] * 4, (2, 2))
    >>> copy(MDView([1, 2, 3, 4], (2, 2)), target, threads=2)
    >>> target.tolist()
    [[1, 2], [3, 4]]
    """
    check_view(source, "the source")
    check_writable(target, "the target")
    if not isinstance(cast("object", threads), int) or threads < 1:
        raise ThreadsError(f"threads is how many threads may take part, an integer of 1 or more, got {brief(threads)}")
    store = setitem.set_elements if keep is None else setitem.keep_last
    if keep == "first":  # the last one in reverse
        source, target = flip(source), flip(target)
    elif keep not in {None, "last"}:
        raise OperandError(f"keep is 'first', 'last' or None, got {brief(keep)}")
    _told(progress, target, store, target, source, threads)


@answer_calls
def fill(
    target: MDView[T, tuple[int, ...], Layout, Writable[T, object]], value: T, *, progress: Progress = False
) -> None:
    """Make ``value`` every element of ``target``; ``progress`` is as for `equal`.

    Raises
    ------
    ReadOnlyError
        ``target`` does not store.
    OperandError
        ``target`` is no view.
    """
    check_writable(target, "the target")
    _told(progress, target, setitem.fill_view, target, value)


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
    """Combine all elements of ``view`` into one value by a function of two.

    Any callable is a left fold in index order, last index fastest: ``functools.reduce(function, values)``, exactly. A
    NumPy ufunc (``np.add``, ``np.maximum``) is what its own ``reduce`` gives over all axes, a NumPy scalar, in the
    order in which elements lie in memory, which is as fast for tiles as for rows; a floating-point sum may differ in
    its last bits from layout to layout, a ufunc to which order matters (``np.subtract``) is taken in index order.

    Parameters
    ----------
    function
        Takes the value so far and an element.
    initial
        What to start from; without it the first element. For a ufunc it is that of its own ``reduce``, which makes it a
        number of the result's type.
    progress
        As for `equal`.

    Raises
    ------
    TypeError, ValueError
        There is no element and no ``initial``: that of `functools.reduce`, or of a ufunc without an identity.
    OperandError
        ``function`` is no function, or ``view`` no view.

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


def _told(progress: Progress, view: AnyView, work: Callable[..., R], *given: object) -> R:
    """Run ``work`` on the elements of a view, and report its progress."""
    if progress is False:
        return work(*given, nothing)
    with part_counter(progress, prod(extents_of(view))) as done:
        return work(*given, done)


_FOLDS: Final = {"sum": "np.add", "prod": "np.multiply", "any": "np.logical_or", "all": "np.logical_and"}
"""Functions of a whole sequence, and equivalent ufuncs of two values."""
_NUMPY_FOLDS: Final = _FOLDS | {"max": "np.maximum", "min": "np.minimum"}


def check_fold(function: Any, rule: str) -> None:
    """Refuse a function of a sequence where a function of elements is needed. Any: any callable."""
    name = getattr(function, "__name__", "")
    folds = {"builtins": _FOLDS, "math": _FOLDS, "numpy": _NUMPY_FOLDS}.get(getattr(function, "__module__", ""), {})
    if name in folds and not bulk_dispatch.is_ufunc(function):
        raise OperandError(f"{rule}, got {name}, which takes all; write reduce({folds[name]}, view)")
    np: Any = loaded_module("numpy")  # Any: checkers do not read NumPy here
    if np is not None and type(function) is type(np.mean) and _is_one_of_two(function, np):
        call = f"np{function.__module__.removeprefix('numpy')}.{name}(np.asarray(view))"
        raise OperandError(f"{rule}, got {name}, which takes all; write {call}")


def _is_one_of_two(function: Any, np: Any) -> bool:
    """Tell whether a function of NumPy makes one number of two. Any: NumPy, and its function."""
    with suppress(Exception):  # it takes other arguments
        return not np.ndim(function(np.ones(2)))
    return False


def _reduced(function: Any, operand: Operand, initial: Any, done: Done) -> Any:
    """Reduce all values by a ufunc, or any other function; see `reduce`."""
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
