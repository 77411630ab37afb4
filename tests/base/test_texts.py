"""Whatever a message shows has a text, and one that is not long."""

import sys

import pytest

from mdview import Dim, ExtentSlice, Mapping, dim
from mdview.base.texts import shown

BIG = 10**5000


class Refusing:
    """What has no text."""

    def __repr__(self):
        raise ValueError("no text")


@pytest.mark.parametrize("value", [0, -3, 10**400, True, dim(3), "3", None, 1.5, (1,), [1, (2,)], slice(1), range(3)])
def test_what_python_writes_is_shown_so(value):
    assert shown(value) == str(value)
    assert shown(value, repr) == repr(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (BIG, "<integer of about 5000 digits>"),
        (-BIG, "<negative integer of about 5000 digits>"),
        (Dim(BIG), "<integer of about 5000 digits>"),
        ((BIG,), "(<integer of about 5000 digits>,)"),
        ([1, (BIG, "a")], "[1, (<integer of about 5000 digits>, 'a')]"),
        (slice(None, BIG), "slice(None, <integer of about 5000 digits>, None)"),
        (range(BIG), "range(0, <integer of about 5000 digits>, 1)"),
        ({1: BIG}, "<dict that has no text>"),
        (Refusing(), "<Refusing that has no text>"),
        ((Refusing(), 1), "(<Refusing that has no text>, 1)"),
    ],
    ids=range(10),
)
def test_what_python_does_not_write_is_described(value, text):
    assert shown(value) == shown(value, str) == text


def test_values_and_static_numbers_have_a_text_themselves():
    assert repr(Dim(BIG)) == "dim(<integer of about 5000 digits>)"
    assert str(Dim(BIG)) == "<integer of about 5000 digits>"
    assert repr(ExtentSlice(0, BIG)) == "ExtentSlice(offset=0, extent=<integer of about 5000 digits>, stride=dim(1))"


def test_a_process_may_have_a_lower_limit():
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        with pytest.raises(IndexError, match="index <integer of about 700 digits> is out of range for extent 3"):
            Mapping((3,))(10**700)
    finally:
        sys.set_int_max_str_digits(limit)
