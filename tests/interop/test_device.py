"""Device memory: the mapping and subviews of what this process does not read."""

import pickle
import random
import sys
from pathlib import Path

import pytest

import mdview as md
from mdview import LayoutRight, LayoutStrideRelaxed, ReadOnlyAccessor, asview
from mdview.errors import BufferFormatError, DeviceError, ExportError, MDViewError, ReadOnlyError, StrideError

sys.path.append(str(Path(__file__).parents[1] / "fuzz"))

import uses


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


def test_memory_that_is_read_only_stays_so():
    view = asview(OnDevice(data=(4096, True)))
    assert isinstance(view.accessor, ReadOnlyAccessor)
    with pytest.raises(ReadOnlyError):
        view[0, 0] = 1.0


SHAPES = {"small": (4, 6), "large": (400, 600), "rank 1": (6,)}


USES = {
    **{f"reading: {name}": use for name, use in uses.READS.items() if name != "memoryview"},
    **{f"writing: {name}": use for name, use in uses.WRITES.items()},
    "equal": lambda _, v: md.equal(v, md.MDView([0.0] * v.size, v.extents)),
    "relayout": lambda _, v: md.relayout(v, md.LayoutLeft()),
    "scaled": lambda _, v: md.operations.scaled(2, v)[(0,) * v.rank],
    "tobytes": lambda _, v: v.tobytes(),
    "pickle": lambda _, v: pickle.dumps(v),
    "bitcast": lambda _, v: md.operations.bitcast(v, "B"),
}


@pytest.mark.parametrize("use", USES)
def test_what_reads_or_writes_elements_is_refused(use):
    for shape in SHAPES.values():
        view = asview(OnDevice(shape=shape))
        for part in (view, view[::-1]):
            with pytest.raises(MDViewError):
                USES[use](random.Random(1), part)  # noqa: S311 - reproducible


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
        ({"typestr": "|O"}, "has references to objects"),
        ({"typestr": "<V4"}, r"has items of type '\|V4'; device memory holds numbers"),
        ({"data": (0, False)}, "data is NULL"),
        ({"data": (2**64 - 8, False)}, "nothing lies there"),
        ({"data": bytearray(96)}, "data must be a pair of an address and a read-only flag"),
        ({"data": None}, "data must be a pair"),
        ({"shape": [4, 6]}, "shape must be a tuple"),
        ({"mask": OnDevice()}, "has a mask"),
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
