"""Calls with one wrong argument: a table says for each argument what is right there and what is wrong."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from mdview import ExtentSlice
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


def right_arguments(args):
    named = {name: arg.right for arg in args if isinstance(arg, dict) for name, arg in arg.items()}
    return [arg.right for arg in args if isinstance(arg, Arg)], named


def wrong_calls(table):
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


def right_calls(table):
    return [pytest.param(f, *right_arguments(tuple(args)), id=name) for name, (f, *args) in table.items()]


def each(check, cases):
    """Check all cases, so that one test tells of each that fails by its name."""
    failed = []
    for case in cases:
        try:
            check(*case.values)
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - any failure is told
            failed.append(f"{case.id}: {type(error).__name__}: {error}")
    assert not failed, "\n".join(failed)


def call(function, plain, named):
    """Call, and walk to the end of what is lazy: there is where it must not fail."""
    result = function(*plain, **named)
    return list(result) if isinstance(result, Iterator) else result


def assert_refused(function, plain, named, wrong):
    with pytest.raises(MDViewError) as caught:
        function(*plain, **named)
    message = str(caught.value)
    assert any(text in message for text in _texts(wrong)), message


def _texts(wrong):
    """What shows a value in a message: its text, its type, or the text of what is wrong in it."""
    inner = wrong if isinstance(wrong, tuple | list) else ()
    inner = (wrong.start,) if isinstance(wrong, slice) else (wrong.offset,) if isinstance(wrong, ExtentSlice) else inner
    inner = (*wrong, *wrong.values()) if isinstance(wrong, dict) else inner
    entries = [repr(tuple(wrong))] if isinstance(wrong, str) else []
    name = wrong.__name__ if isinstance(wrong, type) else type(wrong).__name__
    return [repr(wrong), name, *entries, *[text for part in inner if part != 0 for text in _texts(part)]]


def _text(wrong):
    plain = wrong is None or isinstance(wrong, int | float | str)
    return repr(wrong) if plain else wrong.__name__ if isinstance(wrong, type) else type(wrong).__name__
