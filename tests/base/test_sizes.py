"""What is small enough for a cache: an object with all that it alone keeps alive."""

import types

import numpy as np
import pytest

from mdview import LayoutTiled, MDView
from mdview.base.sizes import MOST_BYTES, is_small

MUCH = bytes(MOST_BYTES)


class Importable:
    table = MUCH


class Holder:
    def __init__(self, held):
        self.held = held


class Slotted:
    __slots__ = ("held",)

    def __init__(self, held):
        self.held = held


class Unsure:
    def __sizeof__(self):
        raise ValueError


def closure(held):
    return lambda: held


def with_default(held):
    return lambda given=held: given


def with_keyword(held):
    def function(*, given=held):
        return given

    return function


def local_class(held):
    class Local:
        table = held

    return Local


def bound_method(held):
    return types.MethodType(lambda self: self, held)


def nested(held):
    return ({"key": [held]},)


WAYS = [Holder, Slotted, closure, with_default, with_keyword, local_class, bound_method, nested]
SMALL = [1, "text", (1, 2), np.int64(3), np.zeros(3), memoryview(b"abc"), LayoutTiled(2, 3), Importable()]
LARGE = [
    MUCH,
    bytearray(MUCH),
    "x" * MOST_BYTES,
    [0] * MOST_BYTES,
    1 << 8 * MOST_BYTES,
    np.zeros(MOST_BYTES, np.int8),
    np.zeros((MOST_BYTES, 2), np.int8)[:1, :1],
    memoryview(bytearray(MUCH))[:1],
    Unsure(),
]


@pytest.mark.parametrize("way", WAYS)
def test_what_holds_much_is_not_small_however_it_holds_it(way):
    for large in LARGE:
        assert not is_small(way(large))
        assert not is_small((1, way(way(large))))
    for small in SMALL:
        assert is_small(way(small))


def test_what_belongs_to_the_program_does_not_count():
    for shared in (Importable, Importable(), np, len, MDView, is_small, pytest.raises, types):
        assert is_small(Holder(shared))


def test_what_refers_to_itself_is_walked_once():
    ring = []
    ring.append(ring)
    assert is_small(ring)
