"""Every public function that takes a mapping takes a view as well, for its mapping, and a layout may be its text."""

from collections.abc import Iterator

import pytest
from misuse import Arg
from refusals import CALLS, MAPPING, VIEW

from mdview import LayoutRight

TAKING = [
    (name, k, arg.right)
    for name, call in CALLS.items()
    for k, arg in enumerate(call)
    if isinstance(arg, Arg) and (arg.right is MAPPING or type(arg.right) is LayoutRight)
]


@pytest.mark.parametrize(("name", "k", "right"), TAKING)
def test_a_view_is_taken_for_its_mapping_and_a_text_for_its_layout(name, k, right):
    function, *args = CALLS[name]
    named = {key: arg.right for each in args if isinstance(each, dict) for key, arg in each.items()}

    def answer(given):
        plain = [arg.right if n != k else given for n, arg in enumerate(args, 1) if isinstance(arg, Arg)]
        found = function(*plain, **named)
        return repr([*found] if isinstance(found, Iterator) else found)

    assert answer(VIEW if right is MAPPING else "right") == answer(right)
    assert VIEW.mapping == MAPPING
