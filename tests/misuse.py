"""Calls with one wrong argument: a table says for each argument what is right there and what is wrong."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

import pytest
from effort import some

from mdview import Dim, ExtentSlice, RangeSlice, StridedSlice
from mdview.errors import MDViewError


class Arg(NamedTuple):
    """An argument that is right, and others in its place that are not."""

    right: Any
    wrong: tuple[Any, ...] = ()


class Stranger:
    """What no part of mdview knows."""


STRANGERS = (3, None, "text", Stranger())
"""What stands for nothing but, now and then, a number, a text or an absence."""
NO_INTEGERS = (None, "text", Stranger(), int, 1.5)

Named = dict[str, Arg]


def right_arguments(args: tuple[Arg | Named, ...]) -> tuple[list[Any], dict[str, Any]]:
    named = {name: arg.right for arg in args if isinstance(arg, dict) for name, arg in arg.items()}
    return [arg.right for arg in args if isinstance(arg, Arg)], named


def wrong_calls(table: Mapping[str, tuple[Any, ...]]) -> list[Any]:
    """One parameter set for each wrong argument of each call: function, arguments, the wrong one."""
    calls = []
    for name, (function, *args) in table.items():
        plain, named = right_arguments(tuple(args))
        positional = [arg for arg in args if isinstance(arg, Arg)]
        for k, arg in enumerate(positional):
            for wrong in arg.wrong:
                given = [*plain[:k], wrong, *plain[k + 1 :]]
                calls.append(pytest.param(function, given, named, wrong, id=f"{name}-{k}-{_text(wrong)}"))
        for key, other in [item for arg in args if isinstance(arg, dict) for item in arg.items()]:
            for wrong in other.wrong:
                given = named | {key: wrong}
                calls.append(pytest.param(function, plain, given, wrong, id=f"{name}-{key}-{_text(wrong)}"))
    return calls


def right_calls(table: Mapping[str, tuple[Any, ...]]) -> list[Any]:
    return [pytest.param(f, *right_arguments(tuple(args)), id=name) for name, (f, *args) in table.items()]


def each(check: Any, cases: list[Any]) -> None:
    """Check all cases, so that one test tells of each that fails by its name."""
    failed = []
    for case in cases:
        try:
            check(*case.values)
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - any failure is told
            failed.append(f"{case.id}: {type(error).__name__}: {error}")
    assert not failed, "\n".join(failed)


def call(function: Any, plain: list[Any], named: dict[str, Any]) -> Any:
    """Call, and walk to the end of what is lazy: there is where it must not fail."""
    result = function(*plain, **named)
    return list(result) if isinstance(result, Iterator) else result


def assert_refused(function: Any, plain: list[Any], named: dict[str, Any], wrong: Any) -> None:
    with pytest.raises(MDViewError) as caught:
        function(*plain, **named)
    message = str(caught.value)
    assert any(text in message for text in _texts(wrong)), message


def _texts(wrong: Any) -> list[str]:
    """What shows a value in a message: its text, its type, or the text of what is wrong in it."""
    inner = wrong if isinstance(wrong, tuple | list) else ()
    inner = (wrong.start,) if isinstance(wrong, slice) else (wrong.offset,) if isinstance(wrong, ExtentSlice) else inner
    inner = (*wrong, *wrong.values()) if isinstance(wrong, dict) else inner
    entries = [repr(tuple(wrong))] if isinstance(wrong, str) else []
    name = wrong.__name__ if isinstance(wrong, type) else type(wrong).__name__
    return [repr(wrong), name, *entries, *[text for part in inner if part != 0 for text in _texts(part)]]


def _text(wrong: Any) -> str:
    plain = wrong is None or isinstance(wrong, int | float | str)
    return repr(wrong) if plain else wrong.__name__ if isinstance(wrong, type) else type(wrong).__name__


# Integers of more digits than Python writes, where integers belong.


class Index:
    """What stands for an integer."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __index__(self) -> int:
        return self.number


KINDS = (int, Dim, lambda n: Index(-n), lambda n: -n, Index)
LONG, SHORT = 10**5000, 10**100
"""An integer that Python does not write, and one that it does: both are too large for anything."""


def long_calls(table: Mapping[str, tuple[Any, ...]]) -> list[Any]:
    """One parameter set for each call: pairs of its arguments with a long integer and with a short one in one place."""
    calls = []
    for name, (function, *args) in table.items():
        pairs = [
            pair
            for make in some(KINDS, 2)
            for pair in zip(_with(make(LONG), args), _with(make(SHORT), args), strict=True)  # pairs in the same places
        ]
        calls.append(pytest.param(function, pairs, id=name))
    return calls


def _with(number: Any, args: list[Arg | Named]) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    plain, named = right_arguments(tuple(args))
    for k, right in enumerate(plain):
        for given in _replaced(right, number):
            yield [*plain[:k], given, *plain[k + 1 :]], named
    for key, right in named.items():
        for given in _replaced(right, number):
            yield plain, named | {key: given}


def _replaced(right: Any, n: Any) -> Iterator[Any]:
    yield from (n, (n,), [n], {"n": n}, ("text", n), (1.5, n))
    if isinstance(right, tuple | list):
        for k, entry in enumerate(right):
            yield from [type(right)([*right[:k], given, *right[k + 1 :]]) for given in _replaced(entry, n)]
        yield from [tuple(_spellings(n)[k] for _ in right) for k in range(len(_spellings(n)))]
        yield (*right, n)


def _spellings(n: Any) -> list[Any]:
    """Parts of a dimension that a long integer may be in."""
    return [
        *(n, (0, n), (n, 0), slice(n, None), slice(None, n), slice(None, None, n), slice(0, 2, n), range(n)),
        *(range(n, n, 3), ExtentSlice(n, 1), ExtentSlice(0, n), ExtentSlice(0, 2, n)),
        *(RangeSlice(n, n), RangeSlice(0, 1, n), StridedSlice(0, n), StridedSlice(0, 2, n)),
    ]


def assert_answered_alike(function: Any, pairs: list[Any]) -> None:
    """Long integers meet the answer that short ones do; where that is an error, it has a text."""
    for long, short in pairs:
        assert outcome(function, *long) == outcome(function, *short), f"{short} and longer integers"


def outcome(function: Any, plain: list[Any], named: dict[str, Any]) -> tuple[str, str]:
    """Kind of what a call gives, which has a text."""
    try:
        result = function(*plain, **named)
        result = [*islice(result, 9)] if isinstance(result, Iterator) else result
    except MDViewError as error:
        return "error", type(error).__name__ if str(error) else ""
    except Exception as error:  # noqa: BLE001 - it is reported
        return "not of mdview", type(error).__name__
    if type(result).__module__.startswith("mdview."):  # others may be numbers
        return "result", type(result).__name__ if repr(result) + str(result) else ""
    return "result", type(result).__name__
