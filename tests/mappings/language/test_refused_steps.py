"""What each rule of layouts, extents and steps refuses, in the words of the rule, at the step that broke it."""

import pytest

import mdview as md
from mdview.errors import NotationError, OperandError

STEPS = {
    "permute_dims((1, 1))": "RankError: axis 1 is named twice in (1, 1)",
    "permute_dims((0,))": "RankError: a permutation of rank 2 has 2 axes, got 1: (0,)",
    "permute_dims(0)": "RankError: a permutation of rank 2 has 2 axes, got 1: 0",
    "expand_dims(0) transposed()": "RankError: only a matrix is transposed: rank 2, got rank 3; use permute_dims",
    "moveaxis((0, 1), 0)": "RankError: moveaxis takes as many destinations as sources, got 1 and 2",
    "moveaxis(0, 2)": "AxisError: axis 2 is out of range for rank 2",
    "swapaxes(0, -3)": "AxisError: axis -3 is out of range for rank 2",
    "flip('a')": "ExtentsTypeError: an axis must be an integer, got 'a' of type str",
    "squeeze(0)": "BroadcastError: only dimensions of extent 1 can be squeezed: dimension 0 of (3, 4)",
    "broadcast_to((2, 2))": "BroadcastError: (3, 4) cannot be broadcast to (2, 2)",
    "broadcast_to((-1, 3, 4))": "ExtentsError: extents must be at least 0: extent -1 of dimension 0",
    "reshape((5, 5))": "ShapeError: a shape is reshaped into one of equal size",
    "reshape((2, 6), order='K')": "ShapeError: the order of a reshape is 'C' or 'F', got 'K'",
    "diagonal(axis1=1)": "RankError: a diagonal takes two different axes, got 1 and 1",
    "sliding_window((2, 2, 2))": "ShapeError: a window has a length for each axis: 2, got 3",
    "sliding_window((2, 9))": "ShapeError: a window of length 9 does not fit extent 4 of dimension 1",
    "sliding_window(4, axis=0)": "ShapeError: a window of length 4 does not fit extent 3 of dimension 0",
    "pad(-1)": "ExtentsError: padding has no negative width: (-1, -1) of dimension 0; use a slice to cut",
    "pad(((1, 1),))": "RankError: padding is one width, one pair (before, after), or a pair for each",
    "pad('a')": "RankError: padding is one width",
    "pad(((1, 1), (1, 'a')))": "RankError: padding is one width",
    "shrink(((0, 3),))": "RankError: shrink takes a pair (begin, end) for each of 2 dimensions, got ((0, 3),)",
    "shrink(3)": "RankError: shrink takes a pair",
    "reshape()": "TypeError: reshape() missing 1 required positional argument: 'shape'",
    "a.b:flip()": "there is no operation 'a.b:flip'",
    "['a']": "expected an index, a slice, '...' or None, got",
    "[1.5]": "IndexTypeError: index 1.5 of dimension 0 is no integer",
    "[:1.5]": "IndexTypeError: bounds and step of a slice of dimension 0 are integers",
    "[right]": "expected an index, a slice, '...' or None, got 'right'",
    "[n:]": "expected an index, a slice, '...' or None, got 'n'",
    "[dim(2.5)]": "ExtentsTypeError",
    "[dim(2).x]": "expected ',' or ']', got '.'",
    "[dim(x)]": "there is no layout 'x'",
    "[dim(2):dim(1)]": "SliceError",
    "[::dim(0)]": "SliceError: the step of a slice of dimension 0 is 0",
    "[-4]": "IndexOutOfRangeError: index -4 is out of range for extent 3 of dimension 0",
    "[,]": "expected an index, a slice, '...' or None, got ','",
    "[1 2]": "expected ',' or ']', got '2'",
    "[--1]": "expected a number, got '-'",
}


@pytest.mark.parametrize("step", STEPS)
def test_a_step_that_breaks_a_rule(step):
    with pytest.raises(NotationError) as caught:
        md.parse(f"right (3, 4) {step}")
    place, _, reason = str(caught.value).split("\n")[0].partition(": ")
    assert reason.startswith(STEPS[step])
    assert caught.value.column >= 14
    assert place == f"line 1, column {caught.value.column}"


TEXTS = {
    "": "expected a layout, the text ends",
    "(3,)": "expected a layout, got '('",
    "None (3,)": "expected a layout, got 'None'",
    "right": "expected the extents in parentheses, as in right (4, 6), the text ends",
    "a.b (3,)": "expected ':' and the name of a class, got '('",
    "a.:b (3,)": "expected a name, got ':'",
    "a: (3,)": "expected the name of a class, got '('",
    "right (3, right)": "ExtentsTypeError: an extent must be an integer, got LayoutRight()",
    "right (dim(-1),)": "ExtentsError: extents must be at least 0: extent -1 of dimension 0",
    "right (dim(),)": "dim is written as dim(4), a static number",
    "right (dim(n=3),)": "dim is written as dim(4), a static number",
    "right (complex(1),)": "complex is written as complex(real, imaginary)",
    "right (dim('a'),)": "ExtentsTypeError",
    "right (3,) 'a": "a quoted text that does not end in its line",
    "right (?)": "unexpected character '?'",
    "right ('\\q',)": "no escape sequence that is known here",
    "right ('\\U00110000',)": "no escape sequence that is known here",
    "right (b'\\u1234',)": "bytes hold characters up to \\xff",
    "right (" + "9" * 5000 + ",)": "a number of 5000 digits is too long; write it in hexadecimal, 0x...",
    "right (0x" + "f" * 5000 + ",)": "ExtentsError: extent <integer of about",
    "tiled(4) (3, 4)": "RankError: LayoutTiled(4, outer=LayoutRight(), inner=LayoutRight()) has 1 tile size",
    "tiled(0) (3,)": "LayoutError: tile sizes are at least 1: tile size 0 of dimension 0",
    "stride((1, 1)) (3, 4)": "StrideError: strides (1, 1) over extents (3, 4) interleave or collide",
    "swizzled(right, 1, 0, 2, 3) (4,)": "swizzled takes 4 arguments by position; by name it takes inner, bits",
    "swizzled(right, 1, bits=2, bits=3) (4,)": "swizzled got two values for bits",
    "morton(True) (4,)": "morton takes no arguments by position; by name it takes compact, fastest",
    "blas_packed(upper, row) (3, 3)": "there is no layout 'blas_packed'; did you mean packed?",
    "LayoutStrideRelaxed((1,)) (3,)": "there is no layout 'LayoutStrideRelaxed'; did you mean relaxed?",
    "qqqq (3,)": "there is no layout 'qqqq'; there is right, left, right_padded",
    "transpose(" * 70: "more than 60 parentheses within each other",
    "mdview:Layout (3,)": "TypeError: Can't instantiate abstract class Layout",
}


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_a_text_that_breaks_a_rule(text):
    with pytest.raises(NotationError) as caught:
        md.parse(text)
    assert str(caught.value).split("\n")[0].partition(": ")[2].startswith(TEXTS[text])


@pytest.mark.parametrize("given", [None, 3, b"right (3,)", ["right (3,)"]])
def test_what_is_no_text(given):
    with pytest.raises(OperandError, match="an expression is a text, got"):
        md.parse(given)


@pytest.mark.parametrize("given", [None, 3, "right (3,)", md.LayoutRight(), md.Mapping, md.MDView])
def test_what_has_no_mapping(given):
    with pytest.raises(OperandError, match="format takes a view or a mapping, got"):
        md.format(given)


def test_layouts_that_recurse_too_deep_are_refused():
    steps = " reshape((8, 3)) permute_dims((1, 0)) reshape((6, 4)) [:, ::-1]"
    with pytest.raises(NotationError, match="RecursionError"):
        md.parse("tiled(2, 2) (6, 4)" + steps * 1600)
