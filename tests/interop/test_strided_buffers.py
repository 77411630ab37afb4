"""Buffers: a view of what a memoryview sees, of any strides, with the standard library alone."""

import ctypes
import gc
import mmap
import subprocess
import sys
import weakref
from array import array

import pytest

from mdview import LayoutLeft, LayoutRight, LayoutStride, LayoutStrideRelaxed, MDView, ReadOnlyAccessor, asview, bitcast
from mdview.errors import BufferFormatError, ReadOnlyError, StrideError

pytestmark = pytest.mark.usefixtures("quick_collections")


class Point(ctypes.Structure):
    _fields_ = (("x", ctypes.c_int), ("y", ctypes.c_double))


class Packed(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("x", ctypes.c_byte), ("y", ctypes.c_double))


class Either(ctypes.Union):
    _fields_ = (("x", ctypes.c_int), ("y", ctypes.c_double))


def twelve():
    return bytearray(range(12))


def mapped():
    made = mmap.mmap(-1, 12)
    made[:] = twelve()
    return made


SHORTS = memoryview(twelve()).cast("H")
EXPORTERS = {
    "bytes": (bytes(twelve()), LayoutRight()),
    "bytearray": (twelve(), LayoutRight()),
    "array": (array("d", [1, 2]), LayoutRight()),
    "map": (mapped(), LayoutRight()),
    "memoryview": (memoryview(twelve())[3:7], LayoutRight()),
    "stepped": (memoryview(twelve())[1::2], LayoutStride((2,))),
    "flipped": (memoryview(twelve())[::-1], LayoutStrideRelaxed((-1,), 11)),
    "flipped part": (memoryview(twelve())[9:2:-3], LayoutStrideRelaxed((-3,), 6)),
    "flipped twice": (memoryview(twelve())[::-2][::-2], LayoutStride((4,))),
    "read-only flipped": (memoryview(twelve()).toreadonly()[::-5], LayoutStrideRelaxed((-5,), 10)),
    "wide": (SHORTS[::-2], LayoutStrideRelaxed((-2,), 4)),
    "empty": (memoryview(twelve())[5:5:-1], LayoutRight()),
    "no bytes": (b"", LayoutRight()),
    "one": (memoryview(twelve())[3:2:-1], LayoutRight()),
    "two dimensions": (memoryview(twelve()).cast("H", (2, 3)), LayoutRight()),
    "rank 0": (memoryview(bytearray(8)).cast("d", ()), LayoutRight()),
    "ctypes": ((ctypes.c_int * 3 * 2)((1, 2, 3), (4, 5, 6)), LayoutRight()),
    "ctypes of rank 0": (ctypes.c_double(2.5), LayoutRight()),
    "ctypes, other order": ((ctypes.c_int.__ctype_be__ * 2)(1, 2), LayoutRight()),
}


def listed(given):
    """Its elements by its own rules."""
    if isinstance(given, ctypes.Array):
        return [listed(part) for part in given]
    seen = getattr(given, "value", given) if not isinstance(given, mmap.mmap) else given[:]
    return seen if isinstance(seen, int | float) else memoryview(seen).tolist()


@pytest.mark.parametrize("name", EXPORTERS)
def test_a_view_shares_what_a_buffer_has(name):
    given, layout = EXPORTERS[name]
    view = asview(given)
    exported = memoryview(given)
    assert (view.shape, view.layout, view.data is given) == (exported.shape, layout, True)
    assert view.tolist() == listed(given)
    assert isinstance(view.accessor, ReadOnlyAccessor) is exported.readonly
    if view.size and not exported.readonly:
        index = (0,) * view.rank
        view[index] = 7
        assert asview(given)[index] == 7
    elif view.size:
        with pytest.raises(ReadOnlyError):
            view[0] = 7


def test_the_strides_of_a_buffer_with_several_dimensions_count():
    np = pytest.importorskip("numpy")
    grid = np.arange(24.0).reshape(4, 6)
    for part, layout in [
        (grid.T, LayoutLeft()),
        (grid[::2, ::-3], LayoutStrideRelaxed((12, -3), 3)),
        (np.broadcast_to(grid[0], (3, 6)), LayoutStrideRelaxed((0, 1))),
        (grid[:, 2], LayoutStride((6,))),
    ]:
        exported = memoryview(part)
        view = asview(exported)
        assert (view.layout, view.data) == (layout, exported)
        assert view.tolist() == part.tolist()
    turned = memoryview(grid[:, 2])[::-2]
    view = asview(turned)
    view[0] = -1.0
    assert grid[3, 2] == -1.0


def test_the_exporter_lives_and_is_locked_as_long_as_a_view():
    for key in (slice(None), slice(None, None, -2)):
        data = twelve()
        view = asview(memoryview(data)[key])
        gc.collect()
        with pytest.raises(BufferError):
            data.append(1)
        part = view[1:]
        view.release()
        with pytest.raises(BufferError):
            data.append(1)
        del view, part
        gc.collect()
        data.append(1)

    class Counted(bytearray):
        pass

    owner = Counted(twelve())
    gone = weakref.ref(owner)
    view = asview(memoryview(owner)[::-1])
    del owner
    gc.collect()
    assert view.tolist() == list(range(12))[::-1]
    assert gone() is not None
    view.release()
    del view
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("kind", [ctypes.c_long, ctypes.c_longlong, ctypes.c_short, ctypes.c_uint, ctypes.c_float])
def test_the_size_of_an_item_counts_and_not_its_letter(kind):
    for order in (kind, kind.__ctype_be__, kind.__ctype_le__):
        given = (order * 3)(1, 2, 3)
        assert asview(given).tolist() == MDView(given, (3,)).tolist() == [1, 2, 3]


def test_records_are_read_by_numpy():
    np = pytest.importorskip("numpy")
    points = (Point * 2)((1, 2.5), (3, 4.5))
    view = asview(points)
    assert [tuple(record) for record in view] == [(1, 2.5), (3, 4.5)]
    view[0] = (5, 6.5)
    assert (points[0].x, points[0].y) == (5, 6.5)
    assert asview(np.asarray(view)["y"]).tolist() == [6.5, 4.5]


@pytest.mark.parametrize("kind", [Packed, Either])
def test_records_whose_format_tells_of_bytes_alone_are_no_bytes(kind):
    pytest.importorskip("numpy")
    given = (kind * 2)()
    given[1].y = 0.5
    view = asview(given)
    assert view.itemsize == ctypes.sizeof(kind)
    assert view[1]["y"] == 0.5
    with pytest.raises(BufferFormatError, match=r"items of format '.*' \(\d bytes\) cannot be read"):
        MDView(given, (2,))


def test_fields_whose_strides_do_not_divide_are_refused():
    np = pytest.importorskip("numpy")
    packed = memoryview(np.zeros(4, [("a", "i1"), ("b", "i4")])["b"])
    with pytest.raises(StrideError, match="byte stride 5 of dimension 0 is no multiple of the item size 4"):
        asview(packed)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((ctypes.c_wchar * 2)(), "the buffer of c_wchar_Array_2 has items of format '<u', which nothing here reads"),
        ((ctypes.c_void_p * 2)(), "has items of format '<P', which nothing here reads"),
    ],
)
def test_items_that_nobody_reads_are_refused(given, message):
    pytest.importorskip("numpy")
    with pytest.raises(BufferFormatError, match=message):
        asview(given)


@pytest.mark.parametrize(
    "turn", [lambda v: v, lambda v: v[::-1], lambda v: v[..., ::2], lambda v: v[:0], lambda v: v[0]]
)
def test_single_bytes_stay_themselves_by_way_of_any_memoryview(turn):
    pytest.importorskip("numpy")
    data = bytearray(b"a\0b\0cd")
    view = turn(bitcast(MDView(data, (2, 3)), "c"))
    for _ in range(2):
        again = asview(view.memoryview())
        assert (again.tolist(), again.format, again.shape) == (view.tolist(), "c", view.shape)
        assert again.memoryview().tobytes() == view.tobytes()
    if view.size:
        again[(0,) * view.rank] = b"\xff"
        assert b"\xff" in data


def test_references_that_numpy_does_not_count_are_refused():
    pytest.importorskip("numpy")
    for given in ((ctypes.py_object * 2)(1, "x"), (ctypes.py_object * 2 * 2)(), ctypes.py_object("x")):
        for source in (given, memoryview(given)):
            with pytest.raises(BufferFormatError, match="has references to objects; only numbers"):
                asview(source)


def test_references_in_a_buffer_of_numpy_are_counted_by_it():
    np = pytest.importorskip("numpy")
    array = np.array([[1], None, "x"], dtype=object)
    view = asview(memoryview(array))
    view[1] = view[0]
    assert array[1] is array[0]


def test_a_released_memoryview_is_refused():
    given = memoryview(twelve())
    given.release()
    with pytest.raises(BufferFormatError, match="gives none: operation forbidden on released memoryview object"):
        asview(given)


def test_rows_behind_pointers_are_refused():
    made = pytest.importorskip("_testbuffer")
    given = made.ndarray([1, 2, 3, 4], shape=[2, 2], format="B", flags=made.ND_PIL)
    with pytest.raises(BufferFormatError, match="has suboffsets; its rows are found through pointers"):
        asview(given)


WITHOUT_NUMPY = """
import ctypes, sys
sys.modules["numpy"] = None
from array import array
from mdview import asview
from mdview.errors import MissingExtraError

data = bytearray(range(12))
assert asview(data).data is data
assert asview(memoryview(data)[::-5]).tolist() == [11, 6, 1]
assert asview(memoryview(data).cast("H", (2, 3))).extents == (2, 3)
assert asview(array("d", [1, 2])).tolist() == [1.0, 2.0]
assert asview((ctypes.c_int * 3 * 2)()).extents == (2, 3)

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

class OnDevice:
    __cuda_array_interface__ = {"shape": (2, 3), "typestr": "<f4", "data": (4096, True), "version": 3}

assert asview(OnDevice())[1:, ::-1].extents == (1, 3)
"""


def test_plain_buffers_need_no_numpy():
    subprocess.run([sys.executable, "-c", WITHOUT_NUMPY], check=True, timeout=60)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="buffers of classes in Python came with 3.12")
@pytest.mark.parametrize("key", [slice(None), slice(None, None, 2), slice(None, None, -3), slice(3, 3)])
def test_a_class_that_exports_a_buffer_is_one(key):
    pytest.importorskip("numpy")

    class Exporter:
        def __init__(self):
            self.data = twelve()

        def __buffer__(self, _):
            return memoryview(self.data)[key]

    given = Exporter()
    view = asview(given)
    assert view.data is given
    assert view.tolist() == list(range(12))[key]
    with pytest.raises(BufferError):
        given.data.append(1)
