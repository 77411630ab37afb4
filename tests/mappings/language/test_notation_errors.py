"""Each wrong expression is refused at its place, with what would be right there."""

import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from samples import LayoutOf

import mdview as md
from mdview.errors import ExtentsError, NotationError, SliceError


def refused(text):
    with pytest.raises(NotationError) as caught:
        md.parse(text)
    return caught.value


GOLDEN = """
    tilde(4, 4) (10, 12)
    ^^^^^
line 1, column 1: there is no layout 'tilde'; did you mean tiled?

    LayoutTiled(4, 4) (10, 12)
    ^^^^^^^^^^^
line 1, column 1: there is no layout 'LayoutTiled'; did you mean tiled?

    tiled(4, 4)
               ^
line 1, column 12: expected the extents in parentheses, as in right (4, 6), the text ends

    tiled (4, 4) (10, 12)
                 ^
line 1, column 14: expected a slice in brackets, an operation, or the end, got '('; arguments of a layout follow

    right (3, 4) [1:2, 7]
                       ^
line 1, column 20: IndexOutOfRangeError: index 7 is out of range for extent 4 of dimension 1

    right (3, 4) [0, 1, 2]
                        ^
line 1, column 21: TooManyIndicesError: 3 indices are too many for extents (3, 4)

    right (3, 4) [..., ...]
                       ^^^
line 1, column 20: IndexTypeError: brackets hold at most one '...'

    right (3, 4) [::0]
                  ^^^
line 1, column 15: SliceError: the step of a slice of dimension 0 is 0; a step is positive, or negative to go backwards

    right (3, 4) [dim(1):dim(9)]
                  ^^^^^^^^^^^^^
line 1, column 15: SliceError: slice slice(dim(1), dim(9), None) of dimension 0 reaches index 8, its extent is 3

    right (3, 4) flip(0) flap(1)
                         ^^^^
line 1, column 22: there is no operation 'flap'; did you mean flip?

    right (3, 4) flip(2)
                 ^^^^^^^
line 1, column 14: AxisError: axis 2 is out of range for rank 2

    right (3, 4) reshape((5, -1))
                 ^^^^^^^^^^^^^^^^
line 1, column 14: ShapeError: the extent of dimension 1 of (5, -1) cannot be inferred for 12 elements

    right (3, 4) reshape(2, 6)
                 ^^^^^^^^^^^^^
line 1, column 14: ShapeError: the order of a reshape is 'C' or 'F', got 6; a shape of several extents is a tuple

    right (3, 4) shrink(((0, 3), (1, 1)))
                 ^^^^^^^^^^^^^^^^^^^^^^^^
line 1, column 14: SliceError: (1, 1) of dimension 1 does not fit 0 <= begin < end <= 4; use a slice

    right (3, 4) broadcast_to(3, 4)
                                 ^
line 1, column 30: broadcast_to takes 1 argument by position

    right (3, 4) flip
                     ^
line 1, column 18: expected the operation's arguments in parentheses, the text ends

    right (3, -4)
          ^^^^^^^
line 1, column 7: ExtentsError: extents must be at least 0: extent -4 of dimension 1

    packed(upper, row) (3, 4)
    ^^^^^^^^^^^^^^^^^^^^^^^^^
line 1, column 1: LayoutError: LayoutBlasPacked needs a square matrix, got extents (3, 4)

    packed(uper, row) (3, 3)
           ^^^^
line 1, column 8: there is no value 'uper'; did you mean upper?

    tiled(4, 4, outer=lefft) (3, 4)
                      ^^^^^
line 1, column 19: there is no layout 'lefft'; did you mean left?

    morton(kompact=True) (3,)
           ^^^^^^^
line 1, column 8: there is no parameter 'kompact' of morton; did you mean compact?

    right(1) (3,)
          ^
line 1, column 7: right takes no arguments

    swizzled(right, 1, 0, shift=2, 3) (4,)
                                   ^
line 1, column 32: arguments without names come first

    right (3
            ^
line 1, column 9: expected ',' or ')', the text ends; '(' of column 7 is not closed

    right (3,))
              ^
line 1, column 11: expected a slice in brackets, an operation, or the end, got ')'

    no.such.module:Layout(1) (3,)
    ^^^^^^^^^^^^^^^^^^^^^^^^
line 1, column 1: no.such.module:Layout cannot be imported: ModuleNotFoundError: No module named 'no'

    builtins:print(1) (3,)
    ^^^^^^^^^^^^^^^^^
line 1, column 1: builtins:print is no class of layouts: the function 'print'

    dim(3) (3,)
    ^^^^^^
line 1, column 1: dim makes no layout; expected one of right, left,
"""

CASES = [block.split("\n") for block in GOLDEN.strip("\n").split("\n\n")]


@pytest.mark.parametrize(("shown", "carets", "message"), CASES, ids=[case[0].strip() for case in CASES])
def test_golden_texts(shown, carets, message):
    error = refused(shown.strip())
    first, *rest = str(error).split("\n")
    assert first.startswith(message)
    assert rest == [shown, carets]
    assert (error.line, error.column) == (1, carets.index("^") - 3)


def test_an_error_of_a_rule_is_the_cause():
    assert isinstance(refused("right (2, 3) [::0]").__cause__, SliceError)
    assert isinstance(refused("right (-1,)").__cause__, ExtentsError)


def test_the_line_of_the_place_is_shown():
    error = refused("right (3, 4)\n  [1:2]\n  [0, 0, 0]\n  flip()")
    assert (error.line, error.column) == (3, 10)
    assert str(error).split("\n")[1:] == ["      [0, 0, 0]", "             ^"]


def test_of_a_long_line_what_is_around_the_place_is_shown():
    error = refused("right (3,)" + " flip(0)" * 1000 + " flap(0)" + " flip(0)" * 1000)
    _, line, carets = str(error).split("\n")
    assert len(line) < 150
    assert line[carets.index("^") : carets.rindex("^") + 1] == "flap"
    assert line[4] == line[-1] == "…"


def test_carets_stand_under_wide_characters():
    error = refused("right (3,) 日本(1)")
    assert str(error).split("\n")[2] == "    " + " " * 11 + "^^^^"


def test_characters_that_do_not_show_are_replaced():
    assert str(refused("right (3\0,)")).split("\n")[1:] == ["    right (3\N{REPLACEMENT CHARACTER},)", "            ^"]
    assert str(refused("right\t(3,)\t(")).split("\n")[1:] == ["    right (3,) (", "               ^"]


def test_an_error_travels():
    error = refused("right (3")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - of our own
    assert (str(again), again.line, again.column) == (str(error), 1, 9)


def test_large_and_strange_texts_are_refused_in_bounded_time():
    script = Path(__file__).with_name("large_texts.py")
    found = subprocess.run([sys.executable, script], check=False, capture_output=True, text=True, timeout=300)
    assert (found.stdout, found.stderr) == ("", "")


def test_long_texts_that_are_right_are_read():
    assert md.parse("right (3,)" + " flip(0)" * 10_000) == md.parse("right (3,)")
    assert md.parse(f"right ({'1, ' * 20_000})").rank == 20_000
    assert md.parse("tiled(2) (300,)" + " [1:]" * 10_000).size == 0


def test_nothing_is_called_but_layouts(monkeypatch):
    called = []
    monkeypatch.setattr("builtins.exec", called.append)
    for text in (
        "os:system('true') (3,)",
        "builtins:exec('1') (3,)",
        "mdview:LayoutTiled.offset(2) (3,)",
        "mdview:MDView((1,), (1,)) (1,)",
    ):
        assert "is no class of layouts" in str(refused(text))
    assert not called


def unwritten(mapping):
    with pytest.raises(NotationError) as caught:
        md.format(mapping)
    assert caught.value.line is None
    return str(caught.value)


def test_a_parameter_that_is_no_literal_is_named():
    message = unwritten(md.Mapping((3,), LayoutOf(lambda i: 2 * i)))
    assert message.startswith("the parameter arithmetic of LayoutOf cannot be written")
    assert "let the layout take" in message
    assert "parameter arithmetic of LayoutOf" in unwritten(
        md.Mapping((3, 3), md.LayoutTranspose(LayoutOf(lambda i, j: i)))
    )


def test_a_class_that_no_import_finds_is_refused():
    class LayoutLocal(md.Layout):
        def offset(self, extents, index):
            return index[0]

        def required_span_size(self, extents):
            return extents[0]

    assert "define the class at the top of a module" in unwritten(md.Mapping((3,), LayoutLocal()))
    LayoutLocal.__module__, LayoutLocal.__qualname__ = "__main__", "LayoutLocal"
    assert "define the class at the top of a module" in unwritten(md.Mapping((3,), LayoutLocal()))


class LayoutScaled(md.StridedLayout):
    """Its constructor keeps another number than it is given."""

    def __init__(self, step):
        self.twice = 2 * step

    def strides(self, extents):
        return (self.twice,) * len(extents)

    def is_always_unique(self, static):
        return False


class LayoutDoubled(LayoutScaled):
    """The attribute of the name is not what the constructor takes."""

    def __init__(self, step):
        self.twice = self.step = 2 * step


class LayoutSaid(LayoutScaled):
    """It says what it is made from."""

    def constructor_arguments(self):
        return {"step": self.twice // 2}


def test_a_constructor_whose_parameters_are_no_attributes_needs_a_word():
    assert "the parameter step of LayoutScaled is no attribute" in unwritten(md.Mapping((3,), LayoutScaled(2)))
    assert "is not made again by" in unwritten(md.Mapping((3,), LayoutDoubled(2)))
    text = md.format(md.Mapping((3,), LayoutSaid(2)))
    assert text == f"{__name__}:LayoutSaid(2) (3,)"
    assert md.parse(text).strides == (4,)


def test_layouts_too_deep_within_each_other_are_refused():
    layout = md.LayoutRight()
    for _ in range(80):
        layout = md.LayoutTranspose(layout)
    with pytest.raises(NotationError, match="more than 60 parentheses"):
        md.format(md.Mapping((2, 2), layout))
