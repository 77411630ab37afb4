"""The notation of mappings: what is written is read as the same mapping, and steps are those of the package."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import Literal, final

import numpy as np
import pytest
from effort import share, some
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import drawn
from samples.derived import chains, derivations, derive
from samples.layouts import EXAMPLES, LAYOUTS, LayoutEvensFirst, bound, shipped
from samples.mappings import MAPPINGS, LayoutBanded

import mdview as md
from mdview import Layout, LayoutRight, LayoutTiled, Mapping, dim
from mdview.errors import MDViewError, NotationError
from mdview.layouts import LayoutTranspose


def check_round_trip(mapping):
    text = md.format(mapping)
    again = md.parse(text)
    assert again == mapping
    assert repr(again) == repr(mapping)  # static where it is
    assert md.format(again) == text
    return text


# --- round trips ------------------------------------------------------------------------------------------------------

SHAPES = ((), (0,), (1,), (5,), (4, 4), (dim(6), 5), (3, 0), (3, 3, 2))


@pytest.mark.parametrize("name", [*LAYOUTS, *MAPPINGS])
def test_every_layout_and_what_is_derived_of_it(name):
    mappings = [bound(name, shape) for shape in SHAPES] if name in LAYOUTS else [MAPPINGS[name]()]
    for mapping in filter(None, mappings):
        check_round_trip(mapping)
        for each in some(derivations(mapping), 4):
            check_round_trip(derive(mapping, each))


def test_every_shipped_layout_has_a_name_of_its_own():
    kinds = shipped(Layout)
    assert {kind.__name__ for kind in kinds} == {*EXAMPLES}
    assert len({kind.short_name for kind in kinds}) == len(kinds)
    assert all(kind.short_name.isidentifier() for kind in kinds)


@given(chains(drawn.mappings(3, 4)))
def test_chains_of_operations(mapping):
    check_round_trip(mapping)


@given(st.data())
def test_compositions_made_by_hand(data):
    """Of any transform and box that their base admits, over any extents."""
    draw = data.draw
    whole, extents = draw(drawn.mappings(3, 4)), draw(drawn.extents(3, 4))
    source, radix = st.none() | st.integers(0, max(0, len(extents) - 1)), None
    if draw(st.booleans()):
        shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
        weights = draw(st.lists(st.integers(-4, 4), max_size=len(extents)))
        radix = RADIX(draw(st.integers(0, 6)), tuple(weights), tuple(shape))
        source = st.none() | st.integers(0, len(shape) - 1)
    rows = [(draw(st.integers(-2, 4)), draw(st.integers(-2, 2)), draw(source)) for _ in range(whole.rank)]
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    ends = [tuple(sorted((draw(st.integers(0, int(e))), draw(st.integers(0, int(e)))))) for e in extents]
    box = tuple(ends) if draw(st.booleans()) else None
    try:
        layout = md.LayoutComposed(whole.layout, whole.extents, md.index.IndexMap(*columns, radix), box)
        mapping = Mapping(extents, layout)
    except MDViewError:
        return
    check_round_trip(mapping)


RADIX = type(md.index.IndexMap.of_reshape((4, 4), (2, 8)).radix)


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


def test_parameters_of_every_kind():
    for literal in LITERALS:
        for layout in (
            LayoutOfLiterals(literal),
            LayoutOfLiterals(literal, "left"),
            LayoutOfLiterals(1, more=literal),
            LayoutOfLiterals(literal, inner=LayoutOfLiterals(literal, "down", inner=LayoutTiled(2))),
        ):
            check_round_trip(Mapping((3,), layout))


class LayoutOfStrangeSignature(md.layouts.StridedLayout):
    """Its annotations name nothing, and it takes what it does not need."""

    def __init__(self, steps: "Nowhere", *rest: int, **ignored: int) -> None:  # noqa: F821
        self.steps, self.rest = steps, rest

    def strides(self, extents):
        return (self.steps, *self.rest)


class LayoutSaid(md.layouts.StridedLayout):
    """It says what it is made from."""

    def __init__(self, step):
        self.twice = 2 * step

    def strides(self, extents):
        return (self.twice,) * len(extents)

    def constructor_arguments(self):
        return {"step": self.twice // 2}


BANDED = f"{LayoutBanded.__module__}:LayoutBanded(1, 2)"
WRITTEN = [
    (LayoutTranspose(LayoutBanded(1, 2)), (4, 4), f"transpose({BANDED}) (4, 4)"),
    (LayoutBanded(np.int64(1), np.int16(2)), (4, 4), f"{BANDED} (4, 4)"),
    (LayoutOfLiterals(1), (3,), f"{__name__}:LayoutOfLiterals(1, inner=right) (3,)"),
    (
        LayoutOfLiterals(np.float64(0.5), "left", more=dim(2)),
        (3,),
        f"{__name__}:LayoutOfLiterals(0.5, order=left, more=dim(2), inner=right) (3,)",
    ),
    (LayoutOfStrangeSignature(5, 1), (3, 2), f"{__name__}:LayoutOfStrangeSignature(5, 1) (3, 2)"),
    (LayoutSaid(2), (3,), f"{__name__}:LayoutSaid(2) (3,)"),
    (
        LayoutTiled(4, dim(4), inner=LayoutTiled(2, 2)),
        (10, dim(12)),
        "tiled(4, dim(4), inner=tiled(2, 2)) (10, dim(12))",
    ),
]


def test_what_needs_to_be_said_is_said():
    for layout, extents, text in WRITTEN:
        mapping = Mapping(extents, layout)
        assert md.format(mapping) == md.format(md.parse(text)) == text
        assert list(md.parse(text).offsets()) == list(mapping.offsets())
    check_round_trip(Mapping((4, 4), md.LayoutSwizzled(LayoutEvensFirst(), 1, 0, 1)))
    view = md.MDView(list(range(24)), (4, 6))[1:3, 2:5]
    assert md.format(view) == "right_padded(6) (2, 3)"
    assert md.parse(md.format(view)) == view.mapping


CANONICAL = (
    """
right (3, 4)
tiled(2, 2) (4, 4)
transpose(morton) (4, 8)
composed(tiled(2, 2), (4, 4), transform((3, 0), (-1, 1), (0, 1))) (4, 4)
composed(morton, (4, 8), transform((0, 0), (1, 2), (0, 0)), box=((0, 0),)) (3,)
composed(morton, (4, 8), transform((0, 0), (1, 1), (0, 1), radix=radix(0, (7, 3), (4, 8)))) (3, 4)
composed(composed(morton, (4, 8), transform((-1, -1), (1, 1), (0, 1)), box=((1, 5), (1, 9))), (6, 10), \
transform((0, 0), (1, 1), (0, 1), radix=radix(0, (5, 1), (6, 10)))) (12, 5)
""".replace("\\\n", "")
    .strip()
    .splitlines()
)


def test_texts_that_are_canonical():
    assert [md.format(md.parse(text)) for text in CANONICAL] == CANONICAL
    assert md.format(md.parse("tiled(2, 2) (4, 4) flip(0)")) == CANONICAL[3]
    assert md.format(md.parse("morton (4, 8) pad(1) reshape((12, 5))")) == CANONICAL[-1]


# --- steps ------------------------------------------------------------------------------------------------------------

STEPS: dict[str, Callable[[Mapping], Mapping]] = {
    "flip()": md.flip,
    "flip((0, -1))": lambda m: md.flip(m, (0, -1)),
    "permute_dims((1, 0))": lambda m: md.permute_dims(m, (1, 0)),
    "transposed()": md.operations.transposed,
    "moveaxis(0, 1)": lambda m: md.moveaxis(m, 0, 1),
    "swapaxes(0, 1)": lambda m: md.swapaxes(m, 0, 1),
    "expand_dims(1)": lambda m: md.expand_dims(m, 1),
    "expand_dims((0, -1)) squeeze()": lambda m: md.squeeze(md.expand_dims(m, (0, -1))),
    "expand_dims(0) broadcast_to((3, 4, dim(6)))": lambda m: md.broadcast_to(m, (3, 4, dim(6))),
    "reshape((2, -1))": lambda m: md.reshape(m, (2, -1)),
    "reshape((8, 3), order=F)": lambda m: md.reshape(m, (8, 3), order="F"),
    'ravel(order="F")': lambda m: md.ravel(m, order="F"),
    "diagonal(offset=1)": lambda m: md.diagonal(m, 1),
    "sliding_window((2, 3))": lambda m: md.sliding_window(m, (2, 3)),
    "sliding_window(2, axis=1)": lambda m: md.sliding_window(m, 2, 1),
    "shrink(((2, 4), (2, 6)))": lambda m: md.operations.shrink(m, ((2, 4), (2, 6))),
    "pad(1)": lambda m: md.pad(m, 1),
    "pad(((1, 0), (0, 2)))": lambda m: md.pad(m, ((1, 0), (0, 2))),
}


@pytest.mark.parametrize("layout", ["right", "left", "tiled(2, 2)", "morton", "swizzled(right, 1, 0, 2)"])
def test_operations_are_those_of_the_package(layout):
    whole = md.parse(f"{layout} (4, 6)")
    for text, call in STEPS.items():
        assert repr(md.parse(f"{layout} (4, 6) {text}")) == repr(call(whole)), text


@st.composite
def keys(draw, shape):
    """A key for brackets, as Python takes it and as an expression writes it."""
    key, texts = [], []
    for extent in shape[: draw(st.integers(0, len(shape)))]:
        kind = draw(st.sampled_from(["index", "slice", "new", "all", "rest"]))
        if kind == "new" or (kind == "rest" and ... not in key):
            key.append(None if kind == "new" else ...)
            texts.append("None" if kind == "new" else "...")
        if kind == "index" and extent:
            key.append(draw(st.integers(-extent, extent - 1)))
            texts.append(str(key[-1]))
        elif kind != "rest":
            parts = [draw(st.none() | st.integers(-6, 6)) if kind == "slice" else None for _ in range(2)]
            parts.append(draw(st.none() | st.integers(-3, 3).filter(bool)) if kind == "slice" else None)
            key.append(slice(*parts))
            texts.append(":".join(["" if part is None else str(part) for part in parts]))
    return tuple(key), ", ".join(texts)


def check_brackets(mapping, text, taken):
    places = md.MDView.from_mapping(list(range(mapping.required_span_size)), mapping)
    try:
        part = places[taken]
    except MDViewError:
        with pytest.raises(NotationError):
            md.parse(f"{md.format(mapping)} [{text}]")
        return
    found = md.parse(f"{md.format(mapping)} [{text}]")
    assert (found.extents, list(found.offsets())) == (
        ((), [part]) if isinstance(part, int) else (part.extents, list(md.iteration.elements(part)))
    )


@given(st.data())
def test_brackets_take_what_those_of_a_view_take(data):
    mapping = data.draw(drawn.mappings(3, 4))
    key, text = data.draw(keys(mapping.extents))
    check_brackets(mapping, text, key)


def test_static_extents_and_static_slices():
    for text, static in {
        "right (dim(3), 4)": (3, None),
        "right (dim(6), 4) [dim(1):dim(4)]": (3, None),
        "right (dim(6), 4) [:]": (6, None),
        "right (dim(6), 4) [1:4]": (None, None),
    }.items():
        assert md.parse(text).static_extents == static


def test_white_space_is_free_but_between_a_layout_and_its_extents():
    assert md.parse(" right\n(3 ,4 , ) ") == Mapping((3, 4), LayoutRight())
    assert md.parse("tiled ( ) [ ... ]") == Mapping((), LayoutTiled())


def test_a_star_import_keeps_the_builtin():
    names = {}
    exec("from mdview import *", names)
    assert "format" not in names
    assert names["parse"] is md.parse
    assert md.format is not format


# --- any text ---------------------------------------------------------------------------------------------------------

TEXTS = [
    *CANONICAL,
    "morton (4, 8) pad(((1, 0), (1, 1))) [:3]",
    "packed(upper, row) (5, 5) [1:4, ::2] diagonal()",
    "tiled(4, 4) (10, 12) [1:6:2, ::-1] permute_dims((1, 0)) pad(((1, 0), (0, 2)))",
    "morton(compact=True, fastest=first) (dim(4), 8) [None, ..., dim(1):dim(3)] reshape((2, -1), order=F) flip()",
    "swizzled(relaxed((1, 2), offset=3), 1, 0, 2) (3, 4) broadcast_to((2, 3, 4)) squeeze() diagonal(offset=1)",
]
WORDS = ["...", "0x", "-1", "9" * 30, "1e9", "None", "True", "dim(2)", "right", "m:X", "²", "٣", "日"]


def check_read_or_refused(text):
    try:
        mapping = md.parse(text)
    except NotationError as error:
        assert None not in {error.line, error.column}  # noqa: PT017 - most are read
    else:
        check_round_trip(mapping)


@settings(max_examples=share(200, 50))
@given(st.data())
def test_mutated_texts_are_read_or_refused(data):
    text = data.draw(st.sampled_from(TEXTS))
    pieces = st.sampled_from([*"()[],:=.-'\"\\ \n\0", *WORDS, "", *TEXTS])
    for _ in range(data.draw(st.integers(1, 4))):
        at, length = data.draw(st.integers(0, len(text))), data.draw(st.integers(-8, 8))
        text = text[:at] + data.draw(pieces) + text[max(0, at + length) :]
    check_read_or_refused(text)


@given(st.text())
def test_any_texts_are_read_or_refused(text):
    for whole in (text, f"right (3, 4) {text}", f"right (3, 4) [{text}]"):
        check_read_or_refused(whole)


def test_none_in_brackets_is_a_new_dimension():
    mapping = md.parse("tiled(2, 2) (3, 4)")
    rows, _ = md.mappings.submapping(mapping, range(1, 3), md.ALL)
    found = md.parse("tiled(2, 2) (3, 4) [None, 1:, ..., None]")
    assert (found.extents, [*found.offsets()]) == ((1, 2, 4, 1), [*rows.offsets()])
