"""On Python 3.12 and newer a view is a buffer, of which Numba remembers one type for many; each view has its own."""

import sys
from array import array

import numba
import numpy as np
import pytest

import mdview.numba  # noqa: F401 - where no entry point has loaded it
from mdview import LayoutLeft, LayoutStride, MDView, asview, dim, flip, permute_dims, readonly, subview

total = numba.njit(lambda v: v[0, 0] + 10 * v[1, 2] + 100 * v[2, 3])


def grid(extents=(3, 4), layout=None):
    data = array("d", range(64))
    return MDView(data, extents) if layout is None else MDView(data, extents, layout)


def kinds():
    return [
        grid(),
        grid(),
        grid((dim(3), 4)),
        grid((dim(3), dim(4))),
        readonly(grid()),
        grid((4, 4))[:3],
        grid(layout=LayoutLeft()),
        permute_dims(grid((4, 3)), (1, 0)),
        grid(layout=LayoutStride((4, 1))),
        grid(layout=LayoutStride((8, 1))),
        flip(grid()),
        grid((3, 8))[:, ::2],
        asview(np.zeros((3, 4))),
        subview(grid((3, 6)), (0, 3), (1, 5)),
    ]


def expected(view):
    return view[0, 0] + 10 * view[1, 2] + 100 * view[2, 3]


def test_each_view_is_read_by_code_of_its_own_type():
    for _ in range(2):
        for view in kinds():
            assert [total(view), total(view)] == [expected(view)] * 2


@pytest.mark.skipif(sys.version_info < (3, 12), reason="a view is no buffer")
def test_a_view_that_readers_have_looked_at_is_what_it_was():
    for view in kinds():
        told = repr(view), hash(view), type(view).__name__, view.tolist()
        given = memoryview(view)
        assert total(view) == expected(view)
        assert (repr(view), hash(view), type(view).__name__, view.tolist()) == told
        assert isinstance(view, MDView)
        assert memoryview(view).readonly == given.readonly
        assert memoryview(view).tolist() == given.tolist() == view.tolist()
