"""Random mappings are read as they are written; random texts are read, or refused by an error of the language."""

import random
import sys
from pathlib import Path

import pytest
from effort import share
from hypothesis import assume, given
from hypothesis import strategies as st
from samples import MAPPINGS

import mdview as md
from mdview import IndexTransform, LayoutComposed, Mapping
from mdview.errors import MDViewError, NotationError
from mdview.index.transforms import Radix
from mdview.testing import strategies

sys.path.append(str(Path(__file__).parents[2] / "fuzz"))
from chain_bases import base
from chain_steps import step

CHAINS = share(40, 4)
"""How many hundred chains of operations: each gives about five mappings."""


def assert_round_trip(mapping):
    text = md.format(mapping)
    again = md.parse(text)
    assert again == mapping
    assert repr(again) == repr(mapping)
    assert md.format(again) == text


@given(strategies.mappings())
def test_mappings_of_every_layout(mapping):
    assert_round_trip(mapping)


@given(st.data())
def test_mappings_after_operations(data):
    mapping = data.draw(strategies.mappings(3, 4))
    for operation in data.draw(strategies.operation_chains(mapping.extents)):
        view = md.MDView.from_mapping([0] * mapping.required_span_size, mapping)
        mapping = operation(view).mapping
        assert_round_trip(mapping)


@pytest.mark.parametrize("hundred", range(CHAINS))
def test_chains_of_operations_on_views(hundred):
    for seed in range(100 * hundred, 100 * hundred + 100):
        pick = random.Random(seed)  # noqa: S311 - for tests
        state = base(pick)
        assert_round_trip(state.view.mapping)
        for _ in range(pick.randint(1, 7)):
            _, state = step(pick, state)
            assert_round_trip(state.view.mapping)


number = st.integers(-6, 9)


@st.composite
def composed(draw, layouts=strategies.layouts):
    """Compositions made by hand: of any transform and box that their base admits, over any extents."""
    whole = draw(strategies.mappings(3, 4))
    extents = draw(strategies.extents(3, 4))
    rank = whole.rank
    source = st.none() | st.integers(0, max(0, len(extents) - 1)) if extents else st.none()
    if draw(st.booleans()):
        shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
        weights = draw(st.lists(st.integers(-4, 4), max_size=len(extents)))
        radix = Radix(draw(st.integers(0, 6)), tuple(weights), tuple(shape))
        source = st.none() | st.integers(0, len(shape) - 1)
    else:
        radix = None
    rows = [(draw(st.integers(-2, 4)), draw(st.integers(-2, 2)), draw(source)) for _ in range(rank)]
    transform = IndexTransform(*(zip(*rows, strict=True) if rows else ((), (), ())), radix)
    box = None
    if draw(st.booleans()):
        ends = [sorted((draw(st.integers(0, int(e))), draw(st.integers(0, int(e))))) for e in extents]
        box = tuple([tuple(pair) for pair in ends])
    try:
        return Mapping(extents, LayoutComposed(whole.layout, whole.extents, transform, box))
    except MDViewError:
        return None


@given(composed())
def test_compositions_made_by_hand(mapping):
    assume(mapping is not None)
    assert_round_trip(mapping)


@st.composite
def keys(draw, shape):
    """A key for brackets, as Python takes it and as an expression writes it."""
    key, texts = [], []
    for extent in shape[: draw(st.integers(0, len(shape)))]:
        kind = draw(st.sampled_from(["index", "slice", "new", "all"]))
        if kind == "new":
            key.append(None)
            texts.append("None")
        if kind == "index" and extent:
            key.append(draw(st.integers(-extent, extent - 1)))
            texts.append(str(key[-1]))
            continue
        bounds = [draw(st.none() | st.integers(-6, 6)) if kind == "slice" else None for _ in range(2)]
        step = draw(st.none() | st.integers(-3, 3).filter(bool)) if kind == "slice" else None
        key.append(slice(*bounds, step))
        texts.append(":".join(["" if bound is None else str(bound) for bound in (*bounds, step)]))
    return tuple(key), ", ".join(texts)


@given(st.data())
def test_brackets_take_what_those_of_a_view_take(data):
    mapping = data.draw(strategies.mappings(3, 4))
    places = md.MDView.from_mapping(list(range(mapping.required_span_size)), mapping)
    text = md.format(mapping)
    for _ in range(2):
        key, written = data.draw(keys(places.extents))
        text = f"{text} [{written}]"
        found = md.parse(text)
        if not any(isinstance(entry, slice) for entry in key) and len(key) == places.rank:
            assert (found.extents, found()) == ((), places[key])
            return
        places = places[key]
        assert found.extents == places.extents
        assert list(found.offsets()) == list(md.elements(places))


TEXTS = [md.format(mapping) for mapping in MAPPINGS.values()] + [
    "tiled(4, 4) (10, 12) [1:6:2, ::-1] permute_dims((1, 0)) pad(((1, 0), (0, 2)))",
    "morton(compact=True, fastest=first) (dim(4), 8) [None, ..., dim(1):dim(3)] reshape((2, -1), order=F) flip()",
    "composed(right, (3, 4), transform((0, 0), (1, 1), (0, 1), radix=radix(0, (1,), (3, 4)))) (12,) sliding_window(3)",
    "swizzled(relaxed((1, 2), offset=3), 1, 0, 2) (3, 4) broadcast_to((2, 3, 4)) squeeze() diagonal(offset=1)",
]
PIECES = [
    *"()[],:=.-'\"\\ \n\0",
    "...",
    "0x",
    "-1",
    "9" * 30,
    "1e9",
    "None",
    "True",
    "dim(2)",
    "right",
    "m:X",
    "²",
    "٣",
    "日",
]


@given(st.data())
def test_mutated_texts_are_read_or_refused(data):
    text = data.draw(st.sampled_from(TEXTS))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        kind = data.draw(st.sampled_from(["insert", "delete", "splice", "double"]))
        end = min(len(text), at + data.draw(st.integers(0, 8)))
        if kind == "insert":
            text = text[:at] + data.draw(st.sampled_from(PIECES)) + text[at:]
        elif kind == "delete":
            text = text[:at] + text[end:]
        elif kind == "double":
            text = text[:end] + text[at:]
        else:
            text = text[:at] + data.draw(st.sampled_from(TEXTS))[at:]
    _read_or_refused(text)


@given(st.text())
def test_any_texts_are_read_or_refused(text):
    _read_or_refused(text)
    _read_or_refused(f"right (3, 4) {text}")
    _read_or_refused(f"right (3, 4) [{text}]")


def _read_or_refused(text):
    try:
        mapping = md.parse(text)
    except NotationError as error:
        assert None not in {error.line, error.column}  # noqa: PT017 - most are read
        return
    assert_round_trip(mapping)
