"""Formats of elements: letters of `struct` and names of dtypes mean what NumPy makes of them."""

import numpy as np
import pytest

from mdview import asview
from mdview.interop.files.item_formats import LETTERS, LONG, read_format

CODES = [order + name for name in LETTERS if len(name.rstrip("0123456789")) == 1 for order in "<>=|"]
"""NumPy has a byte order before letters, and none before words."""


@pytest.mark.parametrize("name", [*LETTERS, *CODES])
def test_a_dtype_is_that_of_numpy(name):
    dtype = np.dtype(name)
    found = read_format(name)
    assert found.size == dtype.itemsize
    assert np.dtype(found.text.replace("Zf", "F").replace("Zd", "D")) == dtype
    if dtype.isnative:
        assert np.dtype(found.text.replace("Zf", "F").replace("Zd", "D")) == asview(np.zeros(1, dtype)).dtype


@pytest.mark.parametrize("name", ["datetime64[ns]", "M8[s]", ">M8[D]", "timedelta64[ms]", "m8[us]", "S3", "<U5", "V7"])
def test_what_only_numpy_knows_is_asked_of_numpy(name):
    assert (read_format(name).text, read_format(name).size) == (np.dtype(name).str, np.dtype(name).itemsize)


@pytest.mark.parametrize("letter", "bBhHiIlLqQefd?")
def test_letters_of_struct_come_first(letter):
    assert read_format(letter).text == letter


@pytest.mark.parametrize(
    "text",
    ["", "float", "float128", "int", "i3", "f4,i4", "(2,)f8", "object", "O", "3s", "ff", "<", "é", "d\n", "datetime64"],
)
def test_what_is_no_format_is_refused(text):
    with pytest.raises(ValueError, match="no format of elements"):
        read_format(text)


def test_units_that_numpy_does_not_have():
    assert LONG.fullmatch("datetime64[xx]")
    with pytest.raises((TypeError, ValueError)):
        read_format("datetime64[xx]")
