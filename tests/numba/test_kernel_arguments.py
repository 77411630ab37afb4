"""What is of the wrong kind is refused by the names of `mdview.numba` where Python calls them, and shown."""

from array import array

import pytest
from misuse import NO_INTEGERS, STRANGERS, Arg, assert_refused, call, each, right_calls, wrong_calls

import mdview as md

pytest.importorskip("numba")
kernels = pytest.importorskip("mdview.numba")


def first(v):
    return v[0]


def table():
    no_views = (*STRANGERS, md.MDView, md.Mapping((2, 3)))
    view = md.MDView(array("d", range(6)), (2, 3))
    rows, tiles = Arg(view, no_views), Arg(md.zeros((4, 4), md.LayoutTiled(2, 2)), no_views)
    number = Arg(1, NO_INTEGERS)
    return {
        "atomic_add": (
            kernels.atomic_add,
            rows,
            Arg((0, 0), ("text", None, ("text", 0), 0, ..., (0, slice(None)))),
            Arg(1.0),
        ),
        "jit": (kernels.jit, Arg(first, (3, "text", int, view))),
        "jit()": (kernels.jit(nogil=True), Arg(first, (3, None, "text", int))),
        "tile": (kernels.tile, tiles, number),
        "tile_count": (kernels.tile_count, tiles),
    }


def test_right_arguments_are_taken():
    each(call, right_calls(table()))


def test_a_wrong_argument_is_refused_and_shown():
    each(assert_refused, wrong_calls(table()))


def test_options_count_where_the_function_is_given_with_them():
    assert kernels.jit(first, nogil=True).dispatcher.targetoptions["nogil"]


def test_every_public_name_is_called():
    assert set(kernels.__all__) <= set(table())
