"""Export: NumPy and readers of buffers get the memory itself where strides can say it, else a copy or an error."""

import hashlib
import io
import sys
import warnings
from array import array
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import output_of
from samples.accessors import CountingAccessor
from samples.data import FORMATS
from samples.mappings import MAPPINGS
from samples.views import Kind, sample

import mdview as md
from mdview import errors

ASKED = sys.version_info >= (3, 12)
"""Whether Python asks classes written in Python for a buffer."""
WIDE = array("d", range(60))


def whole():
    return md.MDView(WIDE, (3, 4))


HIDDEN = {
    "tiles": lambda: md.MDView(WIDE, (3, 4), md.LayoutTiled(2, 3)),
    "atomic": lambda: md.atomic(whole()),
    "scaled": lambda: md.operations.scaled(2.0, whole()),
    "conjugated": lambda: md.MDView(bytes(96), (6,), accessor=md.ReadOnlyAccessor(md.accessors.ConjugatedAccessor())),
    "filled": lambda: md.pad(whole(), 1),
    "accessor of a user": lambda: md.MDView(WIDE, (3, 4), accessor=CountingAccessor([])),
    "list": lambda: md.MDView([1, 2, 3], (3,)),
    "objects": lambda: md.asview(np.array([1, None], object)),
    "null": lambda: md.MDView(None, (3,)),
}
"""Views whose memory would be read under a wrong meaning, or that have none."""


@pytest.mark.parametrize("name", HIDDEN)
def test_memory_of_another_meaning_is_never_handed_out(name):
    view = HIDDEN[name]()
    asks = [view.memoryview, view.__dlpack__]
    if name not in {"null", "objects"}:
        asks += [lambda: view.__array__(copy=False), lambda: np.asarray(view, copy=False)]
        copied = np.asarray(view)
        assert copied.tolist() == view.tolist()
        assert not np.shares_memory(copied, np.asarray(view.data))
        assert view.__array__("c16", copy=True).dtype == complex
    if ASKED:
        asks += [lambda: memoryview(view), lambda: hashlib.sha256(view), lambda: io.BytesIO().write(view)]
    for ask in asks:
        with pytest.raises((BufferError, ValueError)) as told:
            ask()
        assert isinstance(told.value, errors.ExportError)
    assert name == "objects" or not hasattr(view, "__array_interface__")


@st.composite
def strided_views(draw):
    """Strided views of any rank up to 3 and any native format, in a memory of zeros and ones."""
    letter = draw(st.sampled_from("?BHILNQbcdefhilnq" if ASKED else "?BHILQbcdfhilq"))
    shape = draw(st.lists(st.integers(0, 4), max_size=3))
    kinds = [md.LayoutRight(), md.LayoutLeft()]
    if len(shape) > 1:
        kinds += [md.LayoutRightPadded(5), md.LayoutLeftPadded(5)]
    raw = bytes(draw(st.lists(st.integers(0, 1), min_size=64, max_size=64))) * 32
    data = memoryview(bytearray(raw)).cast("B").cast(letter)
    view = md.MDView(data, tuple(shape), draw(st.sampled_from(kinds)))
    if draw(st.booleans()):
        view = md.permute_dims(view, draw(st.permutations(range(view.rank))))
    steps = [draw(st.sampled_from([1, 2, -1, -3])) for _ in shape]
    view = view[tuple([slice(None, None, step) for step in steps])] if steps else view
    if draw(st.booleans()):
        view = md.broadcast_to(view, (2, *view.shape))
    return md.readonly(view) if draw(st.booleans()) else view


def moving(strides, shape):
    """The strides that mean something."""
    return [s for s, n in zip(strides, shape, strict=True) if n > 1] if 0 not in shape else []


@given(strided_views())
def test_each_way_out_shows_the_same_memory(view):
    stores = view.flags.writeable
    found = {"array": np.asarray(view), "__array__": view.__array__(), "memory": np.asarray(view.memoryview())}
    told = view.__array_interface__
    found["interface"] = np.asarray(type("Told", (), {"__array_interface__": told})())
    assert (told["strides"] is None) == found["array"].flags.c_contiguous
    if view.format != "c" and min(moving(view.byte_strides, view.shape), default=0) >= 0:
        found["dlpack"] = np.from_dlpack(view) if stores or np.__version__ >= "2.1" else found["array"]
    if ASKED:
        found["buffer"] = np.asarray(memoryview(view))
    expected = np.array(view.tolist(), view.dtype).reshape(view.shape)
    assert (view.memoryview().readonly, view.memoryview().itemsize) == (not stores, view.itemsize)
    assert view.tobytes() == bytes(view) == expected.tobytes()
    assert (view.nbytes, view.T.shape) == (expected.nbytes, expected.T.shape)
    for array_ in found.values():
        assert (array_.dtype, array_.shape, array_.flags.writeable) == (view.dtype, view.shape, stores)
        assert moving(array_.strides, view.shape) == moving(view.byte_strides, view.shape)
        assert np.array_equal(array_, expected, equal_nan=view.format in "fd")
    if view.size == 0 or not stores:
        return
    one, zero = {"c": (b"\1", b"\0"), "?": (True, False)}.get(view.format, (1, 0))
    for index, array_ in product([(0,) * view.rank, tuple([n - 1 for n in view.shape])], found.values()):
        view[index], array_[index] = zero, one
        assert view[index] == one
        assert all(other[index] == view[index] for other in found.values() if other.dtype.char != "S")


PARTS = {
    "whole": lambda v: v,
    "rows": lambda v: v[1:],
    "one row": lambda v: v[1],
    "element": lambda v: v[1, 2, ...],
    "columns": lambda v: v[:, 1:],
    "every other row": lambda v: v[::2],
    "flipped": lambda v: v[::-1],
    "turned": lambda v: v.T,
    "flipped row": lambda v: v[1, ::-1],
    "empty": lambda v: v[:0],
    "new dimensions": lambda v: md.expand_dims(v, (0, 2, 4)),
    "broadcast": lambda v: md.broadcast_to(v, (2, 3, 4)),
    "reshaped": lambda v: md.reshape(v, (2, 6)),
    "read-only": md.readonly,
    "read-only, turned": lambda v: md.readonly(v.T),
}


@pytest.mark.parametrize("name", MAPPINGS)
def test_every_mapping_is_shared_where_it_is_strided_and_copied_else(name):
    mapping = MAPPINGS[name]()
    view = md.MDView.from_mapping(array("d", range(mapping.required_span_size + 2)), mapping, origin=2)
    exported, is_shared = np.asarray(view), mapping.found_strides() is not None
    for found in (exported, view.__array__(), np.array(view, copy=True), np.asarray(view, dtype="f4")):
        assert (found.shape, found.tolist()) == (view.shape, view.tolist())
    assert np.shares_memory(exported, np.asarray(view.data)) == (is_shared and view.size > 0)
    assert not np.shares_memory(np.array(view, copy=True), np.asarray(view.data))
    assert (view.nbytes, view.tobytes(), bytes(view)) == (exported.nbytes, exported.tobytes(), exported.tobytes())
    turned = view.T
    assert np.array_equal(np.asarray(turned), exported.T)
    assert tuple(map(type, turned.extents)) == tuple(map(type, view.extents[::-1]))
    assert (turned.data is view.data, turned.T.tolist()) == (True, view.tolist())
    if is_shared:
        assert view.memoryview().tolist() == np.asarray(view, copy=False).tolist() == view.tolist()
        if view.size:
            exported[(0,) * view.rank] = -1.0
            assert view[(0,) * view.rank] == -1.0
    else:
        for refused in (view.memoryview, lambda: np.asarray(view, copy=False), lambda: view.__array__(copy=np.False_)):
            with pytest.raises(errors.ExportError):
                refused()


@pytest.mark.parametrize("copy", [None, False, True])
@pytest.mark.parametrize("dtype", [None, "f8", "f4", np.float64, np.dtype(">f8")])
def test_an_array_is_shared_or_copied_by_numpys_rules(dtype, copy):
    for view in (whole(), whole().T, md.readonly(whole()), whole()[1, ::-1], whole()[:0]):
        is_same = dtype is None or np.dtype(dtype) == np.float64
        if copy is False and not is_same:
            with pytest.raises(ValueError, match="float64"):
                view.__array__(dtype, copy)
            continue
        found, asked = view.__array__(dtype, copy), np.array(view, dtype=dtype, copy=copy)
        is_shared = is_same and copy is not True
        assert (found.dtype, found.tolist()) == (np.dtype(dtype or "f8"), view.tolist())
        assert np.shares_memory(found, np.asarray(view)) == (is_shared and view.size > 0)
        assert found.flags.writeable == (not is_shared or view.flags.writeable)
        assert (asked.dtype, asked.tolist(), asked.flags.writeable) == (
            *(found.dtype, found.tolist()),
            found.flags.writeable,
        )


@pytest.mark.skipif(not ASKED, reason="Python asks no class written in Python for a buffer")
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("writable", [0, 1])
@pytest.mark.parametrize(
    ("flags", "order"),
    [(0, "c_"), (8, "c_"), (0x18, ""), (0x38, "c_"), (0x58, "f_"), (0x98, "any"), (0x11C, "")],
)
def test_a_request_gets_what_it_understands_or_is_refused(part, writable, flags, order):
    view = PARTS[part](whole())
    memory = view.memoryview()
    fits = {"": True, "any": memory.contiguous}.get(order, getattr(memory, f"{order}contiguous", None))
    if fits and not (writable and memory.readonly):
        found = view.__buffer__(flags | writable)
        assert (found.shape, found.strides, found.readonly) == (memory.shape, memory.strides, memory.readonly)
        memoryview._from_flags(view, flags | writable)
    else:
        with pytest.raises(BufferError):
            memoryview._from_flags(view, flags | writable)


@pytest.mark.skipif(not ASKED, reason="Python asks no class written in Python for a buffer")
def test_a_file_is_read_into_a_view_that_stores():
    data = bytearray(4)
    io.BytesIO(b"abcd").readinto(md.MDView(data, (2, 2)))
    with pytest.raises((BufferError, TypeError)):
        io.BytesIO(b"efgh").readinto(md.readonly(md.MDView(data, (2, 2))))
    assert data == b"abcd"


TYPES = [
    *("e", ">f8", "c8", ">c16", "?", "M8[s]", "m8[D]", "S3", "U2", "V4", "O", ">i2", "g"),
    *([("a", "i4"), ("b", "f8")], [("a", "i4", (2,)), ("s", "S3")], [("a", "i1"), ("b", "V3"), ("c", "O")]),
    *(np.dtype([("a", "i1"), ("b", "f8")], align=True), np.dtype((np.record, [("x", "i4")]))),
    np.dtype("i4", metadata={"of": "metres"}),
]


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_numpy_gets_the_array_that_the_view_was_made_of(dtype):
    source = np.zeros((2, 3), dtype)
    for part in (lambda v: v, lambda v: v.T, lambda v: v[::-1], lambda v: v[1, 1, ...], md.readonly):
        view = part(md.asview(source))
        given_ = view.__array__()
        assert (view.dtype, view.nbytes, type(np.asarray(view))) == (given_.dtype, given_.nbytes, np.ndarray)
        for one in (np.asarray(view), np.asarray(view, copy=False)):
            assert kind_of(one) == kind_of(given_)
            assert (one.shape, one.strides) == (given_.shape, given_.strides)
            assert one.flags.writeable == given_.flags.writeable == view.flags.writeable
            assert np.shares_memory(one, source)
        if source.dtype.hasobject:
            continue
        assert np.array_equal(np.frombuffer(view.tobytes(), dtype), given_.ravel())
        if source.dtype.kind in "mM":
            with pytest.raises(errors.ExportError, match=str(source.dtype)[:8]):
                view.memoryview()
        else:
            with warnings.catch_warnings(action="ignore"):
                assert view.memoryview().nbytes == given_.nbytes


def kind_of(found):
    return found.dtype, found.dtype.type, found.dtype.metadata


@pytest.mark.parametrize("item_format", FORMATS)
def test_the_type_is_numpys_of_the_items(item_format):
    view = sample(Kind(format=item_format, accessor="read-only" if item_format == "tuple" else "default"), (3, 4)).view
    is_sequence = isinstance(view.data, list | tuple)
    assert view.dtype == (np.dtype(object) if is_sequence else np.asarray(view).dtype)
    assert view[1:, ::-2].dtype == view.T.dtype == view[:0].dtype == view.dtype
    assert (view.nbytes, view.dtype.itemsize) == (12 * view.itemsize, view.itemsize)


def scaled_bytes(factor):
    return md.operations.scaled(factor, md.MDView(array("b", [1, 2]), (2,)))


VALUES = {
    "bytes by a half": (lambda: scaled_bytes(0.5), "f8"),
    "bytes by 1000": (lambda: scaled_bytes(1000), "i8"),
    "bytes by a complex number": (lambda: scaled_bytes(1j), "c16"),
    "atomic": (lambda: md.atomic(md.MDView(array("h", [1, 2]), (2,))), "h"),
    "integers in a list": (lambda: md.MDView([1, 2], (2, 1)), "i8"),
    "integers in a part of tiles": (lambda: md.MDView(list(range(16)), (4, 4), md.LayoutTiled(2, 2))[1:, 1:], "i8"),
    "numbers": (lambda: md.MDView([1, 2.5], (2, 1)), "f8"),
    "truth values": (lambda: md.MDView([True, False], (2, 1)), "?"),
    "complex numbers": (lambda: md.MDView([1j, 2], (2, 1)), "c16"),
    "objects": (lambda: md.MDView(["a", None], (2,)), "O"),
    "characters": (
        lambda: md.MDView(memoryview(b"abcd").cast("c"), (2, 2), md.LayoutTiled(2, 1), md.ReadOnlyAccessor()),
        "S1",
    ),
}


@pytest.mark.parametrize("name", VALUES)
def test_values_have_a_type_that_holds_them(name):
    make, dtype = VALUES[name]
    view = make()
    assert (np.asarray(view).dtype, np.asarray(view).tolist()) == (np.dtype(dtype), view.tolist())
    assert np.asarray(view[:0]).shape == (0, *view.shape[1:])


def test_what_there_is_to_say_without_memory():
    assert view_byte_strides() == [(24, 8, 2), (-24, 8, 4), (), (0,)]
    for view, kind in [
        (md.MDView([1, 2], (2,)), errors.BufferFormatError),
        (md.MDView(None, (2,)), errors.NullViewError),
    ]:
        assert view.dtype == np.dtype(object)
        with pytest.raises(kind):
            view.tobytes()
    assert md.MDView.null((2, 3)).nbytes == len(md.MDView(bytearray(), (0, 3)).tobytes()) == 0
    with pytest.raises(errors.NotStridedError):
        _ = md.MDView(WIDE, (4, 4), md.LayoutTiled(3, 3)).byte_strides
    for export in (md.MDView(bytearray(1), (1,) * 65).memoryview, md.MDView(bytearray(1), (1,) * 65).__dlpack__):
        with pytest.raises(errors.ExportError, match=r"64.*65"):
            export()
    for copy in ("no", "", b"yes"):
        with pytest.raises(errors.ExportError, match=repr(copy)):
            whole().__array__(copy=copy)


def view_byte_strides():
    view = md.MDView(array("h", range(24)), (2, 3, 4))
    return [v.byte_strides for v in (view, view[::-1, :, ::2], view[0, 0, 0, ...], md.MDView(None, (2,)))]


PROGRAM = """
import sys
sys.modules["numpy"] = None
from array import array
from mdview import MDView
from mdview.errors import MissingExtraError
view = MDView(array("d", range(12)), (3, 4))
assert view.memoryview().tolist() == view.tolist() and view.nbytes == 96 and view.T[1, 2] == 9
assert view[1].memoryview().tolist() == view[1].tolist()
assert view[:, 1].memoryview().strides == (32,)
assert view[::-1, 1].memoryview().tolist() == [9, 5, 1]
assert view[2, ::-2].memoryview().tolist() == [11, 9]
assert view[0, :0].memoryview().shape == (0,)
assert view[0, 0, ...].memoryview().tolist() == 0
asks = (view.T.memoryview, MissingExtraError), (view.__array__, MissingExtraError), (lambda: view.dtype, ImportError)
for ask, kind in asks:
    try:
        ask()
    except kind as error:
        print("mdview-layouts[numpy]" in str(error))
"""


def test_an_empty_view_is_shared_wherever_it_begins():
    mapping = md.Mapping((2, 5, 0), md.LayoutStrideRelaxed((-2, -1, -3), offset=19))
    base = md.MDView.from_mapping(array("d", (1, 2, 3)), mapping, origin=2)
    for view in (base, base[1:], md.sliding_window(base, (1, 1, 0)), md.sliding_window(base, (2, 3, 0))[..., None]):
        assert np.asarray(view).shape == np.from_dlpack(view).shape == view.memoryview().shape == view.extents
        md.copy(view, md.asview(np.zeros(view.extents)))
        md.fill(view, 7.0)
        assert (md.reduce(np.add, view), base.data.tolist()) == (0, [1, 2, 3])


def test_without_numpy_rows_and_what_is_in_c_order_have_memory():
    assert output_of(PROGRAM).split() == ["True"] * 3
