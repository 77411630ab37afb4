"""What looks like a sequence and is none: indexed by labels, by rows, or an array behind an interface.

The classes here behave as those of other libraries do, which are asked as well where they are installed.
"""

from array import array

import pytest

from mdview import MDView, asview, fill
from mdview.errors import BufferFormatError, ElementTypeError, ShapeError

np = pytest.importorskip("numpy")


class Tensor:
    """As in torch: no buffer, brackets give tensors of one dimension less, one of none is a number."""

    def __init__(self, values):
        self.values = np.asarray(values, "d")

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return Tensor(self.values[index])

    def __setitem__(self, index, value):
        self.values[index] = value

    def __float__(self):
        return float(self.values)

    def __array__(self, dtype=None, copy=None):
        return self.values

    def __dlpack__(self, **_):
        return self.values.__dlpack__()


class Interface:
    """As an image: an array interface and nothing else but a length and items."""

    def __init__(self, values):
        self.held = np.asarray(values, "d")
        self.__class__.__array_interface__ = property(lambda self: self.held.__array_interface__)

    def __len__(self):
        return len(self.held)

    def __getitem__(self, index):
        raise AssertionError("items are not asked one by one")


KINDS = {
    "tensor": Tensor,
    "interface": Interface,
    "pandas": lambda values: pytest.importorskip("pandas").Series(values, index=range(len(values))[::-1]),
    "pyarrow": lambda values: pytest.importorskip("pyarrow").array(values),
    "torch": lambda values: pytest.importorskip("torch").tensor(values),
}
FOUR = [10.0, 11.0, 12.0, 13.0]


@pytest.fixture(params=KINDS)
def make(request):
    return KINDS[request.param]


def line():
    return MDView(array("d", range(4)), (4,))


def test_data_that_exports_an_array_is_refused_with_the_way(make):
    given = make(FOUR)
    with pytest.raises(BufferFormatError, match=r"an array of its own; .* asview\(data\)"):
        MDView(given, (4,))
    assert asview(np.asarray(given)).tolist() == FOUR


def test_an_array_that_is_stored_is_stored_by_place(make):
    view = line()
    view[:] = make(FOUR)
    assert view.tolist() == FOUR
    view[1:3] = make([5.0, 6.0])
    for wrong in ([5.0], [1.0, 2.0, 3.0]):
        with pytest.raises(ShapeError, match="must agree"):
            view[:] = make(wrong)
    assert view.tolist() == [10, 5, 6, 13]


def test_arrays_in_nested_sequences_are_rows(make):
    view = MDView(array("d", range(4)), (2, 2))
    view[:] = [make([1.0, 2.0]), [3.0, 4.0]]
    assert view.tolist() == [[1, 2], [3, 4]]
    with pytest.raises(ShapeError):
        view[:] = [make([1.0, 2.0, 3.0]), [3.0, 4.0]]
    assert view.tolist() == [[1, 2], [3, 4]]


def test_arrays_where_objects_belong_are_objects(make):
    view, given = MDView([None] * 2, (2,)), [make(FOUR), make(FOUR)]
    view[:] = given
    assert view.tolist() == given
    fill(view, given[0])
    assert view.tolist() == [given[0]] * 2


@pytest.mark.parametrize("given", [{0: 1.0}, {1.0}, (n for n in range(4))])
def test_what_has_no_shape_is_one_value(given):
    view = line()
    with pytest.raises(ElementTypeError, match="items of format 'd' take real numbers, got"):
        view[:] = given
    assert view.tolist() == [0, 1, 2, 3]
