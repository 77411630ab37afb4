"""Expressions say mappings; steps keep the offsets of what they take."""

import itertools
import subprocess
import sys

import pytest

import mdview as md
from mdview import LayoutRight, LayoutTiled, Mapping, dim
from mdview.errors import NotationError, OperandError
from mdview.mappings.language.reading import expression
from mdview.mappings.language.reading import layout as read_layout


def offsets(mapping):
    return list(mapping.offsets())


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[1:6:2, ::-1]", (slice(1, 6, 2), slice(None, None, -1))),
        ("[3]", 3),
        ("[-1, -2]", (-1, -2)),
        ("[..., 2]", (..., 2)),
        ("[2, ...]", (2, ...)),
        ("[]", ()),
        ("[:]", slice(None)),
        ("[None, 1:, None]", (None, slice(1, None), None)),
        ("[8:2:-3, -4:100]", (slice(8, 2, -3), slice(-4, 100))),
        ("[5:5]", slice(5, 5)),
        ("[::2] [1:] [..., ::-2]", None),
    ],
)
@pytest.mark.parametrize("layout", ["right", "tiled(4, 4)", "tiled(2, 3)", "morton", "relaxed((-12, 1), offset=108)"])
def test_brackets_take_what_those_of_a_view_take(layout, text, key):
    whole = md.parse(f"{layout} (10, 12)")
    view = md.MDView.from_mapping(list(range(whole.required_span_size)), whole)
    part = view[::2][1:][..., ::-2] if key is None else view[key]
    found = md.parse(f"{layout} (10, 12) {text}")
    if isinstance(part, int):
        assert (found.extents, found()) == ((), part)
    else:
        assert found.extents == part.extents
        assert offsets(found) == list(md.elements(part))


@pytest.mark.parametrize("layout", ["right", "left", "tiled(2, 2)", "morton", "swizzled(right, 1, 0, 2)"])
@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("flip()", md.flip),
        ("flip(0)", lambda m: md.flip(m, 0)),
        ("flip((0, -1))", lambda m: md.flip(m, (0, -1))),
        ("permute_dims((1, 0))", lambda m: md.permute_dims(m, (1, 0))),
        ("transposed()", md.transposed),
        ("moveaxis(0, 1)", lambda m: md.moveaxis(m, 0, 1)),
        ("swapaxes(0, 1)", lambda m: md.swapaxes(m, 0, 1)),
        ("expand_dims(1)", lambda m: md.expand_dims(m, 1)),
        ("expand_dims((0, -1)) squeeze()", lambda m: md.squeeze(md.expand_dims(m, (0, -1)))),
        ("expand_dims(0) broadcast_to((3, 4, dim(6)))", lambda m: md.broadcast_to(m, (3, 4, dim(6)))),
        ("reshape((2, -1))", lambda m: md.reshape(m, (2, -1))),
        ("reshape((8, 3), order=F)", lambda m: md.reshape(m, (8, 3), order="F")),
        ('ravel(order="F")', lambda m: md.ravel(m, order="F")),
        ("ravel()", md.ravel),
        ("diagonal()", md.diagonal),
        ("diagonal(offset=1)", lambda m: md.diagonal(m, 1)),
        ("sliding_window((2, 3))", lambda m: md.sliding_window(m, (2, 3))),
        ("sliding_window(2, axis=1)", lambda m: md.sliding_window(m, 2, 1)),
        ("shrink(((1, 3), (0, 4)))", lambda m: md.shrink(m, ((1, 3), (0, 4)))),
        ("shrink(((2, 4), (2, 6)))", lambda m: md.shrink(m, ((2, 4), (2, 6)))),
        ("pad(1)", lambda m: md.pad(m, 1)),
        ("pad((1, 2))", lambda m: md.pad(m, (1, 2))),
        ("pad(((1, 0), (0, 2)))", lambda m: md.pad(m, ((1, 0), (0, 2)))),
    ],
)
def test_operations_are_those_of_the_package(layout, text, call):
    whole = md.parse(f"{layout} (4, 6)")
    assert repr(md.parse(f"{layout} (4, 6) {text}")) == repr(call(whole))


BOUNDS = (None, *range(-4, 5))


@pytest.mark.parametrize("extent", range(4))
def test_every_slice_of_a_small_dimension_keeps_what_a_list_keeps(extent):
    numbers = list(range(extent))
    for start, stop, step in itertools.product(BOUNDS, BOUNDS, (None, 1, 2, 3, -1, -2, -3)):
        text = ":".join(["" if bound is None else str(bound) for bound in (start, stop, step)])
        for layout in ("right", "morton"):  # strided, and composed
            assert offsets(md.parse(f"{layout} ({extent},) [{text}]")) == numbers[slice(start, stop, step)]


def test_static_extents_and_static_slices():
    assert md.parse("right (dim(3), 4)").static_extents == (3, None)
    part = md.parse("right (dim(6), 4) [dim(1):dim(4)]")
    assert part.static_extents == (3, None)
    assert md.parse("right (dim(6), 4) [:]").static_extents == (6, None)
    assert md.parse("right (dim(6), 4) [1:4]").static_extents == (None, None)


def test_stages_say_each_step_and_the_mapping_behind_it():
    found = expression("tiled(2, 2)  (4, 6) [1:3]\n flip( 0 )")
    assert [stage.text for stage in found.stages] == ["tiled(2, 2)  (4, 6)", "[1:3]", "flip( 0 )"]
    assert found.stages[0].mapping == Mapping((4, 6), LayoutTiled(2, 2))
    assert found.mapping is found.stages[-1].mapping
    assert found.mapping == md.flip(found.stages[1].mapping, 0)


def test_white_space_is_free_but_between_a_layout_and_its_extents():
    assert md.parse(" right\n(3 ,4 , ) ") == Mapping((3, 4), LayoutRight())
    assert md.parse("tiled ( ) [ ... ]") == Mapping((), LayoutTiled())


def test_the_language_loads_on_use():
    tokens = "'mdview.mappings.language.tokens'"
    code = f"import sys, mdview; mdview.Mapping((3,)); assert {tokens} not in sys.modules; mdview.parse"
    code += f"; assert {tokens} in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_star_import_keeps_the_builtin():
    names = {}
    exec("from mdview import *", names)
    assert "format" not in names
    assert names["parse"] is md.parse
    assert md.format is not format


def test_a_layout_alone():
    assert read_layout(" tiled (2, 3, outer=left)") == LayoutTiled(2, 3, outer=md.LayoutLeft())
    assert read_layout("right") == LayoutRight()
    for text in (
        "",
        "tiled(2, 3) (4, 6)",
        "right (3,) [1:]",
        "tiled(2, 3",
        "transform((0,), (1,), (0,))",
        "3",
        "tiled(" * 9999,
    ):
        with pytest.raises(NotationError):
            read_layout(text)
    with pytest.raises(OperandError, match="an expression is a text"):
        read_layout(LayoutRight())
