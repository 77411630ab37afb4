"""Argument checks: errors about wrong arguments or calls, hints on the order of arguments, and sequences of entries.

A check that needs a class is beside that class: `mdview.mappings.mapping.mapping_of`,
`mdview.views.view_base.check_view`, `mdview.layouts.layout.as_layout`, `mdview.accessors.accessor.check_accessor_kind`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import wraps
from typing import Any, Final, NoReturn, SupportsIndex, TypeAlias, TypeVar, cast

from mdview.base.integers import as_integer
from mdview.base.message_texts import FROM_VALUES, brief, kind_text, plural
from mdview.base.wrong_calls import refuse_misfit
from mdview.errors import ExtentsTypeError, MDViewError, OperandError, RankError

Shape: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
Axes: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | None
Widths: TypeAlias = SupportsIndex | tuple[SupportsIndex, SupportsIndex] | Sequence[tuple[SupportsIndex, SupportsIndex]]


def refuse(name: str, rule: str, argument: object, hint: str = "") -> NoReturn:
    """Raise `OperandError` with the text "``name`` must be ``rule``, got ..."; ``hint`` names an alternative."""
    raise OperandError(f"{name} must be {rule}, got {kind_text(argument)}{hint and f'; {hint}'}")


def refuse_unviewed(name: str, rule: str, argument: object, hint: str) -> NoReturn:
    """Raise the error of `refuse` for an argument that must be a view.

    The error keeps the argument, so `answer_calls` can call the function again with a view of the argument.
    """
    try:
        refuse(name, rule, argument, f"write {FROM_VALUES}" if isinstance(argument, list) else hint)
    except OperandError as error:
        error.unviewed = argument
        raise


def check_function(argument: object, name: str) -> None:
    """Check that an argument is callable.

    Raises
    ------
    OperandError
        ``argument`` is not callable; the message calls it ``name``.
    """
    if not callable(argument):
        first = "the function comes first" if hasattr(type(argument), "extents") else ""
        refuse(
            name, "a function", argument, "write operator.add or np.add, say" if isinstance(argument, str) else first
        )


def as_entries(argument: Any, name: str) -> tuple[Any, ...]:
    """Return the entries of a sequence or another iterable as a tuple; the caller checks the entries, typed ``Any``.

    Raises
    ------
    OperandError
        ``argument`` is not iterable, or is a string, a class, a set or a mapping; the message calls it ``name``.
    """
    if type(argument) is tuple:
        return argument
    if isinstance(argument, Mapping | AbstractSet):
        refuse(name, "a sequence", argument, "its entries have no order: write a tuple")
    try:
        entries: Iterable[Any] = () if isinstance(argument, type) else iter(argument)
    except TypeError:  # an array of rank 0 is an Iterable, too
        entries = ()
    if isinstance(argument, str) or entries == ():
        refuse(name, "a sequence", argument)
    return tuple(entries)


def as_pairs(argument: Any, what: str) -> list[tuple[int, int]]:
    """Return the pairs of an argument that contains a pair for each dimension, as ints.

    Raises
    ------
    RankError
        ``argument`` is not a sequence of pairs.
    ExtentsTypeError
        A number of a pair is not an integer.
    """
    try:
        entries: Any = None if isinstance(argument, Mapping | AbstractSet) else argument  # without order
        pairs = [(before, after) for before, after in entries]
    except (TypeError, ValueError):
        raise RankError(f"{what} takes pairs, one for each dimension, got {brief(argument)}") from None
    return [(int(as_integer(b, what)), int(as_integer(a, what))) for b, a in pairs]


_ONE: Final = {"indices": "index", "axes": "axis", "pairs of widths": "pair of widths"}


def as_entries_of(rank: int, argument: Any, what: str) -> tuple[Any, ...]:
    """Return the entries of a sequence that contains an entry for each of ``rank`` dimensions.

    Raises
    ------
    RankError
        The number of entries is not ``rank``.
    OperandError
        ``argument`` is not a sequence, see `as_entries`.
    """
    entries = as_entries(argument, what)
    if len(entries) != rank:
        several = plural(rank, _ONE.get(what, what.removesuffix("s")), what)
        raise RankError(f"rank {rank} takes {several}, got {len(entries)}: {brief(entries)}")
    return entries


F = TypeVar("F", bound=Callable[..., Any])


def answer_calls(function: F) -> F:
    """Decorate a function so that a call that does not fit its parameters raises an error that names the parameters.

    The decorator adds about 0.1 µs to a call, so functions that take less than 1 µs keep Python's own error. If a
    function refuses an argument that must be a view and the argument exports memory, the function is called again with
    a view of that memory, made by `asview`.

    >>> @answer_calls
    ... def scale(values: Sequence[int], factor: int = 2): ...
    >>> scale((1, 2), factr=3)
    Traceback (most recent call last):
    mdview.errors.OperandError: scale() has no parameter 'factr'; did you mean factor? Its parameters are values, factor
    >>> scale(1, 2, 3)
    Traceback (most recent call last):
    mdview.errors.OperandError: scale() takes at most 2 arguments, got 3: (1, 2, 3); its parameters are values, factor
    """

    @wraps(function)
    def call(*args: object, **kwargs: object) -> object:
        try:
            return function(*args, **kwargs) if kwargs else function(*args)
        except MDViewError as error:
            again = _with_view(getattr(error, "unviewed", None), args, kwargs)
            if again is None:
                if first := _first_argument(error, args):
                    error.args = (f"{error}; {first}",)
                raise
        except Exception as error:
            refuse_misfit(function, args, kwargs, error)
            raise
        return call(*again[0], **again[1])

    return cast("F", call)


def _first_argument(error: MDViewError, args: tuple[object, ...]) -> str:
    """Return the hint that the view or the extents come first, if a view or extents follow a refused first argument.

    For any other call, return an empty string.
    """
    first, *others = args or (None,)
    rule = f"{error}".partition(", got")[0]
    if isinstance(first, str | int | float | tuple | slice) and rule.endswith((" an MDView", " a view or a mapping")):
        return "the view comes first" if any(hasattr(type(entry), "accessor") for entry in others) else ""
    is_wrong = isinstance(error, ExtentsTypeError) and isinstance(first, str | float)
    return "extents come first" if is_wrong and tuple in map(type, others) else ""


def _with_view(
    memory: object, args: tuple[object, ...], kwargs: dict[str, object]
) -> tuple[list[object], dict[str, object]] | None:
    """Return the arguments of a refused call with a view of ``memory`` in place of ``memory``.

    The result is None if ``memory`` is not among the arguments, or does not export memory.
    """
    if memory is None or not any(entry is memory for entry in (*args, *kwargs.values())) or not _exports(memory):
        return None
    from mdview import asview  # noqa: PLC0415 - above this folder

    view = asview(cast("Any", memory))
    return [view if entry is memory else entry for entry in args], {
        name: view if entry is memory else entry for name, entry in kwargs.items()
    }


def _exports(argument: object) -> bool:
    """Tell whether an argument exports memory by a protocol that `asview` reads."""
    if any(hasattr(type(argument), f"__{name}__") for name in ("array_interface", "dlpack", "array")):
        return True
    try:
        return memoryview(argument).nbytes >= 0  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    except TypeError:
        return False
