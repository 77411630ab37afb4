"""Wrong expressions, beside those of tests/mistakes/notation.txt, and layouts that no expression makes."""

import pickle
import sys

import numpy as np
import pytest
from processes import output_of
from samples.mappings import LayoutOf

import mdview as md
from mdview.errors import ExtentsError, NotationError, OperandError, SliceError


def refused(text):
    with pytest.raises(NotationError) as caught:
        md.parse(text)
    return caught.value


def test_an_abstract_layout_is_refused_and_so_is_no_text():
    assert "TypeError" in str(refused("mdview:Layout (3,)"))
    assert ("ends" in str(refused("")), refused("").column) == (True, 1)


def test_what_python_could_not_read_is_refused():
    for text in ("right (3, 4) [,]", "right (3, 4) [1 2]", "swizzled(right, 1, shift=2, 3) (4,)", "right (3 if 4)"):
        error = refused(text)
        assert (error.line, "mistake in writing" in str(error), 1 <= error.column <= len(text)) == (1, True, True)


def test_an_error_of_a_rule_is_the_cause_and_travels():
    assert isinstance(refused("right (2, 3) [::0]").__cause__, SliceError)
    assert isinstance(refused("right (-1,)").__cause__, ExtentsError)
    again = pickle.loads(pickle.dumps(refused("right (3")))  # noqa: S301 - of our own
    assert (str(again), again.line, again.column) == (str(refused("right (3")), 1, 9)


def test_the_line_of_the_place_is_shown():
    error = refused("right (3, 4)\n  [1:2]\n  [0, 0, 0]\n  flip()")
    assert (error.line, error.column) == (3, 10)
    assert str(error).split("\n")[1:] == ["      [0, 0, 0]", "             ^"]
    error = refused("right (3,)" + " flip(0)" * 1000 + " flap(0)" + " flip(0)" * 1000)
    _, line, carets = str(error).split("\n")
    assert len(line) < 150
    assert line[carets.index("^") : carets.rindex("^") + 1] == "flap"
    assert line[4] == line[-1] == "…"


def test_what_does_not_show_is_replaced():
    assert str(refused("right (3\0,)")).split("\n")[1:] == ["    right (3\N{REPLACEMENT CHARACTER},)", "            ^"]
    assert str(refused("right\t(3,)\t?")).split("\n")[1:] == ["    right (3,) ?", "               ^"]


def test_long_texts_that_are_right_are_read():
    assert md.parse("right (3,)" + " flip(0)" * 1000) == md.parse("right (3,)")
    assert md.parse(f"right ({'1, ' * 2000})").rank == 2000
    assert md.parse("tiled(2) (300,)" + " [1:]" * 1000).size == 0
    assert "30015 up to here" in str(refused(f"right ({'1, ' * 2000})" + " flip(0)" * 15))


def test_nothing_is_called_but_layouts(monkeypatch):
    called = []
    monkeypatch.setattr("builtins.exec", called.append)
    for text in (
        "os:system('true') (3,)",
        "builtins:exec('1') (3,)",
        "mdview:LayoutTiled.offset(2) (3,)",
        "mdview:MDView((1,), (1,)) (1,)",
    ):
        assert refused(text).column == 1
    assert not called


# --- what cannot be written -------------------------------------------------------------------------------------------


class LayoutScaled(md.layouts.StridedLayout):
    """Its constructor keeps another number than it is given."""

    def __init__(self, step):
        self.twice = 2 * step

    def strides(self, extents):
        return (self.twice,) * len(extents)


class LayoutDoubled(LayoutScaled):
    """The attribute of the name is not what the constructor takes."""

    def __init__(self, step):
        self.twice = self.step = 2 * step


class LayoutForgetful(LayoutDoubled):
    """What it says to be made from makes another one, which says the same."""

    def constructor_arguments(self):
        return {"step": 1}


class LayoutKeeping(LayoutDoubled):
    """Keeps anything."""

    def __init__(self, kept):
        self.kept, self.twice = kept, 2


def local():
    """A layout that no import finds."""

    class LayoutLocal(LayoutDoubled):
        pass

    return LayoutLocal


def of_main():
    """A layout that says to come from the program."""
    kind = local()
    kind.__module__, kind.__qualname__ = "__main__", "LayoutLocal"
    return kind


def deep(depth):
    layout = md.LayoutRight()
    for _ in range(depth):
        layout = md.layouts.LayoutTranspose(layout)
    return layout


UNWRITTEN = [
    (LayoutOf(lambda i: 2 * i), "arithmetic.*LayoutOf"),
    (md.layouts.LayoutTranspose(LayoutOf(lambda i, j: i)), "arithmetic.*LayoutOf"),
    (local()(1), "LayoutLocal"),
    (of_main()(1), "LayoutLocal"),
    (LayoutScaled(2), "step.*LayoutScaled"),
    (LayoutDoubled(2), "LayoutDoubled"),
    (LayoutForgetful(2), "LayoutForgetful"),
    *[(LayoutKeeping(type("Own", (k,), {})()), "kept") for k in (int, float, complex, str, bytes, tuple)],
    *[(LayoutKeeping(value), "kept") for value in (np.arange(3), float("nan"), complex("nan"), [1], {1}, object())],
    (deep(64), "60"),
]


def test_what_cannot_be_written_is_named():
    for layout, values in UNWRITTEN:
        rank = 2 if isinstance(layout, md.layouts.LayoutTranspose) else 1
        with pytest.raises(NotationError, match=values) as caught:
            md.format(md.Mapping((2,) * rank, layout))
        assert caught.value.line is None or values == "60"
    for given in (None, 3, b"right (3,)", ["right (3,)"]):
        with pytest.raises(OperandError, match="text"):
            md.parse(given)
    for given in (None, 3, "right (3,)", md.LayoutRight(), md.Mapping, md.MDView):
        with pytest.raises(OperandError, match="mapping"):
            md.format(given)


# --- large and strange texts, read in a process of its own, since what hangs never ends -------------------------------

N = 10**5
LARGE = {
    "nothing": "",
    "white space": " \n" * N,
    "open parentheses": "(" * N,
    "open brackets": "right (3,) " + "[" * N,
    "nested layouts": "transpose(" * N,
    "nested tuples": "right " + "(" * N,
    "quotes": '"' * N,
    "an open quote": "m:X('" + "a" * N,
    "dots": "." * N,
    "a long name": "a" * N,
    "a dotted name": "a." * N + "b:C (3,)",
    "a long number": f"right ({'9' * N},)",
    "a long hexadecimal number": f"right (0x{'f' * N},)",
    "a long index": f"right (3,) [{'9' * 4000}]",
    "an infinite extent": "right (1e9999,)",
    "digits of another script": "right (٣,)",
    "a raised digit": "right (²,)",
    "zero characters": "\0" * N,
    "surrogates": "\ud800" * N,
    "commas": "right (" + "," * N,
    "colons": "right (3,) [" + ":" * N,
    "minus signs": "right (" + "-" * N,
    "reshapes within each other": "tiled(2, 2) (6, 4)"
    + " reshape((8, 3)) permute_dims((1, 0)) reshape((6, 4)) [:, ::-1]" * 1600,
    "an unknown operation at the end": "right (3,)" + " flip(0)" * 10_000 + " x",
    "digits": f"right ({'9' * 5000},)",
    "hexadecimal digits": f"right (0x{'f' * 5000},)",
}


def main():
    for name, text in LARGE.items():
        try:
            md.parse(text)
        except NotationError as error:
            if len(str(error)) > 1000:
                print(name, "has a long message")
        else:
            print(name, "is read")


@pytest.mark.deep
def test_large_and_strange_texts_are_refused_in_bounded_time():
    code = "import test_notation_errors; test_notation_errors.main()"
    assert output_of(f"import sys; sys.path[:0] = {sys.path!r}; {code}") == ""
