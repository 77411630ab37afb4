"""Values: immutable, equal when their class and fields are, made from annotated fields as frozen dataclasses are."""

from __future__ import annotations

import copy
import pickle
from typing import ClassVar

import pytest

from mdview import ExtentSlice, MemorySpaceAccessor, RestrictAccessor
from mdview.base.values import replace, value


@value
class Point:
    x: int
    y: int = 7
    dimension: ClassVar[int] = 2

    def __post_init__(self):
        if self.x < 0:
            raise ValueError(self.x)


def test_fields_are_given_by_place_by_name_or_by_default():
    assert Point(1, 2) == Point(1, y=2) == Point(y=2, x=1)
    assert Point(1) == Point(1, 7)
    assert Point.dimension == 2


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((1, 2, 3), {}, r"Point\(\) takes at most 2 arguments, got 3"),
        ((), {}, r"Point\(\) misses field 'x'"),
        ((1,), {"z": 1}, r"Point\(\) got no field 'z'"),
        ((1,), {"x": 1}, r"Point\(\) got two values for field 'x'"),
    ],
)
def test_fields_that_do_not_fit_are_named(args, kwargs, message):
    with pytest.raises(TypeError, match=message):
        Point(*args, **kwargs)


def test_a_value_checks_itself():
    with pytest.raises(ValueError, match="-1"):
        Point(-1)
    with pytest.raises(ValueError, match="-1"):
        replace(Point(1), x=-1)


def test_equal_fields_make_equal_values_of_one_class_only():
    assert hash(Point(1)) == hash(Point(1, 7))
    assert Point(1) != Point(2)
    assert Point(1) != (1, 7)
    assert RestrictAccessor() != MemorySpaceAccessor()


def test_a_value_shows_what_makes_it():
    assert repr(Point(1)) == "Point(x=1, y=7)"


def test_a_value_cannot_be_changed():
    for change in (lambda p: setattr(p, "x", 2), lambda p: delattr(p, "x"), lambda p: setattr(p, "z", 2)):
        with pytest.raises(AttributeError, match="Point is immutable; make another one instead of changing"):
            change(Point(1))


@pytest.mark.parametrize("again", [lambda v: pickle.loads(pickle.dumps(v)), copy.copy, copy.deepcopy])  # noqa: S301
def test_a_value_travels(again):
    assert again(Point(3)) == Point(3)
    assert again(ExtentSlice(1, 2)) == ExtentSlice(1, 2)


def test_a_value_checks_itself_when_it_arrives():
    make, (cls, _) = Point(1).__reduce__()
    with pytest.raises(ValueError, match="-1"):
        make(cls, [-1, 2])


def test_replace_changes_some_fields():
    assert replace(Point(1), y=3) == Point(1, 3)


def test_a_value_matches_by_place():
    match Point(1, 2):
        case Point(x, y):
            assert (x, y) == (1, 2)
