"""Memory: whoever reads buffers gets the memory of a strided view, and of no other view is memory handed out."""

import copy
import gc
import hashlib
import io
import mmap
import pickle
import socket
import struct
import subprocess
import sys
import zlib
from array import array
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import MAPPINGS

from mdview import (
    ConjugatedAccessor,
    LayoutLeft,
    LayoutLeftPadded,
    LayoutRight,
    LayoutRightPadded,
    LayoutStrideRelaxed,
    LayoutTiled,
    MDView,
    ReadOnlyAccessor,
    ScaledAccessor,
    asview,
    atomic,
    bitcast,
    broadcast_to,
    checked,
    expand_dims,
    full,
    pad,
    permute_dims,
    readonly,
    scaled,
    unchecked,
)
from mdview.accessors.formats import NATIVE
from mdview.errors import BufferFormatError, ExportError, NotStridedError
from mdview.testing.samples.accessors import CountingAccessor
from mdview.views.base import parts_of
from mdview.views.memory import buffer_of

pytestmark = pytest.mark.usefixtures("quick_collections")

ASKED = sys.version_info >= (3, 12)
"""Whether Python asks classes written in Python for a buffer."""
SIMPLE, WRITABLE, FORMAT, ND, STRIDES, C_ORDER, F_ORDER, ANY_ORDER, FULL_RO = 0, 1, 4, 8, 0x18, 0x38, 0x58, 0x98, 0x11C


def door(view):
    """What a consumer of buffers is given."""
    return view if ASKED else view.memoryview()


def strided(shape=(3, 4)):
    """Views of one memory: each kind of strided view."""
    data = array("d", range(60))
    whole = MDView(data, shape)
    return {
        "whole": whole,
        "fortran": MDView(data, shape, LayoutLeft()),
        "turned": whole.T,
        "flipped": whole[::-1, ::-1],
        "every other": whole[::2, 1::2],
        "column": whole[:, 1],
        "flipped row": whole[1, ::-1],
        "padded": MDView(data, shape, LayoutRightPadded(6)),
        "padded columns": MDView(data, shape, LayoutLeftPadded(5)),
        "relaxed": MDView(data, shape, LayoutStrideRelaxed((-5, 7), 20)),
        "broadcast": broadcast_to(whole, (2, 3, 4)),
        "broadcast row": broadcast_to(whole[1:2, 1], (5,)),
        "shifted": whole[1:],
        "rank 0": whole[1, 2, ...],
        "empty": whole[1:1],
        "empty row": whole[2, :0],
        "empty, of three": MDView(data, (2, 0, 3)),
        "new axes": expand_dims(whole, (0, 2)),
        "checked": checked(whole),
        "unchecked": unchecked(whole.T),
        "read-only": readonly(whole),
        "read-only, turned": readonly(whole.T),
    }


def hidden():
    """Views whose memory would be read under a wrong meaning, or that have none."""
    whole = MDView(array("d", range(60)), (3, 4))
    numbers = MDView(bytearray(96), (6,))
    return {
        "tiles": MDView(array("d", range(60)), (3, 4), LayoutTiled(2, 3)),
        "atomic": atomic(whole),
        "a part of an atomic one": atomic(whole)[1],
        "scaled": scaled(2.0, whole),
        "read-only and scaled": MDView(whole.data, (3, 4), accessor=ReadOnlyAccessor(ScaledAccessor(2.0))),
        "conjugated": MDView(bytes(96), (6,), accessor=ReadOnlyAccessor(ConjugatedAccessor())),
        "filled": pad(whole, 1, "constant"),
        "filled around nothing": pad(numbers, 2, "wrap"),
        "accessor of a user": MDView(array("d", range(12)), (3, 4), accessor=CountingAccessor([])),
        "list": MDView([1, 2, 3], (3,)),
        "objects": asview(np.array([1, None], object)),
        "null": MDView(None, (3,)),
    }


@pytest.mark.parametrize("name", strided())
def test_the_memory_of_a_strided_view_has_its_shape_strides_format_and_values(name):
    view = strided()[name]
    found = view.memoryview()
    assert (found.shape, found.format, found.itemsize) == (view.shape, "d", 8)
    assert found.readonly == isinstance(view.accessor, ReadOnlyAccessor)
    assert found.tolist() == view.tolist()
    if view.size:
        assert [s for s, n in zip(found.strides, view.shape, strict=True) if n > 1] == [
            s for s, n in zip(view.byte_strides, view.shape, strict=True) if n > 1
        ]
    if view.size and not found.readonly:
        first = (0,) * view.rank
        found[first if view.rank != 1 else 0] = -1.5
        assert view[first] == -1.5


@pytest.mark.parametrize("name", hidden())
def test_memory_of_another_meaning_is_never_handed_out(name):
    view = hidden()[name]
    asks = [view.memoryview, lambda: buffer_of(parts_of(view), SIMPLE), view.__dlpack__]
    if ASKED:
        asks += [lambda: memoryview(view), lambda: hashlib.sha256(view), lambda: io.BytesIO().write(view)]
    for ask in asks:
        with pytest.raises(BufferError, match=r"np\.asarray\(view\)|null view") as told:
            ask()
        assert isinstance(told.value, ExportError)
        assert isinstance(told.value, ValueError)


def written(given):
    held = io.BytesIO()
    buffered = io.BufferedWriter(held)
    buffered.write(given)
    buffered.flush()
    return held.getvalue()


def sent(given):
    one, other = socket.socketpair()
    with one, other:
        return other.recv(one.send(given) + 1)


CONSUMERS = {
    "bytes": bytes,
    "sha256": lambda given: hashlib.sha256(given).digest(),
    "crc32": zlib.crc32,
    "file": written,
    "socket": sent,
    "BytesIO": lambda given: io.BytesIO(given).getvalue(),
    "struct": lambda given: struct.unpack_from("<h", given, 1),
    "join": lambda given: b"".join([given, given]),
    "frombuffer": lambda given: np.frombuffer(given, "u1").tolist(),
    "compress": zlib.compress,
    "bytearray": bytearray,
}


@pytest.mark.parametrize("consumer", CONSUMERS)
@pytest.mark.parametrize("item_format", ["B", "h", "d", ">d", "Zf", "e", "?", "q", "n"])
def test_consumers_of_buffers_take_views_in_c_order(consumer, item_format):
    data = bytearray(b"\x00\x01" * 48)
    view = bitcast(MDView(data, (96,)), item_format)
    for part in (view, view[1:], readonly(view[:4])):
        assert CONSUMERS[consumer](door(part)) == CONSUMERS[consumer](part.tobytes())
    plane = MDView(view.memoryview() if item_format in NATIVE else view.data, (2, 3))
    assert CONSUMERS[consumer](door(plane)) == CONSUMERS[consumer](plane.tobytes())


@pytest.mark.parametrize("consumer", ["file", "sha256", "BytesIO"])
def test_a_consumer_of_one_run_is_told_of_strides(consumer):
    view = MDView(array("d", range(12)), (3, 4))
    for part in (view.T, view[::-1], view[:, ::2], broadcast_to(view[0], (2, 4))):
        with pytest.raises(BufferError):
            CONSUMERS[consumer](door(part))
        assert CONSUMERS[consumer](part.tobytes())


@pytest.mark.parametrize("name", strided())
@pytest.mark.parametrize("flags", [SIMPLE, ND, STRIDES, C_ORDER, F_ORDER, ANY_ORDER, FULL_RO])
@pytest.mark.parametrize("writable", [0, WRITABLE])
def test_a_request_gets_what_it_understands_or_is_refused_with_a_way(name, flags, writable):
    view = strided()[name]
    memory = view.memoryview()
    fits = {
        SIMPLE: memory.c_contiguous,
        ND: memory.c_contiguous,
        C_ORDER: memory.c_contiguous,
        F_ORDER: memory.f_contiguous,
        ANY_ORDER: memory.contiguous,
    }.get(flags, True)
    if fits and not (writable and memory.readonly):
        found = buffer_of(parts_of(view), flags | writable)
        assert (found.shape, found.strides, found.readonly) == (memory.shape, memory.strides, memory.readonly)
        return
    with pytest.raises(ExportError, match=r"make a view that stores|view\.tobytes\(\) has their bytes"):
        buffer_of(parts_of(view), flags | writable)


@pytest.mark.skipif(not ASKED, reason="Python asks no class written in Python for a buffer")
def test_a_reader_that_stores_gets_no_read_only_memory():
    data = bytearray(4)
    io.BytesIO(b"abcd").readinto(MDView(data, (2, 2)))
    assert data == b"abcd"
    with pytest.raises((BufferError, TypeError)):
        io.BytesIO(b"efgh").readinto(readonly(MDView(data, (2, 2))))
    assert data == b"abcd"


@pytest.mark.skipif(ASKED, reason="newer Pythons ask a view")
def test_python_itself_refuses_where_it_asks_no_view():
    with pytest.raises(TypeError, match="bytes-like object"):
        memoryview(MDView(bytearray(4), (4,)))


def test_objects_are_told_the_way_that_they_have():
    for view in (MDView([1, 2], (2,)), asview(np.array([None, 1]))):
        with pytest.raises(ExportError, match=r"are Python objects and no bytes; np\.asarray\(view\) is an array"):
            view.memoryview()


def test_more_dimensions_than_buffers_have_are_refused():
    view = MDView(bytearray(1), (1,) * 65)
    for export in (view.memoryview, view.__dlpack__):
        with pytest.raises(ExportError, match="at most 64 dimensions, this view has 65; reshape the view"):
            export()


def doors():
    """Each way out of a view, which keeps the data locked."""
    found = {
        "memoryview()": lambda view: view.memoryview(),
        "asarray": np.asarray,
        "dlpack": np.from_dlpack,
        "capsule": lambda view: view.__dlpack__(),
        "interface": lambda view: view.__array_interface__,
    }
    if ASKED:
        found |= {"memoryview": memoryview, "BytesIO": lambda view: np.frombuffer(view, "u1")}
    return found


@pytest.mark.parametrize("name", doors())
@pytest.mark.parametrize("part", [lambda v: v, lambda v: v.T, lambda v: v[1], lambda v: v[1, ::-2]])
def test_the_data_stays_alive_and_locked_while_anything_that_was_exported_lives(name, part):
    if name == "BytesIO" and not part(MDView(bytearray(12), (3, 4))).flags.c_contiguous:
        return
    data = bytearray(range(12))
    view = MDView(data, (3, 4))
    exported = doors()[name](part(view))
    view.release()
    with pytest.raises(BufferError):
        data.extend(b"x")
    del exported
    gc.collect()
    data.extend(b"x")
    with mmap.mmap(-1, 12) as mapped:
        view = MDView(mapped, (3, 4))
        exported = doors()[name](part(view))
        view.release()
        with pytest.raises(BufferError):
            mapped.close()
        del exported
        gc.collect()


@pytest.mark.parametrize("name", doors())
def test_a_released_view_exports_nothing_and_what_it_exported_is_read_on(name):
    data = bytearray(range(12))
    view = MDView(data, (3, 4))
    exported = view.T.memoryview()
    view.release()
    with pytest.raises((ValueError, AttributeError)):
        doors()[name](view)
    del data
    gc.collect()
    assert exported[1, 2] == 9


LETTERS = "".join(sorted(NATIVE))


@st.composite
def strided_views(draw):
    """Strided views of any rank up to 3 and any native format, in a memory of zeros and ones."""
    letter = draw(st.sampled_from(LETTERS))
    shape = draw(st.lists(st.integers(0, 4), max_size=3))
    kinds = [LayoutRight(), LayoutLeft()]
    if len(shape) > 1:
        kinds += [LayoutRightPadded(5), LayoutLeftPadded(5)]
    raw = bytes(draw(st.lists(st.integers(0, 1), min_size=64, max_size=64))) * 32
    data = memoryview(bytearray(raw)).cast("B").cast(letter)
    view = MDView(data, tuple(shape), draw(st.sampled_from(kinds)))
    if draw(st.booleans()):
        view = permute_dims(view, draw(st.permutations(range(view.rank))))
    steps = [draw(st.sampled_from([1, 2, -1, -3])) for _ in shape]
    view = view[tuple([slice(None, None, step) for step in steps])] if steps else view
    if draw(st.booleans()):
        view = broadcast_to(view, (2, *view.shape))
    return readonly(view) if draw(st.booleans()) else view


def moving(strides, shape):
    """The strides that mean something."""
    return [s for s, n in zip(strides, shape, strict=True) if n > 1] if 0 not in shape else []


@given(strided_views())
def test_each_way_out_shows_the_same_memory(view):
    is_readonly = isinstance(view.accessor, ReadOnlyAccessor)
    found = {"array": np.asarray(view), "__array__": view.__array__(), "memory": np.asarray(view.memoryview())}
    if view.format != "c":
        found["dlpack"] = np.from_dlpack(view) if not is_readonly or np.__version__ >= "2.1" else found["array"]
    if ASKED:
        found["buffer"] = np.asarray(memoryview(view))
    expected = view.tolist()
    for array_ in found.values():
        assert array_.dtype == view.dtype
        assert array_.shape == view.shape
        assert moving(array_.strides, view.shape) == moving(view.byte_strides, view.shape)
        assert np.array_equal(array_, np.array(expected, view.dtype).reshape(view.shape), equal_nan=view.format in "fd")
        assert array_.flags.writeable is not is_readonly
    if view.size == 0 or is_readonly:
        return
    value = {"c": b"\x01", "?": True}.get(view.format, 1)
    for index, array_ in product([(0,) * view.rank, tuple([n - 1 for n in view.shape])], found.values()):
        view[index] = {"c": b"\x00", "?": False}.get(view.format, 0)
        array_[index] = value
        assert view[index] == value
        assert all(other[index] == view[index] for other in found.values() if other.dtype.char != "S")


@pytest.mark.parametrize(
    "dtype",
    [
        *("e", ">f8", "c8", ">c16", "?", "M8[s]", "m8[D]", "S3", "U2", "V4", "O", ">i2", "g"),
        *([("a", "i4"), ("b", "f8")], [("a", "i4", (2,)), ("s", "S3")], [("a", "i1"), ("b", "V3")]),
        *(np.dtype([("a", "i1"), ("b", "f8")], align=True), np.dtype((np.record, [("x", "i4")]))),
        np.dtype("i4", metadata={"of": "metres"}),
    ],
    ids=str,
)
@pytest.mark.parametrize("part", [lambda v: v, lambda v: v.T, lambda v: v[::-1], lambda v: v[1, 1, ...], readonly])
def test_numpy_gets_the_same_array_whether_it_asks_for_a_buffer_or_not(dtype, part):
    source = np.zeros((2, 3), dtype)
    view = part(asview(source))
    asked, given_ = np.asarray(view), view.__array__()
    for one, other in [(asked, given_), (np.asarray(view, copy=False), given_)]:
        assert (one.dtype, one.dtype.type, one.dtype.metadata) == (other.dtype, other.dtype.type, other.dtype.metadata)
        assert (one.shape, one.strides, one.flags.writeable) == (other.shape, other.strides, other.flags.writeable)
        assert np.shares_memory(one, source)
    assert type(asked) is np.ndarray


def test_records_have_memory_and_dates_none():
    records = np.array([(1, 2.0), (3, 4.0)], dtype=[("a", "i4"), ("b", "f8")])
    view = asview(records)
    assert view.memoryview().tobytes() == records.tobytes()
    assert zlib.crc32(door(view)) == zlib.crc32(records.tobytes())
    with pytest.raises(ExportError, match=r"no buffer says items of type datetime64\[s\]; view\.tobytes\(\)"):
        asview(np.zeros(3, "M8[s]")).memoryview()


def test_a_buffer_of_records_that_numpy_reads_otherwise_is_refused_with_a_way():
    view = asview(np.zeros(3, np.dtype((np.record, [("x", "i4")]))))
    with pytest.raises(ExportError, match=r"does not say items of type .*; np\.asarray\(view\) has that type"):
        buffer_of(parts_of(view), FULL_RO)
    assert buffer_of(parts_of(view), SIMPLE).nbytes == view.memoryview().nbytes == 12


def test_byte_strides_are_numpys():
    view = MDView(array("h", range(24)), (2, 3, 4))
    assert view.byte_strides == (24, 8, 2) == np.asarray(view).strides
    assert view[::-1, :, ::2].byte_strides == (-24, 8, 4)
    assert MDView([1, 2], (2,)).byte_strides == (MDView([1], (1,)).itemsize,)
    assert MDView(array("h", [1]), ()).byte_strides == ()
    assert MDView(None, (2,)).byte_strides == (0,)
    with pytest.raises(NotStridedError):
        _ = MDView(array("h", range(60)), (4, 4), LayoutTiled(3, 3)).byte_strides


def test_a_view_is_no_data_of_another_view():
    whole = MDView(array("d", range(12)), (3, 4))
    for view in (whole, whole.T, atomic(whole), MDView(None, (3,))):
        with pytest.raises(BufferFormatError, match=r"is no memory; look at its data: MDView\(view\.data"):
            MDView(view, (2,))
    assert full((2,), whole[0, 0, ...]).format == "O"


def test_a_class_that_has_extents_may_be_data():
    class Extended(bytearray):
        extents = (2, 2)

    assert MDView(Extended(b"abcd"), (2, 2)).tolist() == [[97, 98], [99, 100]]


def unpickled(view):
    return pickle.loads(pickle.dumps(view))  # noqa: S301 - made here


def exported_memories(view):
    return [view.memoryview(), memoryview(view)] if ASKED else [view.memoryview()]


@pytest.mark.parametrize("again", [lambda v: v, copy.deepcopy, unpickled])
def test_a_view_of_the_memory_of_a_view_is_one_as_any(again):
    whole = MDView(array("d", range(12)), (3, 4))
    for memory in exported_memories(whole):
        assert again(MDView(memory, (2, 6)))[1, 5] == 11
    for memory in exported_memories(whole.T):
        assert again(MDView(memory, (4, 3), LayoutLeft()))[1, 2] == 9
    for memory in exported_memories(whole[:, ::2]):
        with pytest.raises(BufferFormatError, match="it is not one run of memory"):
            MDView(memory, (2,))


PROGRAM = """
import sys
sys.modules["numpy"] = None
from array import array
from mdview import LayoutLeft, MDView
view = MDView(array("d", range(12)), (3, 4))
assert view.memoryview().tolist() == view.tolist()
assert view[1].memoryview().tolist() == view[1].tolist()
assert view[:, 1].memoryview().strides == (32,)
assert view[::-1, 1].memoryview().tolist() == [9, 5, 1]
assert view[2, ::-2].memoryview().tolist() == [11, 9]
assert view[0, :0].memoryview().shape == (0,)
assert view[0, 0, ...].memoryview().tolist() == 0
try:
    view.T.memoryview()
except BufferError as error:
    print(error)
"""


def test_without_numpy_rows_and_what_is_in_c_order_have_memory():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=60)
    assert "pip install 'mdview-layouts[numpy]'" in done.stdout


CYCLES = """
import gc
import numpy as np
from mdview import MDView
class Data(bytearray): pass
for make in (lambda v: v.memoryview(), lambda v: v.T.memoryview(), np.asarray, lambda v: memoryview(v), np.from_dlpack):
    for _ in range(50):
        data = Data(12)
        try:
            data.held = make(MDView(data, (3, 4)))
        except TypeError:
            pass
        data.me = data
        del data
        gc.collect()
"""


def test_data_that_holds_its_own_export_is_collected():
    subprocess.run([sys.executable, "-X", "faulthandler", "-c", CYCLES], check=True, timeout=100)


@pytest.mark.parametrize("name", sorted(MAPPINGS))
def test_each_mapping_has_memory_exactly_where_it_is_strided(name):
    mapping = MAPPINGS[name]
    view = MDView.from_mapping(array("d", range(mapping.required_span_size + 2)), mapping, origin=2)
    if mapping.found_strides() is None:
        with pytest.raises(ExportError, match="is not strided"):
            view.memoryview()
        return
    assert view.memoryview().tolist() == view.tolist()
