"""Every public function that takes a mapping takes a view as well, for its mapping, and a layout may be its text."""

from collections.abc import Iterator

import pytest
from misuse import each, right_arguments

from mdview import LayoutRight


def answer(function, plain, named):
    found = function(*plain, **named)
    return repr([*found] if isinstance(found, Iterator) else found)


def test_a_view_is_taken_for_its_mapping_and_a_text_for_its_layout(refusals):
    """Of each function that takes a mapping or a layout; the names of those that fail are told."""

    def check(function, plain, named, k):
        other = "right" if isinstance(plain[k], LayoutRight) else refusals.VIEW
        assert answer(function, [*plain[:k], other, *plain[k + 1 :]], named) == answer(function, plain, named)

    assert refusals.VIEW.mapping == refusals.MAPPING
    taking = []
    for name, (function, *args) in refusals.CALLS.items():
        plain, named = right_arguments(args)
        for k, right in enumerate(plain):
            if right is refusals.MAPPING or type(right) is LayoutRight:
                taking.append(pytest.param(function, plain, named, k, id=f"{name}-{k}"))
    assert len(taking) > 30
    each(check, taking)
