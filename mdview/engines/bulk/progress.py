"""Reports of the progress of long operations, to a callable or as a bar."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any, Final, TypeAlias

from mdview.base.argument_checks import check_function
from mdview.base.optional_libraries import import_partner

Progress: TypeAlias = "bool | Callable[[int, int], object]"
"""True for a bar, or a callable, which is repeatedly called with the numbers of elements done and of all elements."""
Done: TypeAlias = Callable[[int], None]
"""A function to call with the number of elements done since the last call."""

REPORTED: Final = 1 << 14
"""The number of values between two reports."""


@contextmanager
def part_counter(progress: Progress, total: int) -> Iterator[Callable[[int], None]]:
    """Yield a function that reports progress of work on ``total`` elements; call it with the size of each part done.

    Raises
    ------
    MissingExtraError
        ``progress`` is True, and tqdm is not installed.

    >>> with part_counter(lambda done, total: print(done, "of", total), 3) as done:
    ...     done(2)
    2 of 3
    """
    if progress is False:
        yield nothing
    elif progress is True:
        tqdm = import_partner("tqdm", "tqdm", "progress").tqdm
        with tqdm(total=total, unit="elements", unit_scale=True) as bar:
            yield bar.update
    else:
        check_function(progress, "progress, where it is neither True nor False,")
        so_far = 0

        def done(count: int) -> None:
            nonlocal so_far
            so_far += count
            progress(so_far, total)

        yield done


def nothing(count: int) -> None:
    """Ignore a report of progress."""


def reporting(each: Iterator[Any], done: Done) -> Iterator[Any]:  # Any: values of any type
    """Return an iterator over the same values that reports progress."""
    return each if done is nothing else chain.from_iterable(_reported(each, done))


def _reported(each: Iterator[Any], done: Done) -> Iterator[list[Any]]:
    while part := list(islice(each, REPORTED)):
        yield part
        done(len(part))
