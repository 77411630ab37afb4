"""Argument checks: errors that describe a wrong argument or call, and sequences of entries.

A check that needs a class is beside that class: `mdview.mappings.mapping.mapping_of`,
`mdview.views.view_base.check_view`, `mdview.layouts.layout.as_layout`, `mdview.accessors.accessor.check_accessor_kind`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, NoReturn, SupportsIndex, TypeAlias, TypeVar, cast

from mdview.base.absent_names import closest
from mdview.base.integers import as_integer, is_index
from mdview.base.message_texts import FROM_VALUES, brief, plural
from mdview.errors import ExtentsTypeError, MDViewError, OperandError, RankError

if TYPE_CHECKING:
    from inspect import Parameter

Shape: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
Axes: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | None
Widths: TypeAlias = SupportsIndex | tuple[SupportsIndex, SupportsIndex] | Sequence[tuple[SupportsIndex, SupportsIndex]]


def kind_text(argument: object) -> str:
    """Describe an object for a message: a number or a string by type and text, most other objects by type alone.

    >>> kind_text(3), kind_text(None), kind_text(int), kind_text([1, 2])
    ('int 3', 'None', 'the class int', 'list')
    """
    if argument is None:
        return "None"
    if isinstance(argument, type):
        return f"the class {argument.__name__}"
    name = type(argument).__name__
    if type(argument).__module__ == "numpy":
        return brief(argument).removeprefix("an object of type ")
    text = brief(argument)
    if text.startswith("<"):  # a long number
        return f"an {text[1:-1]}"
    return f"{name} {text}" if isinstance(argument, int | float | complex | str | bytes) else name


def instance_text(kind: type) -> str:
    """Return the call that makes an instance of a class, with its required arguments.

    >>> class Grid:
    ...     def __init__(self, *tile: int, fill: int = 0): ...
    >>> instance_text(Grid), instance_text(object)
    ('Grid(*tile)', 'object()')
    """
    from inspect import Parameter, signature  # noqa: PLC0415 - for an error only

    try:
        parameters = signature(kind).parameters.values()
    except ValueError:  # a class written in C
        return f"{kind.__name__}(...)"
    needed = [
        str(p).partition(":")[0].strip()
        for p in parameters
        if p.kind is Parameter.VAR_POSITIONAL or (p.default is Parameter.empty and p.kind is not Parameter.VAR_KEYWORD)
    ]
    return f"{kind.__name__}({', '.join(needed)})"


def refuse(name: str, rule: str, argument: object, hint: str = "") -> NoReturn:
    """Raise `OperandError` with the text "``name`` must be ``rule``, got ..."; ``hint`` is the way out."""
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
    """Return the entries of a sequence or another iterable as a tuple. Any: the caller checks the entries.

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
    """Return the pairs of an argument that has a pair for each dimension, as ints. Any: an argument of any type.

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
    """Return the entries of a sequence that has an entry for each of ``rank`` dimensions. Any: entries of any type.

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

_SEVERAL: Final = ("Axes", "Iterable", "Sequence", "Shape")
"""The words by which the annotation of a parameter shows that it takes several numbers."""

_MEANT: Final = {
    ("axis", "initial"): "it combines all elements; np.asarray(view) has reductions along an axis",
    ("dtype", "data"): "the data says it: asview(array), or bitcast(view, dtype)",
    ("offset", "data"): "write MDView.from_mapping(data, mapping, origin=offset)",
    ("order", "copy"): "relayout(view, LayoutLeft()) copies in order 'F', LayoutRight() in order 'C'",
    ("order", "tobytes"): "view.T.tobytes() has the items in order 'F'",
    ("order", "fastest"): "write fastest='last' for 'C', fastest='first' for 'F'",
    ("order", "layout"): "write layout=LayoutRight() for 'C', layout=LayoutLeft() for 'F'",
    ("order", "outer"): "write outer=LayoutLeft() for 'F' among tiles, inner=LayoutLeft() for 'F' within them",
    ("shape", "extents"): "write extents=shape",
    ("strides", "layout"): "write layout=LayoutStride(strides), with strides in elements",
}
"""The way out for a keyword of NumPy, by the keyword and the name of the function or of one of its parameters."""


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
    """Return the hint that the view or the extents come first, if they follow the refused first argument.

    For any other call return an empty text.
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
    """Return positional and keyword arguments with a view of ``memory`` instead of ``memory`` itself.

    None if ``memory`` is not among the arguments, or exports no memory.
    """
    if memory is None or not any(entry is memory for entry in (*args, *kwargs.values())) or not _exports(memory):
        return None
    from mdview import asview  # noqa: PLC0415 - above this folder

    view = asview(cast("Any", memory))
    return [view if entry is memory else entry for entry in args], {
        name: view if entry is memory else entry for name, entry in kwargs.items()
    }


def _exports(argument: object) -> bool:
    """Tell whether an object exports memory by a protocol that `asview` reads."""
    if any(hasattr(type(argument), f"__{name}__") for name in ("array_interface", "dlpack", "array")):
        return True
    try:
        return memoryview(argument).nbytes >= 0  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    except TypeError:
        return False


def refuse_misfit(
    function: Callable[..., object], args: tuple[object, ...], kwargs: dict[str, object], error: Exception
) -> None:
    """Raise an error about the arguments of a call that failed with ``error``, if they do not fit the parameters."""
    from mdview.base.annotation_checks import misfit  # noqa: PLC0415 - for an error only

    if isinstance(error, TypeError) and (error.__traceback__ is None or error.__traceback__.tb_next is None):
        refuse_call(function, args, kwargs)
    if wrong := misfit(function, *args, **kwargs):
        name, rule, argument = wrong
        raise OperandError(f"{name} must be {rule}, got {kind_text(argument)}") from error


def refuse_call(function: Callable[..., object], args: tuple[object, ...], kwargs: Mapping[str, object]) -> NoReturn:
    """Raise the error for a call that does not fit the parameters of a function, a method or a constructor."""
    from inspect import Parameter, signature  # noqa: PLC0415 - for an error only

    *_, owner, name = f".{function.__qualname__}".split(".")
    parameters = list(signature(function).parameters.values())
    if owner not in {"", "<locals>"}:  # a method
        parameters, args = parameters[1:], args[1:]
        name = owner if name in {"__init__", "__new__"} else name
    names = [p.name for p in parameters if p.kind is not Parameter.VAR_KEYWORD]
    takes = f"its parameters are {', '.join(names)}" if names else f"write {name}()"
    stars = {Parameter.POSITIONAL_ONLY: "", Parameter.VAR_POSITIONAL: "*"}
    for p in parameters:
        if p.kind in stars and p.name in kwargs:
            raise OperandError(f"{name}() takes {p.name!r} by position; write {name}({stars[p.kind]}{p.name})")
    positional = [p for p in parameters if p.kind in {Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD}]
    if unknown := [key for key in kwargs if key not in names]:
        raise OperandError(f"{name}() has no parameter {unknown[0]!r}; {_meant(unknown[0], names, name) or takes}")
    if len(args) > len(positional):
        kind = "positional argument" if len(names) > len(positional) else "argument"
        count = f"at most {plural(len(positional), kind)}" if positional else f"no {kind}s"
        one_tuple = _as_one_tuple(name, positional, args)
        way = f"; {one_tuple}" if one_tuple else f": {brief(args)}; {takes}"
        raise OperandError(f"{name}() takes {count}, got {len(args)}{way}")
    passed = {p.name for p, _ in zip(positional, args, strict=False)}
    if twice := [key for key in kwargs if key in passed]:
        raise OperandError(f"{name}() got two values of {twice[0]!r}; {takes}")
    needed = [p.name for p in parameters if p.default is Parameter.empty and p.name not in {*passed, *kwargs}]
    raise OperandError(f"{name}() needs {needed[0]!r}; {takes}")


def _meant(key: str, names: Sequence[str], function: str) -> str:
    """Return the way out for a keyword of NumPy or a misspelt keyword; for others an empty text."""
    for (word, parameter), way in _MEANT.items():
        if word == key and parameter in {function, *names}:
            return way
    close = closest(key, names)
    return f"did you mean {close}? Its parameters are {', '.join(names)}" if close else ""


def _as_one_tuple(name: str, positional: Sequence[Parameter], args: tuple[object, ...]) -> str:
    """Return the hint to write the last numbers as one tuple; an empty text if the last parameter takes no tuple."""
    loose = args[len(positional) - 1 :]
    annotation = str(positional[-1].annotation) if positional else ""
    if not any(word in annotation for word in _SEVERAL) or not all(map(is_index, loose)):
        return ""
    return f"write {name}({', '.join([*[p.name for p in positional[:-1]], brief(loose)])})"
