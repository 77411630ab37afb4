"""What counts as the same answer, and what does not."""

import pytest
import rules

from mdview import dim


@pytest.mark.parametrize(
    ("answer", "expected"), [((1, 2), [1, 2]), (1.0, 1), ({"a": (None,)}, {"a": [None]}), (None, None), ("a", "a")]
)
def test_same(answer, expected):
    assert rules.same(answer, expected)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (1, True),
        (0, False),
        (None, False),
        (dim(3), 3),
        ([1], [1, 2]),
        (1, [1]),
        ({}, {"a": None}),
        ({"a": 1, "b": 2}, {"a": 1}),
        ([{"a": True}], [{"a": 1}]),
    ],
)
def test_not_same(answer, expected):
    assert not rules.same(answer, expected)


def test_a_key_without_an_answer_fails_and_null_strides_do_not():
    rules.check({"strides": (7, 1), "more": 0}, {"strides": [None, 1]})
    for answer in ({}, {"strides": (7, 2)}, {"strides": (7, 1, 1)}):
        with pytest.raises(AssertionError):
            rules.check(answer, {"strides": [None, 1]})
    with pytest.raises(AssertionError, match="nothing is asked"):
        rules.check({"strides": (7, 1)}, {})
