"""Expressions are values: equal if built alike, immutable, of plain ints, and each shared part is one part."""

import copy
import enum
import pickle

import numpy as np
import pytest
from expression_trees import ARITHMETIC, EXPRESSIONS, I, J
from hypothesis import given

from mdview import dim
from mdview.errors import ExtentsTypeError
from mdview.expressions import nodes
from mdview.expressions.nodes import (
    Const,
    Index,
    Node,
    Op,
    Param,
    Select,
    Sharing,
    alternatives,
    as_node,
    each_part,
    fold,
    replaced,
)

LEAVES = [Const(0), Const(1), Const(-1), Const(-2), Param(0), Param(1), Index(0), Index(1)]
BUILT = [
    *LEAVES,
    I + J,
    J + I,
    I - J,
    I * J,
    -I,
    Op("sub", I, J),
    Op("lt", I, J),
    Op("le", I, J),
    Select(Op("lt", I, J), I, J),
    Select(Op("lt", I, J), J, I),
    (I + J) + 1,
    I + (J + 1),
]


class Loud(int):
    """An integer that shows and computes otherwise than it is."""

    def __str__(self):
        return "__import__('os').abort()"

    __repr__ = __format__ = __str__

    def __add__(self, other):
        return 1000


class Colour(enum.IntEnum):
    RED = 5


def shared(rounds, start=I):
    """An expression of few parts, each in two places of the next one."""
    for _ in range(rounds):
        start = (start ^ (start >> 1)) & 255
    return start


def test_expressions_are_equal_if_built_alike_and_only_then():
    for k, one in enumerate(BUILT):
        for m, other in enumerate(BUILT):
            again = pickle.loads(pickle.dumps(other))  # noqa: S301 - of our own making
            assert (one == again) == (again == one) == (k == m)
            assert (one != again) == (k != m)
            if k == m:
                assert hash(one) == hash(again)
    assert len(set(BUILT)) == len(BUILT)


def test_nothing_is_computed_in_an_expression():
    assert Const(1) + Const(2) != Const(3)
    assert I + 0 != I
    assert str((I + 0) * 1 - J) == "(((i0 + 0) * 1) + -i1)"


def test_an_expression_is_no_number():
    assert Const(3) != 3
    assert Const(3) != "3"
    assert {Const(3): "expression", 3: "number"} == {3: "number", Const(3): "expression"}


@given(EXPRESSIONS)
def test_what_travels_is_equal_and_has_as_many_parts(root):
    root = Sharing().copy(root)
    for again in (pickle.loads(pickle.dumps(root)), copy.copy(root), copy.deepcopy(root)):  # noqa: S301 - our own
        assert again == root
        assert hash(again) == hash(root)
        assert str(again) == str(root)
        assert again.dimensions == root.dimensions
        assert len(each_part(again)) == len(each_part(root))


@pytest.mark.parametrize("node", [Const(3), I, Param(0), I + 1, Select(Op("lt", I, J), I, J)], ids=str)
def test_a_part_does_not_change(node):
    for name in ("label", "operands", "dimensions", "number", "other"):
        with pytest.raises(AttributeError, match=rf"{type(node).__name__} is immutable; .* instead of changing {name}"):
            setattr(node, name, 1)


@pytest.mark.parametrize("number", [5, dim(5), Loud(5), Colour.RED, np.int64(5), np.uint8(5), np.array(5)], ids=type)
def test_every_integer_becomes_a_plain_one(number):
    for node in (Const(number), as_node(number), (I + number).operands[1], Op("add", number, I).operands[0]):
        assert type(node.label) is type(node.number) is int
        assert node == Const(5)
        assert str(node) == repr(node) == "5"


def test_a_bool_is_the_number_that_it_is():
    assert [type(Const(b).number) for b in (False, True)] == [int, int]
    assert (str(I + True), str(I * False)) == ("(i0 + 1)", "(i0 * 0)")


@pytest.mark.parametrize("given", [0.5, 2.0, "1", None, [1], 1j, np.float64(1), np.array([1, 2])], ids=repr)
def test_only_integers_are_operands(given):
    for make in (Const, as_node, lambda x: I + x, lambda x: Op("add", x, I), lambda x: Select(Op("lt", I, J), x, 0)):
        with pytest.raises(ExtentsTypeError, match="must be an integer, got"):
            make(given)


def test_the_dimensions_are_those_of_the_indices_below():
    assert [sorted(node.dimensions) for node in (Const(1), Param(0), I, J + Param(1))] == [[], [], [0], [1]]
    assert (I * 2 + J // 3).dimensions == Select(Op("lt", I, 1), J, 0).dimensions == {0, 1}


def test_operands_come_before_what_is_over_them_and_each_part_once():
    both = I + J
    root = Select(Op("lt", both, 3), both * both, J)
    parts = each_part(root)
    assert [str(part) for part in parts] == [
        *("i0", "i1", "(i0 + i1)", "3", "((i0 + i1) < 3)", "((i0 + i1) * (i0 + i1))"),
        "(((i0 + i1) * (i0 + i1)) if ((i0 + i1) < 3) else i1)",
    ]
    assert [str(part) for part in each_part(root, {id(both), id(J)})] == [str(part) for part in parts[3:]]
    assert each_part(root, {id(root)}) == []


@pytest.mark.parametrize("rounds", [1, 40, 200])
def test_parts_in_many_places_are_visited_once(rounds):
    visits = []
    fold(shared(rounds), lambda node, operands: visits.append(node))
    assert len(visits) == len(each_part(shared(rounds))) == 1 + 5 * rounds
    once = Sharing().copy(shared(rounds))
    assert len(each_part(once)) == 3 + 3 * rounds
    assert once == shared(rounds)
    assert once != shared(rounds, J)


@given(ARITHMETIC, ARITHMETIC)
def test_equal_parts_are_one_object_after_sharing_and_nothing_else_changes(one, other):
    sharing = Sharing()
    first, second = sharing.copy(one), sharing.copy(other)
    assert (first, second) == (one, other)
    assert (first is second) == (one == other)
    parts = each_part(first + second)
    assert len({*map(id, parts)}) == len({*parts})


def test_what_is_shared_already_is_looked_at_no_more(monkeypatch):
    sharing = Sharing()
    root = sharing.copy(shared(30))
    seen = []

    def noted(*args):
        found = each_part(*args)
        seen.extend(found)
        return found

    monkeypatch.setattr(nodes, "each_part", noted)
    assert sharing.copy(root) is root
    assert seen == []
    above = root + 1
    copied = sharing.copy(above)
    assert len(seen) == 2
    assert copied == above


def test_choices_are_the_comparisons_and_the_ways():
    first, second = Op("lt", I, J), Op("eq", I, 3)
    assert alternatives(I) == [I]
    assert alternatives(Select(first, Select(second, 1, I), J)) == [first, second, Const(1), I, J]


def test_leaves_are_replaced_wherever_they_stand():
    moved = replaced(I * I + Param(0), lambda leaf: I + 1 if leaf == I else leaf, lambda node, o: node.over(o))
    assert moved == (I + 1) * (I + 1) + Param(0)
    assert moved.operands[0].operands[0] is moved.operands[0].operands[1]


def test_long_text_is_cut_and_long_numbers_are_hexadecimal():
    text = str(shared(2000))
    assert len(text) < 50_000
    assert "…" in text
    assert str(Const(1 << 20_000)) == hex(1 << 20_000)
    assert str(Const(-(10**300))) == str(-(10**300))


def test_a_part_has_the_same_text_as_its_representation():
    for node in BUILT:
        assert str(node) == repr(node)
    assert str(Select(Op("ge", -I, 3), I << 2, J ^ Param(1))) == "((i0 << 2) if (-i0 >= 3) else (i1 ^ p1))"


def test_no_part_is_made_of_the_class_that_all_have_in_common():
    with pytest.raises(TypeError, match="abstract"):
        Node(1)
