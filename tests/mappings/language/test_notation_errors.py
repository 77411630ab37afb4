"""Each wrong expression is refused at its place, which is marked here, with the error of the rule and its values."""

import pickle
import re
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


REFUSED = {
    "«tilde»(4, 4) (10, 12)": "'tilde'.*tiled",
    "«LayoutTiled»(4, 4) (10, 12)": "'LayoutTiled'.*tiled",
    "tiled(4, 4)«»": "4.*6",
    "tiled (4, 4) «(10, 12)»": r"without a space",
    "right (3, 4) [1:2, «7»]": "IndexOutOfRangeError.*7.*4.*1",
    "right (3, 4) [0, 1, «2»]": "TooManyIndicesError.*3.*3.*4",
    "right (3, 4) [..., «...»]": r"IndexTypeError.*'\.\.\.'",
    "right (3, 4) [«::0»]": "SliceError.*0.*0",
    "right (3, 4) [«dim(1):dim(9)»]": "SliceError.*1.*9.*0",
    "right (3, 4) flip(0) «flap»(1)": "'flap'.*flip",
    "right (3, 4) «flip(2)»": "AxisError.*2.*2",
    "right (3, 4) «reshape((5, -1))»": r"ShapeError.*1.*5.*\-1",
    "right (3, 4) «reshape(2, 6)»": "ShapeError.*'C'.*'F'.*6",
    "right (3, 4) «shrink(((0, 3), (1, 1)))»": "SliceError.*1.*1.*1",
    "right (3, 4) «broadcast_to(3, 4)»": r"\(shape\)",
    "right (3, 4) flip«»": "arguments",
    "right «(3, -4)»": r"ExtentsError.*0.*\-4.*1",
    "«packed(upper, row) (3, 4)»": "LayoutError.*3.*4",
    "packed(«uper», row) (3, 3)": "'uper'.*upper",
    "tiled(4, 4, outer=«lefft») (3, 4)": "'lefft'.*left",
    "«morton(kompact=True)» (3,)": "'kompact'.*compact",
    "«right(1)» (3,)": "arguments",
    "right (3«»": r"'\('.*7",
    "right (3,)«)»": r"'\)'",
    "«no.such.module:Layout(1)» (3,)": "'no'",
    "«builtins:print(1)» (3,)": "'print'",
    "«dim(3)» (3,)": "dim",
    "right (3, 4) «permute_dims((1, 1))»": "RankError.*1.*1.*1",
    "right (3, 4) «permute_dims((0,))»": "RankError.*2.*2.*1",
    "right (3, 4) «permute_dims(0)»": "RankError.*2.*2.*1",
    "right (3, 4) expand_dims(0) «transposed()»": "RankError.*2.*3",
    "right (3, 4) «moveaxis((0, 1), 0)»": "RankError.*1.*2",
    "right (3, 4) «moveaxis(0, 2)»": "AxisError.*2.*2",
    "right (3, 4) «swapaxes(0, -3)»": r"AxisError.*\-3.*2",
    "right (3, 4) «flip('a')»": "ExtentsTypeError.*'a'",
    "right (3, 4) «squeeze(0)»": "BroadcastError.*1.*0.*3",
    "right (3, 4) «broadcast_to((2, 2))»": "BroadcastError.*3.*4.*2",
    "right (3, 4) «broadcast_to((-1, 3, 4))»": r"ExtentsError.*0.*\-1.*0",
    "right (3, 4) «reshape((5, 5))»": "ShapeError.*3, 4.*12.*5",
    "right (3, 4) «reshape((2, 6), order='K')»": "ShapeError.*'C'.*'F'.*'K'",
    "right (3, 4) «diagonal(axis1=1)»": "RankError.*1.*1",
    "right (3, 4) «sliding_window((2, 2, 2))»": "ShapeError.*2.*3",
    "right (3, 4) «sliding_window((2, 9))»": "ShapeError.*9.*4.*1",
    "right (3, 4) «sliding_window(4, axis=0)»": "ShapeError.*4.*3.*0",
    "right (3, 4) «pad(-1)»": r"PaddingError.*\-1.*\-1.*0",
    "right (3, 4) «pad(((1, 1),))»": "RankError.*2.*1.*1",
    "right (3, 4) «pad('a')»": "RankError.*'a'",
    "right (3, 4) «pad(((1, 1), (1, 'a')))»": "ExtentsTypeError.*'a'",
    "right (3, 4) «shrink(((0, 3),))»": "RankError.*2.*0.*3",
    "right (3, 4) «shrink(3)»": "RankError.*3",
    "right (3, 4) «reshape()»": "TypeError.*'shape'.*order",
    "right (3, 4) «a.b:flip»()": r"'a\.b:flip'.*flip",
    "right (3, 4) [«'a'»]": r"'a'.*'\.\.\.'",
    "right (3, 4) [«1.5»]": r"IndexTypeError.*1\.5.*0",
    "right (3, 4) [«:1.5»]": "IndexTypeError.*0",
    "right (3, 4) [«right»]": r"LayoutRight.*'\.\.\.'",
    "right (3, 4) [«n»:]": "'n'",
    "right (3, 4) [«dim(2.5)»]": r"ExtentsTypeError.*2\.5",
    "right (3, 4) [dim(2)«.»x]": r"'\.'",
    "right (3, 4) [dim(«x»)]": "'x'",
    "right (3, 4) [«dim(2):dim(1)»]": "SliceError.*2.*1.*0",
    "right (3, 4) [«::dim(0)»]": "SliceError.*0.*0",
    "right (3, 4) [«-4»]": r"IndexOutOfRangeError.*\-4.*3.*0",
    "right (3, 4) [«--1»]": "number",
    "«»": "ends",
    "«(3,)»": r"'\(3,\)'",
    "«None» (3,)": "None.*right",
    "right«»": "4.*6",
    "«a.b» (3,)": r"'a\.b'.*module:Name",
    "a«.»:b (3,)": r"'\.'",
    "a«:» (3,)": "':'",
    "right «(3, right)»": "ExtentsTypeError",
    "right «(dim(-1),)»": r"ExtentsError.*0.*\-1.*0",
    "right («dim()»,)": "value",
    "right («dim(n=3)»,)": "value",
    "right «(complex(1),)»": "ExtentsTypeError.*complex",
    "right («dim('a')»,)": "ExtentsTypeError.*'a'",
    "right (3,) «'»a": "quoted",
    "right («?»)": r"'\?'",
    "right («'»\\q',)": "escape sequence",
    "right («'»\\U00110000',)": "escape sequence",
    "right («b»'\\u1234',)": "'b'",
    "«tiled(4) (3, 4)»": "RankError.*4.*1.*3",
    "«tiled(0)» (3,)": "LayoutError.*1.*0.*0",
    "«stride((1, 1)) (3, 4)»": "StrideError.*1.*1.*3",
    "«swizzled(right, 1, 0, 2, 3)» (4,)": "shift",
    "«swizzled(right, 1, bits=2, bits=3)» (4,)": "two values",
    "«morton(True)» (4,)": "arguments",
    "«blas_packed»(upper, row) (3, 3)": "'blas_packed'.*packed",
    "«LayoutStrideRelaxed»((1,)) (3,)": "'LayoutStrideRelaxed'.*relaxed",
    "«qqqq» (3,)": "'qqqq'",
    "«mdview:Layout» (3,)": "TypeError",
}


def test_what_is_refused_and_where():
    for marked, values in REFUSED.items():
        error = refused(re.sub("[«»]", "", marked))
        first, shown, carets = str(error).split("\n")
        start, length = marked.index("«"), marked.index("»") - marked.index("«") - 1
        assert (error.line, error.column) == (1, start + 1), marked
        assert re.search(values, first), (marked, first)
        assert (shown[4:], carets) == (re.sub("[«»]", "", marked), " " * (4 + start) + "^" * max(1, length)), marked


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
    (deep(80), "60"),
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
