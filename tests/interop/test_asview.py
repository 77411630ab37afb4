"""asview: a view of the memory of whatever has some, by whichever protocol it tells of it, and back again."""

import ctypes
import gc
import math
import mmap
import sys
import weakref
from array import array
from itertools import permutations, product
from multiprocessing.shared_memory import SharedMemory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import output_of

import mdview as md
from mdview.errors import BufferFormatError, ReadOnlyError

GRID = np.arange(24.0).reshape(4, 6)


class Told:
    """Tells of an array by ``__array_interface__``, and lies where it is told to."""

    def __init__(self, array=GRID, /, **lies):
        self.array = array
        self.__array_interface__ = {**array.__array_interface__, **lies}


class Tensor:
    """Gives a tensor as libraries do that know DLPack 1."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **wanted):
        return self.array.__dlpack__(**wanted)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OldTensor(Tensor):
    """Knows neither versions nor flags."""

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


class Making(Tensor):
    """Makes an array, without a copy if that is asked for."""

    __dlpack__ = __dlpack_device__ = None

    def __array__(self, dtype=None, copy=None):
        return self.array if copy is False else self.array.copy()


EXPORTERS = {
    "array": lambda a: a,
    "matrix": lambda a: a.view(np.matrix) if a.ndim == 2 else a,
    "memoryview": memoryview,
    "interface": Told,
    "DLPack": Tensor,
    "old DLPack": OldTensor,
    "__array__": Making,
}
PARTS = {
    "whole": lambda a: a,
    "left": lambda a: a.T,
    "Fortran": np.asfortranarray,
    "padded": lambda a: a[:, :4],
    "flipped": lambda a: a[::-1, ::-2],
    "stepped": lambda a: a[1:, 1::3],
    "broadcast": lambda a: np.broadcast_to(a[1], (3, 6)),
    "windows": lambda a: np.lib.stride_tricks.sliding_window_view(a[0], 3),
    "diagonal": np.diagonal,
    "empty": lambda a: a[:0],
    "rank 0": lambda a: a[1, 2:3].reshape(()),
}
DTYPES = [
    *"?bBhHiIlLqQefdgFDG",
    *[">f8", ">i4", ">c16", ">f2", "M8[s]", ">M8[ms]", "m8[us]", "S1", "S3", "U1", "U2", "V4"],
]
DTYPES += ["O", "i4, f8", [("a", ">f4")], [("a", "i4"), ("b", "O")]]
UNSAID = {
    "memoryview": lambda kind: kind.kind in "MmVUO" or not kind.isnative or kind.char in "SgGFDe" or kind.names,
    "interface": lambda kind: kind.hasobject or (kind.char == "V" and not kind.names),
    "struct": lambda kind: kind.kind in "SUMmOV",
    "DLPack": lambda kind: kind.kind in "SUMmOV" or not kind.isnative or kind.char in "gG",
}
UNSAID["old DLPack"] = UNSAID["DLPack"]
"""Which types of items a protocol has no words for, or NumPy does not export, or only as other types."""


def filled(kind):
    return np.arange(24).astype("M8[s]" if "M8" in str(kind) else "i8").astype(kind).reshape(4, 6)


def text(values):
    """What can be compared of records, too."""
    return str(np.asarray(values).tolist())


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("name", EXPORTERS)
@pytest.mark.parametrize("writeable", [True, False])
def test_what_tells_of_an_array_is_viewed_where_it_lies(name, writeable):
    kept = []
    for dtype, part in product(map(np.dtype, DTYPES), PARTS):
        plain = PARTS[part](filled(dtype))
        is_writeable = writeable and plain.flags.writeable
        plain.flags.writeable = is_writeable
        if UNSAID.get(name, lambda _: False)(dtype) or (name == "old DLPack" and not is_writeable):
            continue
        given, case = EXPORTERS[name](plain), (dtype, part)
        view, direct = md.asview(given), md.asview(plain)
        back = np.asarray(view)
        assert view.data is given, case
        assert (view.mapping, view.dtype) == (direct.mapping, direct.dtype), case
        assert isinstance(view.accessor, md.ReadOnlyAccessor) is (not is_writeable or name == "old DLPack"), case
        assert (back.dtype, back.shape) == (plain.dtype, plain.shape), case
        assert plain.size == 0 or np.shares_memory(back, plain), case
        assert md.asview(back).layout == view.layout, case
        kept.append((plain, view, case))
    for plain, view, case in kept:  # later ones do not change what was said of earlier ones
        assert text(view) == text(plain), case
        if plain.flags.writeable and plain.size:
            last = (-1,) * plain.ndim
            plain[last] = plain.ravel()[0]
            assert str(np.asarray(view)[last]) == str(plain[last]), case
    assert len(kept) > 100 or not writeable


@given(st.data())
def test_any_slice_of_an_array_is_a_view_of_its_own_memory(data):
    whole = np.arange(60).reshape(3, 4, 5)
    key = tuple([data.draw(st.slices(n)) for n in whole.shape])
    part = whole[key].transpose(data.draw(st.permutations(range(3))))
    view = md.asview(part)
    assert view.tolist() == part.tolist()
    if part.size:
        view[...] = -1
        assert (part == -1).all()
        assert (whole == -1).sum() == part.size


@pytest.mark.parametrize(
    ("given", "layout"),
    [
        (GRID, md.LayoutRight()),
        (GRID.T, md.LayoutLeft()),
        (GRID[:, :4], md.LayoutRightPadded(6)),
        (GRID[:, ::2], md.LayoutStride((6, 2))),
        (GRID[::-1], md.LayoutStrideRelaxed((-6, 1), 18)),
        (np.broadcast_to(GRID[0], (2, 6)), md.LayoutStrideRelaxed((0, 1))),
        (Told(strides=None), md.LayoutRight()),
        (Told(data=bytearray(192), offset=23 * 8, shape=(4,), strides=(-48,)), md.LayoutStrideRelaxed((-6,), 18)),
        (Told(shape=(0, 6), data=(0, False)), md.LayoutRight()),
    ],
)
def test_the_layout_is_the_narrowest(given, layout):
    assert md.asview(given).layout == layout


# Buffers, with the standard library alone.


def twelve():
    return bytearray(range(12))


def mapped():
    made = mmap.mmap(-1, 12)
    made[:] = twelve()
    return made


BUFFERS = {
    "bytes": (bytes(twelve()), md.LayoutRight()),
    "bytearray": (twelve(), md.LayoutRight()),
    "array": (array("d", [1, 2]), md.LayoutRight()),
    "map": (mapped(), md.LayoutRight()),
    "stepped": (memoryview(twelve())[1::2], md.LayoutStride((2,))),
    "flipped part": (memoryview(twelve())[9:2:-3], md.LayoutStrideRelaxed((-3,), 6)),
    "wide": (memoryview(twelve()).cast("H")[::-2], md.LayoutStrideRelaxed((-2,), 4)),
    "no bytes": (b"", md.LayoutRight()),
    "two dimensions": (memoryview(twelve()).cast("H", (2, 3)), md.LayoutRight()),
    "rank 0": (memoryview(bytearray(8)).cast("d", ()), md.LayoutRight()),
    "ctypes": ((ctypes.c_int * 3 * 2)((1, 2, 3), (4, 5, 6)), md.LayoutRight()),
    "ctypes of rank 0": (ctypes.c_double(2.5), md.LayoutRight()),
    **{
        f"{kind.__name__}, {order}": ((getattr(kind, order) * 3)(1, 2, 3), md.LayoutRight())
        for kind in (ctypes.c_long, ctypes.c_longlong, ctypes.c_short, ctypes.c_uint, ctypes.c_float)
        for order in ("__ctype_be__", "__ctype_le__")
    },
}


def listed(given):
    """Its elements by its own rules."""
    if isinstance(given, ctypes.Array):
        return [listed(part) for part in given]
    seen = getattr(given, "value", given) if not isinstance(given, mmap.mmap) else given[:]
    return seen if isinstance(seen, int | float) else memoryview(seen).tolist()


@pytest.mark.parametrize("name", BUFFERS)
def test_a_view_shares_what_a_buffer_has(name):
    given, layout = BUFFERS[name]
    view, exported = md.asview(given), memoryview(given)
    assert (view.shape, view.layout, view.data is given) == (exported.shape, layout, True)
    assert view.tolist() == listed(given)
    assert isinstance(view.accessor, md.ReadOnlyAccessor) is exported.readonly
    index = (0,) * view.rank
    if view.size and not exported.readonly:
        view[index] = 7
        assert md.asview(given)[index] == 7
    elif view.size:
        with pytest.raises(ReadOnlyError):
            view[index] = 7


class Point(ctypes.Structure):
    _fields_ = (("x", ctypes.c_int), ("y", ctypes.c_double))


class Packed(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("x", ctypes.c_byte), ("y", ctypes.c_double))


class Either(ctypes.Union):
    _fields_ = (("x", ctypes.c_int), ("y", ctypes.c_double))


@pytest.mark.parametrize("kind", [Point, Packed, Either])
def test_records_are_read_by_numpy(kind):
    given = (kind * 2)()
    given[1].y = 0.5
    view = md.asview(given)
    assert (view.itemsize, view[1]["y"]) == (ctypes.sizeof(kind), 0.5)
    view[0] = view[1]
    assert given[0].y == 0.5
    with pytest.raises(BufferFormatError, match=str(ctypes.sizeof(kind)) if kind is not Point else None):
        md.MDView(given, (2,))


@pytest.mark.parametrize("key", [slice(None), slice(None, None, -1), (..., slice(None, None, 2)), slice(0), 0])
def test_single_bytes_stay_themselves_by_way_of_any_memoryview(key):
    data = bytearray(b"a\0b\0cd")
    view = md.operations.bitcast(md.MDView(data, (2, 3)), "c")[key]
    for _ in range(2):
        again = md.asview(view.memoryview())
        assert (again.tolist(), again.format, again.shape) == (view.tolist(), "c", view.shape)
    if view.size:
        again[(0,) * view.rank] = b"\xff"
        assert b"\xff" in data


@pytest.mark.skipif(sys.version_info < (3, 12), reason="buffers of classes in Python came with 3.12")
@pytest.mark.parametrize("key", [slice(None), slice(None, None, -3), slice(3, 3)])
def test_a_class_that_exports_a_buffer_is_one(key):
    class Exporter:
        def __init__(self):
            self.data = twelve()

        def __buffer__(self, _):
            return memoryview(self.data)[key]

    exporter = Exporter()
    view = md.asview(exporter)
    assert (view.data, view.tolist()) == (exporter, list(range(12))[key])
    with pytest.raises(BufferError):
        exporter.data.append(1)


def test_references_in_an_array_are_counted_by_numpy():
    references = np.array([[1], None, "x"], dtype=object)
    view = md.asview(memoryview(references))
    view[1] = view[0]
    assert references[1] is references[0]


# What is viewed lives, and is locked.


@pytest.mark.parametrize("name", EXPORTERS)
def test_what_gives_memory_is_held_as_long_as_a_view(name):
    for part in ("whole", "left", "padded", "flipped"):
        plain = PARTS[part](GRID.copy())
        wanted, gone, exporter = plain[::2].tolist(), weakref.ref(plain), EXPORTERS[name](plain)
        view = md.asview(exporter)
        rows = view[::2]
        del plain, exporter
        view.release()
        del view
        gc.collect()
        assert rows.tolist() == wanted
        assert gone() is not None or name == "matrix"  # which holds what it was made of
        rows.release()
        gc.collect()
        assert gone() is None


def test_buffers_are_locked_and_arrays_stay_in_their_place():
    for key in (slice(None), slice(None, None, -2)):
        data = twelve()
        view = md.asview(memoryview(data)[key])
        part = view[1:]
        view.release()
        with pytest.raises(BufferError):
            data.append(1)
        del view, part
        gc.collect()
        data.append(1)
    owned = np.arange(6.0)
    view = md.asview(owned)
    with pytest.raises(ValueError, match="resize"):
        owned.resize((100, 100))
    assert view.tolist() == owned.tolist()
    told = md.asview(Told(data=(data := bytearray(GRID.tobytes()))))
    told[0, 0] = 9.0
    assert np.frombuffer(data)[0] == 9.0
    with pytest.raises(BufferError):
        data.append(1)
    assert isinstance(md.asview(Told(data=bytes(data))).accessor, md.ReadOnlyAccessor)


@pytest.mark.parametrize("part", [lambda shared: shared, lambda shared: shared.buf], ids=["itself", "its buffer"])
def test_shared_memory_is_locked_while_it_is_viewed(part):
    shared = SharedMemory(create=True, size=8)
    try:
        exporter, size = part(shared), len(shared.buf)
        whole = md.asview(exporter)
        assert (whole.data, whole.extents, whole.layout, whole.format) == (exporter, (size,), md.LayoutRight(), "B")
        whole[0] = 7
        view = whole[::-1]
        assert (view.layout, view[-1], shared.buf[0]) == (md.LayoutStrideRelaxed((-1,), size - 1), 7, 7)
        whole.release()
        with pytest.raises(BufferError):
            shared.close()
        view.release()
    finally:
        shared.close()
        shared.unlink()
    with pytest.raises(BufferFormatError):
        md.asview(shared)


# Which protocol is asked.

TELLS = {"__array_interface__": GRID.__array_interface__, "__dlpack__": GRID.__dlpack__, "__array__": lambda copy: GRID}


def test_protocols_are_asked_in_order_and_a_buffer_comes_first():
    asked = []

    def told(name):
        return property(lambda _: asked.append(name) or TELLS[name])

    for first, name in enumerate(TELLS):
        known = {each: told(each) for each in list(TELLS)[first:]}
        asked.clear()
        exporter = type("Exporter", (), {**known, "__dlpack_device__": lambda _: (1, 0)})()
        assert md.asview(exporter).extents == (4, 6)
        assert set(asked) == {name}

    both = type("Both", (bytearray,), {"__array_interface__": property(lambda _: asked.append("interface"))})
    assert (md.asview(both(b"ab")).tolist(), set(asked)) == ([97, 98], {name})


def test_texts_are_copied_and_records_have_fields():
    texts = np.array(["a", "bc"], dtype=np.dtypes.StringDType())
    assert md.asview(texts.astype("U8")).tolist() == md.asview(texts.astype(object)).tolist() == ["a", "bc"]
    records = md.asview(Told(shape=(2,), typestr="|V16", descr=[("a", "<f8"), ("b", "<f8")]))
    assert records[1]["b"] == 3.0
    assert md.asview(Told(shape=(2,), typestr="|V16", descr=[("a", "<f8")]))[1].itemsize == 16


WITHOUT_NUMPY = """
import ctypes, sys
sys.modules["numpy"] = None
from array import array
from mdview import asview
from mdview.errors import MissingExtraError

data = bytearray(range(12))
assert asview(data).data is data
assert asview(array("d", [1, 2])).tolist() == [1.0, 2.0]

class Point(ctypes.Structure):
    _fields_ = (("x", ctypes.c_int),)

class Exporter:
    __array_interface__ = {"version": 3}

class Tensor:
    def __dlpack__(self): raise AssertionError

for given in (Point(), Exporter(), Tensor()):
    try:
        asview(given)
    except MissingExtraError as error:
        assert "pip install 'mdview-layouts[numpy]'" in str(error)
    else:
        raise AssertionError(given)
"""


def test_plain_buffers_need_no_numpy():
    output_of(WITHOUT_NUMPY)


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 4), (1, 3, 2), (2, 1, 3, 4)], ids=str)
@pytest.mark.parametrize("kind", ["int16", "float64", "bool_"])
def test_tensors_of_arrow_are_permuted_as_their_format_says(shape, kind):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    count = math.prod(shape)
    rows = np.arange(5 * count).reshape(5, *shape)
    rows = rows % 3 == 0 if kind == "bool_" else rows
    storage = pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel(), getattr(pa, kind)()), count)
    for axes in permutations(range(len(shape))):
        tensor_type = pa.fixed_shape_tensor(getattr(pa, kind)(), shape, permutation=axes)
        tensors = pa.ExtensionArray.from_storage(tensor_type, storage)
        for part in (slice(None), slice(1, 4), slice(2, 2)):
            view = md.asview(tensors[part])
            assert view.tolist() == rows[part].transpose(0, *[1 + r for r in axes]).tolist()
            assert not view.size or isinstance(view.accessor, md.ReadOnlyAccessor)
