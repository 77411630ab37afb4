"""What is shown of anything, whatever is wrong with it: cards of notebooks, facts, elements as text; small, at once."""

import json
import re
from dataclasses import dataclass

import pytest
from reading import Read
from samples.layouts import LAYOUTS

import mdview as md
from mdview.errors import MDViewError, UndecidedError


def card_of(given):
    """The card of anything, which is text that a notebook can save."""
    card = given._repr_html_()
    assert len(json.dumps(card).encode()) < 300_000
    card.encode("utf-8")
    return card


def test_views_and_mappings_show_facts_picture_and_elements():
    read = Read(card_of(md.MDView(list("abcd"), (2, 2))))
    assert (read.tags.count("svg"), read.tags.count("table")) == (1, 1)
    assert "[['a', 'b'],\n ['c', 'd']]" in read.texts
    assert {"list of format 'O'", "(2, 2)", "LayoutRight()", "DefaultAccessor()"} <= set(read.texts)
    read = Read(card_of(md.Mapping((4, 6), md.LayoutTiled(2, 2))))
    assert {"svg", "table"} <= set(read.tags)
    assert {"(4, 6)", "none, the layout is not strided", "24 elements"} <= set(read.texts)
    facts = read.texts[read.texts.index("shape") :: 2][:8]
    assert facts == ["shape", "layout", "strides", "span", "contiguous", "unique", "exhaustive", "size"]
    view = md.MDView(bytearray(64), (8, 8), md.LayoutTiled(4, 4))
    read = Read("".join(map(card_of, (view, view[::2], view.mapping))))  # of one notebook
    ids = [value for key, value in read.attributes if key == "id"]
    assert len(ids) == len({*ids})
    assert "script" not in read.tags
    assert "<td>[[7, 7, 7, 7, 7]," in card_of(md.pad(md.MDView(bytearray(6), (2, 3)), 1, constant=7))
    released = md.MDView(bytearray(6), (2, 3))
    released.release()
    assert "<th>data</th><td>none</td>" in card_of(released)


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("shape", [(4, 4), (1000, 1000), (1024, 1024), (100, 100, 100), (10**6,)], ids=str)
def test_mappings_of_every_layout_have_a_small_card(name, shape):
    try:
        mapping = md.Mapping(shape, LAYOUTS[name](shape))
    except MDViewError:
        return
    assert "<table>" in card_of(mapping)


@pytest.mark.parametrize("shape", [(10**9, 10**9), (10**18,), (1,) * 40, (2,) * 30, (0, 10**9), ()], ids=str)
def test_extents_of_any_size_have_a_card(shape):
    assert "LayoutRight()" in card_of(md.Mapping(shape))


class WrongError(Exception):
    """Of a user's own code."""


@dataclass(frozen=True)
class Raising(md.Layout):
    """Fails wherever it is told to."""

    at: frozenset[str]
    error: type | Exception = WrongError

    def _fail(self, what):
        if what in self.at:
            raise self.error

    def __repr__(self):
        self._fail("repr")
        return "Raising()"

    def offset(self, extents, index):
        self._fail("offset")
        return index[0] * extents[1] + index[1]

    def required_span_size(self, extents):
        self._fail("span")
        return extents[0] * extents[1]

    def check(self, extents):
        self._fail("check")

    def strides(self, extents):
        self._fail("strides")

    def is_unique(self, extents):
        self._fail("unique")
        raise UndecidedError("nobody knows")

    def is_total(self):
        self._fail("total")
        return True

    def tiling(self):
        self._fail("tiling")

    def has_element(self, extents, index):
        self._fail("element")
        return True


PLACES = ["repr", "offset", "span", "check", "strides", "unique", "total", "tiling", "element"]


@pytest.mark.parametrize("at", [*[[place] for place in PLACES], PLACES], ids="-".join)
def test_a_layout_that_raises_gets_a_card(at):
    assert "<table>" in card_of(md.Mapping.trusted((2, 3), Raising(frozenset(at))))


@pytest.mark.parametrize("error", [WrongError("x"), RecursionError("x"), MemoryError(), NotImplementedError("<b>")])
def test_what_is_wrong_stands_in_the_place_of_the_fact(error):
    card = card_of(md.Mapping.trusted((2, 3), Raising(frozenset({"span"}), error)))
    assert f"<th>span</th><td>({type(error).__name__})</td>" in card
    assert "<th>unique</th><td>(UndecidedError)</td>" in card
    with pytest.raises(KeyboardInterrupt):
        card_of(md.Mapping.trusted((2, 3), Raising(frozenset({"span"}), KeyboardInterrupt)))


class Object:
    """Has a text that nobody expects."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        if isinstance(self.text, Exception):
            raise self.text
        return self.text


@pytest.mark.parametrize(
    "text",
    [
        *("<script>alert(1)</script>", "</table><img src=x onerror=y>", "x" * 10**6, "\ud800", "\x00", "a\nb"),
        *(WrongError(), 3),
    ],
    ids=range(8),
)
def test_objects_with_hostile_texts_are_shown(text):
    thing = Object(text)
    layout = type("Named<i>", (Raising,), {"__repr__": lambda self: thing.__repr__()})(frozenset())
    cards = [
        card_of(md.MDView([thing, 1, 2, 3], (2, 2))),
        card_of(md.Mapping((2, 2), layout)),
        card_of(md.MDView(bytearray(4), (2, 2), layout)),
    ]
    assert ", 1],\n [2, 3]]</td>" in cards[0]
    for card in cards:
        assert not {"script", "img", "i"} & set(Read(card).tags)


class Failing(md.Accessor):
    def load(self, data, offset):
        raise WrongError

    def __repr__(self):
        return str(1 // 0)


def test_what_fails_beside_the_layout_is_shown_too():
    card = card_of(md.MDView([1] * 4, (2, 2), accessor=Failing()))
    assert "<td>[[(WrongError), (WrongError)],\n [(WrongError), (WrongError)]]</td>" in card
    assert "<th>accessor</th><td>(ZeroDivisionError)</td>" in card
    data = list(range(6))
    view = md.MDView(data, (2, 3))
    del data[2:]
    card = card_of(view)
    assert "<td>[[0, 1, (" in card
    assert "IndexOutOfRangeError" in card or "BufferSizeError" in card


class Counting(md.Layout):
    """Counts how often it is asked where an index lies."""

    asked = 0

    def offset(self, extents, index):
        if not isinstance(index[0], int):
            raise TypeError  # no symbols
        Counting.asked += 1
        return index[0] * extents[1] + index[1]

    def required_span_size(self, extents):
        return extents[0] * extents[1]


def test_a_card_asks_no_more_than_a_few_thousand_offsets():
    Counting.asked = 0
    card = card_of(md.Mapping.trusted((1000, 1000), Counting()))
    assert Counting.asked < 4 * 4096
    assert "<th>unique</th><td>not asked of 1000000 elements</td>" in card


MANY, SEARCHED = (1000, 1000), (10000, 1000, 10, 10000, 100)


@pytest.mark.parametrize(
    ("extents", "strides", "unique", "exhaustive"),
    [
        (MANY, (-1000, 1), "yes", "yes"),
        (MANY, (-1024, 1), "yes", "no, 23976 holes"),
        (MANY, (0, 1), "no", "not asked of 1000000 elements"),
        (MANY, (999, 1), "no", "not asked of 1000000 elements"),
        (SEARCHED, (90863498363, 9286228, 62860, 98985566480, 681021), f"not asked of {10**14} elements", "no"),
    ],
)
def test_facts_of_many_elements_that_are_known_at_once(extents, strides, unique, exhaustive):
    card = card_of(md.Mapping(extents, md.LayoutStrideRelaxed(strides, -999 * min(0, *strides))))
    assert f"<th>unique</th><td>{unique}</td></tr><tr><th>exhaustive</th><td>{exhaustive}</td>" in card


@pytest.mark.parametrize(
    ("expression", "contiguous", "unique", "exhaustive", "span"),
    [
        ("right (3, 4)", "C", "yes", "yes", "12 elements"),
        ("stride((8, 2)) (3, 4)", "neither", "yes", "no, 11 holes", "23 elements"),
        ("stride((1, 7)) (3, 1)", "C and Fortran", "yes", "yes", "3 elements"),
        ("stride((2,)) (2)", "neither", "yes", "no, 1 hole", "3 elements"),
        ("right ()", "C and Fortran", "yes", "yes", "1 element"),
        ("stride((9, 9)) (0, 3)", "C and Fortran", "yes", "yes", "0 elements"),
        ("relaxed((1,), 3) (4)", "neither", "yes", "no, 3 holes", "7 elements"),
        ("relaxed((0, 2)) (2, 3)", "neither", "no", "no", "5 elements"),
    ],
)
def test_facts_of_an_expression(expression, contiguous, unique, exhaustive, span):
    facts = dict(re.findall(r"<th>([^<]*)</th><td>([^<]*)</td>", card_of(md.parse(expression))))
    found = tuple(facts[name] for name in ("contiguous", "unique", "exhaustive", "span"))
    assert found == (contiguous, unique, exhaustive, span)


class Places:
    """Data whose elements are their offsets, however many."""

    def __len__(self):
        return 10**12

    def __getitem__(self, offset):
        return offset


@pytest.mark.parametrize(
    ("extents", "expected"),
    [
        ((), "0"),
        ((0,), "[]"),
        ((7,), "[0, 1, 2, 3, 4, 5, 6]"),
        ((8,), "[0, 1, 2, ..., 5, 6, 7]"),
        ((10**12,), f"[0, 1, 2, ..., {10**12 - 3}, {10**12 - 2}, {10**12 - 1}]"),
        ((2, 2), "[[0, 1],\n [2, 3]]"),
        ((2, 0), "[[],\n []]"),
        ((2, 1, 2), "[[[0, 1]],\n [[2, 3]]]"),
        ((9, 1), "[[0],\n [1],\n [2],\n ...,\n [6],\n [7],\n [8]]"),
        ((1,) * 5, "[...]"),
    ],
)
def test_elements_as_text_are_few_however_many_there_are(extents, expected):
    view = md.MDView(Places(), extents, accessor=md.ReadOnlyAccessor())
    assert repr(view).partition("\n")[2] == expected
    assert f"<th>elements</th><td>{expected}</td>" in card_of(view)


def test_long_elements_of_four_dimensions_have_a_small_card():
    card = card_of(md.MDView(["<" * 200] * 10**4, (10,) * 4))
    assert "&lt;" * 30 in card
