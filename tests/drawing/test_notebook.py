"""Cards for notebooks: small, at once, of anything, whatever is wrong with it."""

import json
from dataclasses import dataclass
from html.parser import HTMLParser

import pytest

from mdview import (
    LayoutBlasPacked,
    LayoutMorton,
    LayoutRight,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    MDView,
    broadcast_to,
    pad,
    permute_dims,
)
from mdview.drawing.notebook import layout_card, mapping_card, view_card
from mdview.drawing.quick_facts import LOOKS, MOST_TEXT, told, traits
from mdview.errors import MDViewError, UndecidedError
from mdview.layouts.base import Layout
from mdview.testing.samples.layouts import LAYOUTS


def shown(given):
    """The card of anything, which is text that a notebook can save."""
    card = given._repr_html_()
    assert len(json.dumps(card).encode()) < 300_000
    card.encode("utf-8")
    return card


class Loaded(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self.ids = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.ids += [value for key, value in attributes if key == "id"]

    def handle_data(self, data):
        self.texts.append(data)


def test_a_view_shows_facts_picture_and_elements():
    card = shown(MDView(list("abcd"), (2, 2)))
    read = Loaded(card)
    assert read.tags.count("svg") == 1
    assert read.tags.count("table") == 2
    assert [text for text in read.texts if text in {"'a'", "'b'", "'c'", "'d'"}] == ["'a'", "'b'", "'c'", "'d'"]
    assert {"list of format 'O'", "(2, 2)", "LayoutRight()", "DefaultAccessor()"} <= set(read.texts)


def test_a_mapping_shows_facts_and_picture():
    read = Loaded(shown(Mapping((4, 6), LayoutTiled(2, 2))))
    assert {"svg", "table"} <= set(read.tags)
    assert {"(4, 6)", "none", "24 elements"} <= set(read.texts)


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_draws_itself_over_small_extents(name):
    found = [LAYOUTS[name](shape) for shape in ((4, 6), (4, 4)) if _takes(name, shape)]
    assert found
    for layout in found:
        assert "<svg" in shown(layout)


def _takes(name, shape):
    try:
        Mapping(shape, LAYOUTS[name](shape))
    except MDViewError:
        return False
    return True


@pytest.mark.parametrize(
    ("layout", "extents"),
    [
        (LayoutRight(), "(4, 6)"),
        (LayoutTiled(4, 4), "(8, 8)"),
        (LayoutTiled(2, 64), "(4, 12)"),
        (LayoutTiled(5), "(10,)"),
        (LayoutBlasPacked("upper", "column"), "(4, 4)"),
        (LayoutStride((3,)), "(8,)"),
        (LayoutStride((100, 10, 1)), "(2, 3, 4)"),
    ],
    ids=repr,
)
def test_a_layout_alone_is_drawn_over_extents_that_it_takes(layout, extents):
    assert f"<th>drawn over</th><td>{extents}</td>" in shown(layout)


def test_a_layout_that_takes_none_of_them_shows_its_facts():
    card = shown(LayoutStride((6, 5, 4, 3, 2, 1)))
    assert "LayoutStride((6, 5, 4, 3, 2, 1))" in card
    assert "<svg" not in card


class WrongError(Exception):
    """Of a user's own code."""


@dataclass(frozen=True)
class Raising(Layout):
    """Fails wherever it is told to."""

    at: frozenset[str]

    def _fail(self, what):
        if what in self.at:
            raise WrongError(what)

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


@pytest.mark.parametrize(
    "at", [*[{place} for place in PLACES], set(PLACES)], ids=lambda at: "all" if len(at) > 1 else min(at)
)
def test_a_layout_that_raises_gets_a_card(at):
    layout = Raising(frozenset(at))
    assert "<table>" in shown(layout)
    assert "<table>" in mapping_card(Mapping.trusted((2, 3), layout))


@pytest.mark.parametrize("error", [WrongError("x"), RecursionError("x"), MemoryError(), NotImplementedError("<b>")])
def test_what_is_wrong_stands_in_the_place_of_the_fact(error):
    def ask():
        raise error

    assert told(ask) == f"({type(error).__name__})"


def test_an_undecided_fact_is_said_to_be():
    card = shown(Mapping((2, 3), Raising(frozenset())))
    assert "<th>unique</th><td>(UndecidedError)</td>" in card
    assert "<th>span</th><td>6 elements</td>" in card


def test_an_error_that_hides_its_name_is_told():
    class Hidden(type):
        @property
        def __name__(cls):
            raise WrongError

    class HiddenError(Exception, metaclass=Hidden):
        pass

    def ask():
        raise HiddenError

    assert told(ask) == "(HiddenError)"


def test_interruptions_come_through():
    def ask():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        told(ask)


class Text(str):
    __slots__ = ()

    def __getitem__(self, key):
        raise WrongError

    def __len__(self):
        raise WrongError

    encode = __str__ = __format__ = replace = __getitem__


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
        "<script>alert(1)</script>",
        "</table><img src=x onerror=y>",
        "x" * 10**6,
        "\ud800",
        "\x00",
        "a\nb",
        Text("t"),
        WrongError(),
        3,
    ],
    ids=["script", "tags", "long", "surrogate", "zero", "lines", "own class", "raises", "no text"],
)
def test_objects_with_hostile_texts_are_shown(text):
    thing = Object(text)
    card = shown(MDView([thing] * 4, (2, 2)))
    assert not {"script", "img"} & set(Loaded(card).tags)
    layout = type("Named<i>", (Raising,), {"__repr__": lambda self: thing.__repr__()})(frozenset())
    assert "<i>" not in shown(layout)
    assert not {"script", "img"} & set(Loaded(shown(Mapping((2, 2), layout))).tags)
    assert not {"script", "img"} & set(Loaded(shown(MDView(bytearray(4), (2, 2), layout))).tags)


def test_one_bad_element_does_not_cost_the_others():
    card = shown(MDView([Object(WrongError()), 1, 2, 3], (2, 2)))
    assert "<td>(WrongError)</td><td>1</td>" in card


def test_an_accessor_that_raises_shows_what_it_raises():
    def read(index):
        raise WrongError

    card = view_card({"accessor": lambda: 1 // 0}, Mapping((2, 2)), (2, 2), read)
    assert card.count("<td>(WrongError)</td>") == 4
    assert "<th>accessor</th><td>(ZeroDivisionError)</td>" in card


def test_a_released_view_has_a_card():
    view = MDView(bytearray(6), (2, 3))
    view.release()
    assert "<th>data</th><td>none</td>" in shown(view)


def test_data_that_has_become_shorter_has_a_card():
    data = list(range(6))
    view = MDView(data, (2, 3))
    del data[2:]
    card = shown(view)
    assert "<td>0</td><td>1</td>" in card
    assert "IndexOutOfRangeError" in card or "BufferSizeError" in card


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("shape", [(1000, 1000), (1024, 1024), (100, 100, 100), (10**6,)], ids=str)
def test_a_million_elements_have_a_small_card(name, shape):
    if not _takes(name, shape):
        pytest.skip("no extents of this layout")
    mapping = Mapping(shape, LAYOUTS[name](shape))
    shown(mapping)
    shown(mapping.layout)


@pytest.mark.parametrize("shape", [(10**9, 10**9), (10**18,), (1,) * 40, (2,) * 30, (0, 10**9), ()], ids=str)
def test_extents_of_any_size_have_a_card(shape):
    assert "LayoutRight()" in shown(Mapping(shape))


class Counting(Layout):
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
    card = shown(Mapping.trusted((1000, 1000), Counting()))
    assert Counting.asked < 4 * LOOKS
    assert "<th>unique</th><td>not asked of 1000000 elements</td>" in card


@pytest.mark.parametrize(
    ("strides", "unique", "exhaustive"),
    [
        ((-1000, 1), "yes", "yes"),
        ((1, -1000), "yes", "yes"),
        ((-1024, 1), "yes", "no"),
        ((0, 1), "no", "not asked of 1000000 elements"),
        ((1, 1), "no", "not asked of 1000000 elements"),
        ((999, 1), "no", "not asked of 1000000 elements"),
    ],
)
def test_facts_of_many_elements_that_are_known_at_once(strides, unique, exhaustive):
    first = -999 * min(0, *strides)
    card = shown(Mapping((1000, 1000), LayoutStrideRelaxed(strides, first)))
    assert f"<th>unique</th><td>{unique}</td></tr><tr><th>exhaustive</th><td>{exhaustive}</td>" in card


def test_a_search_is_not_begun():
    strides = (90863498363, 9286228, 62860, 98985566480, 681021)
    card = shown(Mapping((10000, 1000, 10, 10000, 100), LayoutStrideRelaxed(strides)))
    assert card.count("not asked of 100000000000000 elements") == 1
    assert "<th>exhaustive</th><td>no</td>" in card


def test_padding_and_broadcasts_are_shown():
    assert "<td>7</td>" in shown(pad(MDView(bytearray(6), (2, 3)), 1, constant=7))
    assert "<svg" in shown(broadcast_to(MDView(bytearray(3), (3,)), (4, 3)))
    assert "<svg" in shown(permute_dims(MDView(bytearray(64), (8, 8), LayoutMorton()), (1, 0)))


def test_two_cards_of_one_notebook_do_not_clash():
    view = MDView(bytearray(64), (8, 8), LayoutTiled(4, 4))
    read = Loaded(shown(view) + shown(view[::2]) + shown(view.mapping) + shown(view.layout))
    assert len(read.ids) == len(set(read.ids))
    assert "script" not in read.tags


def test_long_facts_are_cut():
    assert told(lambda: "x" * 10**6) == "x" * MOST_TEXT + "…"
    assert told(lambda: 10**5000) == "<integer of about 5000 digits>"


def test_traits_name_what_pages_and_cards_say():
    assert [*traits(Mapping((2, 3)))] == ["extents", "layout", "strides", "span", "unique", "exhaustive"]


def test_layout_cards_come_from_the_drawer():
    assert shown(LayoutRight()) == layout_card(LayoutRight())
