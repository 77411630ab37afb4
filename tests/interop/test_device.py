"""Device memory: the mapping and subviews of what this process does not read."""

import copy
import pickle

import pytest

import mdview as md
from mdview import LayoutRight, LayoutRightPadded, LayoutStrideRelaxed, MDView, ReadOnlyAccessor, asview
from mdview.errors import BufferFormatError, DeviceError, ExportError, MDViewError, ReadOnlyError, StrideError
from mdview.views.base import parts_of


class OnDevice:
    """Tells of memory that is not there."""

    def __init__(self, **told):
        self.__cuda_array_interface__ = {
            "shape": (4, 6),
            "typestr": "<f4",
            "data": (4096, False),
            "version": 3,
            **told,
        }


def test_all_but_the_elements_is_there():
    given = OnDevice()
    view = asview(given)
    assert (view.data, view.extents, view.layout) == (given, (4, 6), LayoutRight())
    assert (view.itemsize, view.mapping.required_span_size) == (4, 24)
    assert "?" in repr(view)
    assert "?" in view._repr_html_()
    part = view[1:3, ::-2]
    assert part.extents == (2, 3)
    assert part.layout == LayoutStrideRelaxed((6, -2), 4)
    assert part.data is given
    assert md.permute_dims(view, (1, 0)).extents == (6, 4)
    assert md.reshape(view, (24,)).extents == (24,)


@pytest.mark.parametrize(
    ("told", "layout"),
    [
        ({"strides": None}, LayoutRight()),
        ({"strides": (32, 4)}, LayoutRightPadded(8)),
        ({"strides": (-24, 4)}, LayoutStrideRelaxed((-6, 1), 18)),
        ({"strides": (0, 4)}, LayoutStrideRelaxed((0, 1))),
        ({"shape": (0, 6), "data": (0, False)}, LayoutRight()),
        ({"shape": (), "strides": ()}, LayoutRight()),
    ],
)
def test_the_layout_is_the_narrowest(told, layout):
    assert asview(OnDevice(**told)).layout == layout


@pytest.mark.parametrize(
    ("typestr", "size"), [("<f4", 4), (">i2", 2), ("|b1", 1), ("|i1", 1), ("<u8", 8), ("<c16", 16)]
)
def test_items_are_known_by_their_type(typestr, size):
    view = asview(OnDevice(typestr=typestr))
    assert view.itemsize == size
    np = pytest.importorskip("numpy")
    assert view.dtype == np.dtype(typestr)


def test_memory_that_is_read_only_stays_so():
    view = asview(OnDevice(data=(4096, True)))
    assert isinstance(view.accessor, ReadOnlyAccessor)
    with pytest.raises(ReadOnlyError):
        view[0, 0] = 1.0


SHAPES = {"small": (4, 6), "large": (400, 600), "rank 1": (6,)}


def host(view):
    return MDView([0.0] * view.size, view.extents)


USES = {
    "load": lambda v: v[(0,) * v.rank],
    "store": lambda v: v.__setitem__((0,) * v.rank, 1.0),
    "at": lambda v: v.at((0,) * v.rank),
    "tolist": lambda v: v.tolist(),
    "iteration": lambda v: [list(row) for row in v] if v.rank > 1 else list(v),
    "elements": lambda v: list(md.elements(v)),
    "fill": lambda v: md.fill(v, 0.0),
    "copy from": lambda v: md.copy(v, host(v)),
    "copy to": lambda v: md.copy(host(v), v),
    "copy inside": lambda v: md.copy(v, v[::-1]),
    "equal": lambda v: md.equal(v, host(v)),
    "reduce": lambda v: md.reduce(max, v),
    "transform": lambda v: md.transform(abs, v),
    "transform to": lambda v: md.transform(abs, host(v), out=v),
    "assignment": lambda v: v.__setitem__(slice(None), 0.0),
    "relayout": lambda v: md.relayout(v, md.LayoutLeft()),
    "scaled": lambda v: md.scaled(2, v)[(0,) * v.rank],
    "tobytes": lambda v: v.tobytes(),
    "pickle": pickle.dumps,
    "deepcopy": copy.deepcopy,
    "bitcast": lambda v: md.bitcast(v, "B"),
    "atomic": lambda v: md.atomic(v)[(0,) * v.rank].load(),
    "aligned": lambda v: MDView.from_mapping(parts(v), v.mapping, md.AlignedAccessor(64)),
}


def parts(view):
    return parts_of(view).checked_storage()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("use", USES)
def test_what_reads_or_writes_elements_is_refused_by_name(use, flipped, shape):
    view = asview(OnDevice(shape=SHAPES[shape]))
    with pytest.raises(MDViewError):
        USES[use](view[::-1] if flipped else view)


def test_the_refusal_says_the_way():
    message = (
        "lie in the memory of a device, at 0x1000, and cannot be read or written here; copy them to the host first"
    )
    with pytest.raises(DeviceError, match=message):
        asview(OnDevice())[0, 0]


def test_numpy_gets_nothing():
    np = pytest.importorskip("numpy")
    for export in (np.asarray, np.array, lambda v: np.array(v, copy=False), lambda v: v.__array_interface__):
        with pytest.raises(MDViewError):
            export(asview(OnDevice()))


def test_kernels_get_nothing():
    numba = pytest.importorskip("numba")
    pytest.importorskip("mdview.numba")

    @numba.njit
    def first(view):
        return view[0, 0]

    with pytest.raises(MDViewError):
        first(asview(OnDevice()))


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"typestr": "|O"}, r"has items of type '\|O'; device memory holds numbers"),
        ({"typestr": "<V4"}, "has items of type '<V4'"),
        ({"data": (0, False)}, "nothing lies there"),
        ({"data": bytearray(96)}, "it must be a pair of an address and a read-only flag"),
        ({"data": None}, "has no data"),
        ({"shape": [4, 6]}, "it must be a tuple of integers"),
        ({"mask": OnDevice()}, "has a mask"),
        ({"version": "new"}, "has version 'new'"),
        ({"strides": (25, 4)}, "byte stride 25 of dimension 0 is no multiple"),
    ],
)
def test_a_lie_is_refused_by_name(told, message):
    with pytest.raises((BufferFormatError, StrideError), match=message):
        asview(OnDevice(**told))


def test_a_property_that_raises_is_no_memory():
    class Lost:
        @property
        def __cuda_array_interface__(self):
            raise RuntimeError("the context is gone")

    with pytest.raises(BufferFormatError, match="Lost gives none: the context is gone"):
        asview(Lost())


def test_exports_say_where_the_elements_are():
    view = asview(OnDevice())
    for export in (view.memoryview, view.__dlpack__, view[1:].memoryview, md.readonly(view).__dlpack__):
        with pytest.raises(ExportError, match=r"its elements lie in the memory of a device; copy them to the host"):
            export()
