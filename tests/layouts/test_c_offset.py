"""The offset of a mapping as C: what is written, and what is refused, by the step that prevents it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import pytest

import mdview as md
from mdview import Layout, Mapping
from mdview.errors import OperandError, RankError, SourceError
from mdview.testing.samples.layouts import LayoutLooping


def test_strides():
    assert Mapping((3, 4)).to_c(("i", "j")) == "((int64_t)i * INT64_C(4) + (int64_t)j)"
    assert Mapping((3, 4), md.LayoutLeft()).to_c(["row", "column"]) == "((int64_t)row + (int64_t)column * INT64_C(3))"
    flipped = md.flip(Mapping((3, 4)))
    assert flipped.to_c(("i", "j")) == "(INT64_C(11) - (int64_t)i * INT64_C(4) - (int64_t)j)"


def test_a_composition_that_has_strides_is_written_by_them():
    tile = md.submapping(Mapping((8, 8), md.LayoutTiled(4, 4)), (4, 8), (0, 4))[0]
    assert tile.to_c(("i", "j")) == "((int64_t)i * INT64_C(4) + (int64_t)j)"


def test_an_index_that_is_always_0_is_left_out():
    assert Mapping((1, 4)).to_c(("i", "j")) == "((int64_t)j)"
    assert Mapping((1, 1), md.LayoutTiled(2, 2)).to_c(("i", "j")) == "(INT64_C(0))"


def test_rank_0():
    assert Mapping(()).to_c(()) == "(INT64_C(0))"
    assert Mapping((), md.LayoutStrideRelaxed((), 7)).to_c([]) == "(INT64_C(7))"


@pytest.mark.parametrize("layout", [md.LayoutRight(), md.LayoutTiled(2, 2), md.LayoutMorton(), LayoutLooping()])
@pytest.mark.parametrize("extents", [(0, 3), (3, 0), (0, 0)])
def test_without_an_index_it_is_0(layout, extents):
    assert Mapping(extents, layout).to_c(("i", "j")) == "(INT64_C(0))"


def test_padding_is_not_looked_at():
    tiled = Mapping((4, 4), md.LayoutTiled(2, 2))
    text = md.pad(tiled, 1).to_c(("i", "j"))
    assert text.startswith("(((((int64_t)i - INT64_C(1)) >> INT64_C(1)) * INT64_C(2) + ")
    nothing = md.submapping(md.pad(tiled, 1), 0, (0, 6))[0]  # padding alone
    assert nothing.to_c(("j",)) == "(INT64_C(0))"


def test_padding_around_strides_leaves_the_strides():
    assert md.pad(Mapping((3, 4)), (1, 0)).to_c(("i", "j")) == "((int64_t)i * INT64_C(4) - INT64_C(5) + (int64_t)j)"
    reshaped = md.reshape(md.pad(Mapping((3, 4)), 1), (30,))  # the padding is no box here
    assert all(value_of(reshaped, i=i) == reshaped(i) for i in range(30) if reshaped.is_valid(i))


def value_of(mapping, **index):
    """Value of an expression whose quotients are natural numbers."""
    text = re.sub(r"INT64_C\((\d+)\)", r"\1", mapping.to_c(tuple(index))).replace("(int64_t)", "").replace("/", "//")
    return eval(text, {}, index)  # noqa: S307 - arithmetic alone


@final
@dataclass(frozen=True)
class LayoutContradicting(Layout):
    """Its strides are not those of its offsets."""

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        return index[0] * 3

    def strides(self, extents: Sequence[int]) -> tuple[int, ...]:
        return (2,)

    def required_span_size(self, extents: Sequence[int]) -> int:
        return 100


def test_the_arithmetic_counts_and_not_what_the_layout_says_of_it():
    assert Mapping((5,), LayoutContradicting()).to_c(("i",)) == "((int64_t)i * INT64_C(3))"


@final
@dataclass(frozen=True)
class LayoutStated(Layout):
    """Loops over its index, and states its strides."""

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        return 7 + sum(5 for _ in range(index[0])) + index[1]

    def strides(self, extents: Sequence[int]) -> tuple[int, ...]:
        return (5, 1)

    def required_span_size(self, extents: Sequence[int]) -> int:
        return 0 if 0 in extents else 1 + self.offset(extents, [e - 1 for e in extents])


def test_strides_stand_for_arithmetic_that_cannot_be_traced():
    text = Mapping((4, 5), LayoutStated()).to_c(("i", "j"))
    assert text == "(INT64_C(7) + (int64_t)i * INT64_C(5) + (int64_t)j)"


@final
@dataclass(frozen=True)
class LayoutDividing(Layout):
    """Divides by an index unless it is 0."""

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        i, j = index
        return i // j if j else 0

    def required_span_size(self, extents: Sequence[int]) -> int:
        return extents[0]


def test_a_divisor_that_may_be_0_is_refused():
    with pytest.raises(SourceError, match=r"a divisor between 0 and 4 may be 0, and each part must be a number"):
        Mapping((5, 5), LayoutDividing()).to_c(("i", "j"))


def test_a_function_has_the_name_that_it_is_given():
    mapping = md.flip(Mapping((8, 8), md.LayoutTiled(3, 3)))
    text = mapping.to_c(("i", "j"), function="place")
    assert text.startswith("static inline int64_t place(int64_t i, int64_t j) {\n    const int64_t t0 = ")
    assert text.endswith("}\n")


def test_a_layout_that_is_no_arithmetic_is_refused_with_the_step_that_prevents_it():
    with pytest.raises(
        SourceError, match=r"no C is known for LayoutLooping\(\) over extents \(64, 64\): its comparisons have"
    ):
        Mapping((64, 64), LayoutLooping()).to_c(("i", "j"))

    @final
    @dataclass(frozen=True)
    class LayoutTable(Layout):
        def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
            return (0, 2, 1, 5)[index[0]]

        def required_span_size(self, extents: Sequence[int]) -> int:
            return 6

    with pytest.raises(SourceError, match=r"it asks for the number i0, which is a symbol.*must be arithmetic"):
        Mapping((4,), LayoutTable()).to_c(("i",))


def test_arithmetic_beyond_64_bits_is_refused_and_says_how_far_it_goes():
    packed = Mapping((1 << 31, 1 << 31), md.LayoutBlasPacked("upper", "row"))
    with pytest.raises(
        SourceError, match=r"numbers from -?\d+ to \d+ take too many bits, and each part must be a number of 64"
    ):
        packed.to_c(("i", "j"))


@final
@dataclass(frozen=True)
class LayoutCancelling(Layout):
    """Adds and subtracts what does not matter: what is written is what is left."""

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        (i,) = index
        large = i * (1 << 62) * 4
        return i + large - large

    def required_span_size(self, extents: Sequence[int]) -> int:
        return extents[0]


def test_what_cancels_takes_no_bits():
    assert Mapping((5,), LayoutCancelling()).to_c(("i",)) == "((int64_t)i)"


@final
@dataclass(frozen=True)
class LayoutMixed(Layout):
    """Mixes the bits of an index, again and again: as one expression it is long."""

    rounds: int

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        (i,) = index
        for k in range(self.rounds):
            i = ((i ^ (i >> 1)) * 5 + k) % 1024
        return i

    def required_span_size(self, extents: Sequence[int]) -> int:
        return 1024


def test_what_is_too_long_for_one_expression_is_a_function():
    mapping = Mapping((1024,), LayoutMixed(40))
    with pytest.raises(SourceError, match=r"no C is known for LayoutMixed\(rounds=40\) .*function='offset' names it"):
        mapping.to_c(("i",))
    assert len(mapping.to_c(("i",), function="offset").splitlines()) < 200


def test_names_and_the_function_are_checked_first():
    mapping = Mapping((64, 64), LayoutLooping())
    with pytest.raises(RankError, match="rank 2 takes 2 names, got 1"):
        mapping.to_c(("i",))
    with pytest.raises(OperandError, match="names must be a sequence, got str 'ij'"):
        mapping.to_c("ij")
    with pytest.raises(SourceError, match="that is a keyword of C or C"):
        mapping.to_c(("i", "j"), function="template")
    with pytest.raises(SourceError, match=r"the name of a function is .* got 'i': that is the name of an index"):
        mapping.to_c(("i", "j"), function="i")
    with pytest.raises(OperandError, match="the name of a function must be a text"):
        mapping.to_c(("i", "j"), function=True)
