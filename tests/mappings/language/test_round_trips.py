"""What is written is read as the same mapping: of every layout, and after every operation."""

import itertools
from dataclasses import KW_ONLY, dataclass, field
from typing import Literal, final

import pytest
from samples import MAPPINGS, LayoutBanded

import mdview as md
from mdview import Layout, LayoutRight, LayoutTiled, LayoutTranspose, Mapping, dim
from mdview.errors import MDViewError
from mdview.layouts.shipped import SHIPPED
from mdview.mappings.language.signatures import parameters_of
from mdview.testing.samples.layouts import EXAMPLES, LayoutEvensFirst

SHAPES = ((), (0,), (1,), (5,), (4, 4), (dim(6), 5), (3, 0), (3, 3, 2))


def assert_round_trip(mapping):
    text = md.format(mapping)
    again = md.parse(text)
    assert again == mapping
    assert repr(again) == repr(mapping)  # static where it is
    assert md.format(again) == text
    return text


@pytest.mark.parametrize("name", MAPPINGS)
def test_sample_mappings(name):
    assert_round_trip(MAPPINGS[name])


@pytest.mark.parametrize("kind", EXAMPLES)
def test_examples_of_every_layout_over_small_extents(kind):
    bound = 0
    for make, shape in itertools.product(EXAMPLES[kind].values(), SHAPES):
        try:
            mapping = Mapping(shape, make(shape))
        except MDViewError:  # no layout of such extents
            continue
        assert_round_trip(mapping)
        bound += 1
    assert bound


def test_every_shipped_layout_has_a_name_and_an_example():
    assert {kind.__name__ for kind in SHIPPED} == {*EXAMPLES}
    assert len({kind.short_name for kind in SHIPPED}) == len(SHIPPED)
    assert all(kind.short_name for kind in SHIPPED)


def test_layouts_of_users_within_shipped_ones():
    assert assert_round_trip(Mapping((4, 4), LayoutTranspose(LayoutBanded(1, 2)))) == (
        "transpose(samples:LayoutBanded(1, 2)) (4, 4)"
    )
    layout = md.LayoutSwizzled(LayoutEvensFirst(), 1, 0, 1)
    assert "LayoutEvensFirst" in assert_round_trip(Mapping((4, 4), layout))


@final
@dataclass(frozen=True)
class LayoutOfLiterals(Layout):
    """Takes every literal that an expression has."""

    first: object
    order: Literal["up", "down", "left"] = "up"
    _: KW_ONLY
    more: object = ()
    inner: Layout = field(default_factory=LayoutRight)

    def offset(self, extents, index):
        return index[0] ^ 1

    def required_span_size(self, extents):
        return extents[0] + 1


LITERALS = [
    *(0, -1, 10**30, -(10**5000), dim(3), True, None, 1.5, -0.0, 1e300, float("inf"), -float("inf"), 1 - 2j),
    *("", "left", "tiled", "it's", "both ' and \"", "\n\0\t\\", "日本\ud800\x85", b"", b"a\xff'", "True"),
    *((), (1,), (1, (2, "x")), LayoutTiled(2, dim(2)), (LayoutRight(), LayoutBanded(1, 2))),
]


@pytest.mark.parametrize("given", LITERALS, ids=range(len(LITERALS)))
def test_parameters_of_every_kind(given):
    for layout in (
        LayoutOfLiterals(given),
        LayoutOfLiterals(given, "left"),
        LayoutOfLiterals(1, more=given),
        LayoutOfLiterals(given, inner=LayoutOfLiterals(given, "down", inner=LayoutTiled(2))),
    ):
        assert_round_trip(Mapping((3,), layout))


def test_of_parameters_what_needs_to_be_said_is_said():
    name = f"{__name__}:LayoutOfLiterals"
    assert md.format(Mapping((3,), LayoutOfLiterals(1))) == f"{name}(1, inner=right) (3,)"
    assert "(1, order=left, more=dim(2), inner=right)" in md.format(
        Mapping((3,), LayoutOfLiterals(1, "left", more=dim(2)))
    )


class LayoutOfStrangeSignature(md.StridedLayout):
    """Its annotations name nothing, and it takes what it does not need."""

    def __init__(self, steps: "Nowhere", *rest: int, **ignored: int) -> None:  # noqa: F821
        self.steps, self.rest = steps, rest

    def strides(self, extents):
        return (self.steps, *self.rest)


def test_annotations_that_name_nothing():
    mapping = Mapping((3, 2), LayoutOfStrangeSignature(5, 1))
    assert md.format(mapping) == f"{__name__}:LayoutOfStrangeSignature(5, 1) (3, 2)"
    assert md.parse(f"{__name__}:LayoutOfStrangeSignature(5, 1, some=2) (3, 2)") == mapping


def test_a_class_without_a_signature(monkeypatch):
    def unknown(_):
        raise ValueError

    monkeypatch.setattr("mdview.mappings.language.signatures.signature", unknown)
    parameters_of.cache_clear()
    try:
        assert md.parse("tiled(2, 2, outer=left) (4, 4)").layout == LayoutTiled(2, 2, outer=md.LayoutLeft())
    finally:
        parameters_of.cache_clear()


def test_parts_of_tiles_keep_their_place():
    whole = md.parse("tiled(4, 4) (12, 12)")
    part = md.parse("tiled(4, 4) (12, 12) [4:8]")
    assert [part(i, j) for i in range(4) for j in range(12)] == [whole(i, j) for i in range(4, 8) for j in range(12)]
    assert md.format(part) == "tiled(4, 4) (12, 12) [4:8]"


def test_numbers_of_numpy_are_written_as_pythons():
    np = pytest.importorskip("numpy")
    mapping = Mapping((4, 4), LayoutBanded(np.int64(1), np.int16(2)))
    assert md.format(mapping) == "samples:LayoutBanded(1, 2) (4, 4)"
    assert md.parse(md.format(mapping)) == mapping
    assert md.format(Mapping((3,), LayoutOfLiterals(np.float64(0.5)))).startswith(f"{__name__}:LayoutOfLiterals(0.5")


def test_views_are_written_as_their_mappings():
    view = md.MDView(list(range(24)), (4, 6))
    assert md.format(view) == "right (4, 6)"
    assert md.format(view[1:3, 2:5]) == "right_padded(6) (2, 3)"
    assert md.parse(md.format(view[1:3, 2:5])) == view[1:3, 2:5].mapping


SHORTEST = [
    "tiled(2, 2) (4, 4) [::-1]",
    "tiled(2, 2) (4, 4) [:, 0] expand_dims(1)",
    "tiled(2, 2) (4, 4) diagonal()",
    "tiled(2, 2) (4, 4) diagonal(offset=1)",
    "packed(upper, row) (5, 5) [1:4, ::2] diagonal()",
    "tiled(2, 2, 2) (4, 4, 4) diagonal(axis1=1, axis2=2)",
    "tiled(2, 2) (4, 4) [1] broadcast_to((3, 4))",
    "tiled(2, 2) (4, 4) [1] expand_dims(1) broadcast_to((4, 3))",
    "tiled(2, 2) (4, 4) expand_dims((0, 3))",
    "morton (4, 8) permute_dims((1, 0))",
    "morton (4, 8) pad(1)",
    "morton (4, 8) pad(((1, 0), (1, 1))) [:3]",
    "morton (4, 8) pad(2) [::-1]",
    "morton (4, 8) sliding_window((2, 2))",
    "morton (4, 8) sliding_window(2, axis=1)",
    "morton (4, 8) ravel() [3:18:2]",
    "morton (4, 8) ravel() sliding_window(3)",
    "morton (4, 8) ravel() [::2] sliding_window(3)",
    "morton (4, 8) [::2] transposed()",
    "morton (4, 8) pad(1) transposed()",
    "transpose(morton) (4, 8) [::2]",
    "morton (4, 8) reshape((8, 4)) permute_dims((1, 0))",
    "morton (4, 8) pad(1) reshape((12, 5))",
    "morton (4, 8) pad(1) sliding_window((3, 3))",
    "composed(morton, (4, 8), transform((0, 0), (1, 2), (0, 0)), box=((0, 0),)) (3,)",
    "composed(morton, (4, 8), transform((0, 0), (1, 1), (0, 1), radix=radix(0, (7, 3), (4, 8)))) (3, 4)",
    "composed(morton, (4, 4, 4), transform((0, 0, 0), (1, 1, 1), (0, 0, 0))) (4,)",
]


@pytest.mark.parametrize("text", SHORTEST)
def test_texts_that_are_canonical(text):
    assert md.format(md.parse(text)) == text


def test_tiles_within_tiles_and_static_sizes():
    layout = LayoutTiled(4, dim(4), inner=LayoutTiled(2, 2))
    assert assert_round_trip(Mapping((10, dim(12)), layout)) == "tiled(4, dim(4), inner=tiled(2, 2)) (10, dim(12))"
