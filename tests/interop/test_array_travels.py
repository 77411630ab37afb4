"""Views of arrays of every kind travel by pickles and deep copies, with what they share."""

import copy
import pickle
from itertools import product

import numpy as np
import pytest

from mdview import MDView, asview

NESTED = np.dtype([("a", "i1"), ("n", [("x", ">f4", (2, 2)), ("s", "U3")]), ("b", "M8[ms]")], align=True)
TRAVELLERS = {
    "records": np.array([(k, k / 2) for k in range(12)], [("a", "i4"), ("b", "f8")]),
    "padded records": np.frombuffer(bytes(range(240)) * NESTED.itemsize, NESTED)[:12],
    "records of foreign order": np.array([(k, k) for k in range(12)], [("a", ">i4"), ("b", "<f8")]),
    "strings": np.array([f"{k}" * k for k in range(12)]),
    "foreign strings": np.array([f"{k}" for k in range(12)], ">U5"),
    "bytes": np.array([b"%d" % k for k in range(12)]),
    "dates": np.arange(12).astype("M8[s]"),
    "foreign durations": np.arange(12).astype(">m8[25us]"),
    "booleans": np.arange(12) % 3 == 0,
    "halves": np.arange(12).astype("f2"),
    "long doubles": np.arange(12).astype("g") / 3,
    "long complex": np.arange(12).astype("G") / 3j,
    "foreign doubles": np.arange(12).astype(">f8"),
    "void": np.arange(12 * 5, dtype="u1").view("V5"),
    "objects": np.array([{"k": k} for k in range(12)]),
    "records of objects": np.array([(k, [k]) for k in range(12)], [("a", "i4"), ("o", "O")]),
}
SHAPES = {
    "whole": lambda a: a,
    "right": lambda a: a.reshape(3, 4),
    "left": lambda a: np.asfortranarray(a.reshape(3, 4)),
    "transposed": lambda a: a.reshape(2, 3, 2).transpose(1, 0, 2),
    "strided": lambda a: a[1::3],
    "flipped": lambda a: a.reshape(3, 4)[::-1, ::-2],
    "broadcast": lambda a: np.broadcast_to(a[:3], (4, 3)),
    "empty": lambda a: a[:0],
    "empty part": lambda a: a[5:5].reshape(0, 3),
    "rank 0": lambda a: a[3:4].reshape(()),
    "part": lambda a: a[3:6],
}
WAYS = [copy.deepcopy, *[lambda value, p=p: pickle.loads(pickle.dumps(value, p)) for p in (0, 2, 5)]]  # noqa: S301


def as_bytes(array):
    """Its items as bytes alone, with what lies between the fields: what NumPy copies of that depends on its version."""
    return array.view(f"V{array.itemsize}")


def twin(array):
    """A copy of all of the items, of objects that of the references."""
    if array.dtype.hasobject:
        return array.copy()
    made = np.empty_like(array)
    as_bytes(made)[...] = as_bytes(array)
    return made


def text(values):
    """What can be compared of records, too."""
    return str(np.asarray(values).tolist())


@pytest.mark.parametrize("name", TRAVELLERS)
def test_a_view_of_any_array_travels(name):
    for shape, writeable, travel in product(SHAPES, [True, False], WAYS):
        travels(name, shape, writeable, travel)


def travels(name, shape, writeable, travel):
    array = SHAPES[shape](twin(TRAVELLERS[name]))
    array.flags.writeable = writeable = writeable and array.flags.writeable and shape != "broadcast"
    view = asview(array)
    part = view[(..., *[slice(0, 2)] * view.rank)]
    again, other, its = travel([view, asview(array), part])
    held = np.asarray(again)
    assert (held.dtype, held.dtype.str, held.shape, held.flags.writeable) == (
        array.dtype,
        array.dtype.str,
        array.shape,
        writeable,
    )
    assert text(again) == text(view)
    assert text(its) == text(part)
    assert (again.format, again.mapping, again.accessor) == (view.format, view.mapping, view.accessor)
    assert not np.shares_memory(held, array)
    is_shared = array.dtype.isnative  # others, NumPy turns round
    if array.size and not array.dtype.hasobject:
        assert not is_shared or np.asarray(other).ctypes.data == held.ctypes.data
        if name != "padded records" or travel is not copy.deepcopy:  # which leaves whole arrays to NumPy's own copy
            assert as_bytes(held).tobytes() == as_bytes(array).tobytes()
    if array.size and writeable and view.rank and is_shared:
        ends = (0,) * view.rank, (-1,) * view.rank
        again[ends[0]] = again[ends[1]]
        assert text(other) == text(again)
        assert str(its[ends[0]]) == str(again[ends[0]])


@pytest.mark.parametrize("name", [name for name in TRAVELLERS if TRAVELLERS[name].dtype.isnative])
def test_an_array_in_one_row_and_its_view_share_memory_afterwards(name):
    for shape, travel in product(["whole", "right", "left"], WAYS):
        array = SHAPES[shape](TRAVELLERS[name].copy())
        view, again = travel([asview(array), array])
        assert view.data is again
        again[...] = again.ravel()[3]
        assert text(view) == text(again) != text(array)


class Tagged(np.ndarray):
    """A subclass of arrays."""


@pytest.mark.parametrize("travel", WAYS, ids=["copy", *"025"])
@pytest.mark.parametrize("kind", [np.memmap, np.recarray, Tagged])
def test_a_view_of_an_array_of_a_subclass_travels(kind, travel, tmp_path):
    if kind is np.memmap:
        array = np.memmap(tmp_path / "data", "f8", "w+", shape=(2, 3))
        array[:] = np.arange(6.0).reshape(2, 3)
    else:
        array = np.arange(6.0).reshape(2, 3).view(kind)
    for view in (asview(array), MDView(array, (2, 3))):
        again, other = travel([view, MDView(array, (6,))])
        assert again.tolist() == view.tolist()
        other[5] = -1.0
        is_opened = kind is np.memmap and travel is not copy.deepcopy  # the same file, and no copy of it
        assert again[1, 2] == (-1.0 if is_opened or kind is not np.memmap else 5.0)
        assert view[1, 2] == (-1.0 if is_opened else 5.0)
        view[1, 2] = 5.0
