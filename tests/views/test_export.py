"""Export: NumPy gets the memory itself where one strided array can say it, else a copy of the values."""

import builtins
import operator
import sys
from array import array
from math import prod

import numpy as np
import pytest
from samples import MAPPINGS

from mdview import (
    ConjugatedAccessor,
    LayoutLeft,
    LayoutLeftPadded,
    LayoutRight,
    LayoutRightPadded,
    LayoutTiled,
    MDView,
    ReadOnlyAccessor,
    ScaledAccessor,
    asview,
    atomic,
    broadcast_to,
    expand_dims,
    flip,
    pad,
    readonly,
    relayout,
    reshape,
    scaled,
    unchecked,
    zeros,
)
from mdview.accessors.formats import typestr
from mdview.errors import BufferFormatError, MissingExtraError, NullViewError, OperandError
from mdview.views.base import parts_of
from mdview.views.export import import_numpy


@pytest.fixture(params=MAPPINGS)
def view(request):
    mapping = MAPPINGS[request.param]
    return MDView.from_mapping(array("d", range(mapping.required_span_size + 2)), mapping, origin=2)


def test_the_array_of_a_view_has_its_shape_and_elements(view):
    copied = np.asarray(view)
    assert copied.shape == view.shape
    assert copied.dtype == np.float64
    assert copied.tolist() == view.tolist()


def shares(view):
    """Whether the layout states strides, which is what it takes to share memory."""
    return view.mapping.found_strides() is not None


def test_a_strided_view_shares_its_memory_and_any_other_is_copied(view):
    exported = np.asarray(view)
    if shares(view):
        assert np.array_equal(np.asarray(view, copy=False), exported)
        if view.size:
            assert np.shares_memory(exported, np.asarray(view.data))
            assert [s // 8 for s, n in zip(exported.strides, exported.shape, strict=True) if n > 1] == [
                s for s, n in zip(view.strides, view.shape, strict=True) if n > 1
            ]
            exported[(0,) * view.rank] = -1.0
            assert view[(0,) * view.rank] == -1.0
    else:
        assert not hasattr(view, "__array_interface__")
        with pytest.raises(ValueError, match="takes a copy, and copy=False forbids it"):
            np.asarray(view, copy=False)
        assert not np.shares_memory(exported, np.asarray(view.data))


def test_what_numpy_asks_for_is_the_same_array(view):
    exported = view.__array__()
    assert exported.tolist() == view.tolist()
    assert np.shares_memory(exported, np.asarray(view.data)) == (shares(view) and view.size > 0)


def test_a_copy_that_is_asked_for_is_one(view):
    copied = np.array(view, copy=True)
    assert not np.shares_memory(copied, np.asarray(view.data))
    assert copied.tolist() == view.tolist()


def test_an_element_type_may_be_asked_for(view):
    assert np.asarray(view, dtype="f4").dtype == np.float32
    assert np.asarray(view, dtype="f4").tolist() == view.tolist()


def test_the_array_of_a_read_only_view_cannot_be_written():
    data = array("d", [1, 2, 3, 4])
    assert not np.asarray(readonly(MDView(data, (2, 2)))).flags.writeable
    assert not np.asarray(asview(np.broadcast_to(1.0, (2, 2)))).flags.writeable
    assert np.asarray(MDView(data, (2, 2))).flags.writeable
    assert np.asarray(unchecked(MDView(data, (2, 2)))).flags.writeable


def test_an_array_locks_the_buffer_as_long_as_it_lives():
    data = bytearray(b"abcd")
    exported = np.asarray(MDView(data, (2, 2)))
    with pytest.raises(BufferError):
        data.append(1)
    del exported
    data.append(1)


@pytest.mark.parametrize("letter", "bBhHiIlLqQfd?")
def test_every_native_format_has_numpys_type(letter):
    view = MDView(array(letter if letter != "?" else "b", [1, 0]), (2,))
    expected = np.dtype(letter if letter != "?" else "b")
    assert np.asarray(view).dtype == expected


@pytest.mark.parametrize(
    ("item_format", "itemsize", "text"),
    [
        ("d", 8, "<f8"),
        (">d", 8, ">f8"),
        ("!i", 4, ">i4"),
        ("b", 1, "|i1"),
        ("?", 1, "|b1"),
        ("Zf", 8, "<c8"),
        ("e", 2, "<f2"),
        ("c", 1, "|S1"),
    ],
)
def test_formats_in_the_notation_of_numpy(item_format, itemsize, text):
    assert typestr(item_format, itemsize) == text


def test_single_bytes_are_strings_of_length_1():
    view = MDView(memoryview(b"abcd").cast("c"), (2, 2), accessor=ReadOnlyAccessor())
    assert np.asarray(view).tolist() == [[b"a", b"b"], [b"c", b"d"]]
    tiled = MDView(memoryview(b"abcd").cast("c"), (2, 2), LayoutTiled(2, 1), ReadOnlyAccessor())
    assert np.asarray(tiled).tolist() == [[b"a", b"c"], [b"b", b"d"]]


@pytest.mark.parametrize(
    ("accessor", "values"),
    [
        (ScaledAccessor(0.5), [0.5, 1.0]),
        (ScaledAccessor(1000), [1000, 2000]),
        (ScaledAccessor(1j), [1j, 2j]),
        (ConjugatedAccessor(), [1, 2]),
        (ReadOnlyAccessor(ScaledAccessor(0.5)), [0.5, 1.0]),
    ],
)
def test_values_that_do_not_fit_the_items_are_not_squeezed_into_their_type(accessor, values):
    view = MDView(array("b", [1, 2]), (2,), accessor=accessor)
    assert np.asarray(view).tolist() == values
    assert not hasattr(view, "__array_interface__")
    assert np.asarray(view[:0]).shape == (0,)


def read_by_the_interface(view):
    """An array of what the interface says, read by arithmetic on bytes alone."""
    told = view.__array_interface__
    kind = np.dtype(told["typestr"])
    steps = told["strides"]
    if steps is None:
        whole = np.frombuffer(told["data"], "u1")[told["offset"] :][: prod(told["shape"]) * kind.itemsize]
        return np.frombuffer(whole.tobytes(), kind).reshape(told["shape"])
    raw = bytes(told["data"])
    found = np.empty(told["shape"], kind)
    for index in np.ndindex(*told["shape"]):
        first = told["offset"] + sum(s * i for s, i in zip(steps, index, strict=True))
        found[index] = np.frombuffer(raw[first : first + kind.itemsize], kind)[0]
    return found


PARTS = {
    "whole": lambda v: v,
    "rows": lambda v: v[1:],
    "one row": lambda v: v[1],
    "row, still of rank 2": lambda v: v[1:2],
    "element": lambda v: v[1, 2, ...],
    "columns": lambda v: v[:, 1:],
    "every other row": lambda v: v[::2],
    "flipped": lambda v: v[::-1],
    "flipped twice": lambda v: v[::-1][::-1],
    "turned": lambda v: v.T,
    "column": lambda v: v[:, 1:2],
    "empty": lambda v: v[:0],
    "all new dimensions": lambda v: expand_dims(v, (0, 2, 4)),
    "broadcast": lambda v: broadcast_to(v, (2, 3, 4)),
    "reshaped": lambda v: reshape(v, (2, 6)),
    "early": lambda v: MDView(v.data, (2, 2)),
}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("layout", [LayoutRight(), LayoutLeft(), LayoutRightPadded(6), LayoutLeftPadded(5)])
@pytest.mark.parametrize("item_format", ["B", "h", "d", ">d"])
def test_the_interface_has_no_strides_exactly_where_the_elements_are_contiguous_in_c_order(part, layout, item_format):
    data = np.arange(40, dtype=item_format.replace("h", "i2"))
    view = PARTS[part](MDView(data, (3, 4), layout))
    if view.mapping.found_strides() is None:
        assert not hasattr(view, "__array_interface__")
        return
    for told in (view.__array_interface__, view.__array_interface__):
        assert (told["strides"] is None) == np.asarray(view).flags.c_contiguous
    assert np.array_equal(read_by_the_interface(view), np.array(view.tolist()).reshape(view.shape))
    assert np.array_equal(np.asarray(type("Given", (), {"__array_interface__": told})()), np.asarray(view))


def test_the_array_of_an_atomic_view_is_a_copy_of_its_values():
    view = atomic(MDView(array("h", [1, 2]), (2,)))
    copied = np.asarray(view)
    assert copied.dtype == np.int16
    copied[0] = 9
    assert view.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("data", "dtype"),
    [
        ([1, 2], "int64"),
        ([1, 2.5], "float64"),
        ([True, False], "bool"),
        ([1j, 2], "complex128"),
        (["a", None], "object"),
        ([[1], [2, 3]], "object"),
    ],
)
def test_the_type_of_python_objects_is_numpys_choice_if_all_are_numbers(data, dtype):
    exported = np.asarray(MDView(data, (2, 1)))
    assert exported.dtype == dtype
    assert exported.tolist() == [[data[0]], [data[1]]]


def test_an_empty_list_makes_an_empty_array():
    assert np.asarray(MDView([], (0, 3))).shape == (0, 3)


def test_records_and_dates_are_exported_from_the_memory_of_their_array():
    records = np.array([(1, 2.0), (3, 4.0), (5, 6.0)], dtype=[("a", "i4"), ("b", "f8")])
    view = asview(records)[::-2]
    assert np.asarray(view)["a"].tolist() == [5, 1]
    assert np.shares_memory(np.asarray(view), records)
    assert np.asarray(readonly(view)).flags.writeable is False
    dates = np.arange("2024-01", "2025-05", dtype="M8[M]")
    symmetric = MDView.from_mapping(parts_of(asview(dates)).storage, MAPPINGS["symmetric"])
    assert np.asarray(symmetric).dtype == dates.dtype
    assert np.asarray(symmetric)[1].tolist() == dates[[1, 2, 4, 7]].tolist()
    empty = asview(dates)[16:]
    assert np.asarray(empty).shape == (0,)


@pytest.mark.parametrize(
    "act",
    [
        lambda v, a: np.sin(v),
        lambda v, a: np.add(v, 1),
        lambda v, a: np.sum(v),
        lambda v, a: np.add.accumulate(v),
        lambda v, a: np.add(a, 1, out=(v,)),
        lambda v, a: a + v,
        lambda v, a: operator.iadd(a, v),
        lambda v, a: np.float64(2) * v,
        lambda v, a: a == v,
        lambda v, a: np.equal(a, v),
        lambda v, a: np.not_equal(v, v),
    ],
)
def test_a_ufunc_of_a_view_is_refused_with_a_way(act):
    view, array_ = MDView(array("d", [1, 2]), (2,)), np.ones(2)
    with pytest.raises(OperandError, match=r"np\.asarray\("):
        act(view, array_)
    assert (view.tolist(), array_.tolist()) == ([1, 2], [1, 1])
    assert (np.asarray(view) + 1).tolist() == [2.0, 3.0]


@pytest.mark.parametrize("convert", [bool, int, float, complex, round, lambda v: not v, lambda v: v and 1])
@pytest.mark.parametrize("extents", [(), (1,), (0,), (2, 3)])
def test_a_view_is_no_number_and_no_truth_value(convert, extents):
    with pytest.raises(OperandError, match="is no single value"):
        convert(MDView(array("d", range(6)), extents))


class Pillow:
    """What ``PIL.Image.fromarray`` does: memory is asked for its bytes where it has strides."""

    def __init__(self, given):
        interface = given.__array_interface__
        self.size = interface["shape"][::-1]
        self.pixels = given if interface["strides"] is None else given.tobytes()


def test_a_view_with_strides_gives_its_bytes_to_who_wants_no_strides():
    view = MDView(bytearray(range(12)), (3, 4))
    for part in (view[:, ::2], view.T, view[::-1]):
        assert list(Pillow(part).pixels) == np.asarray(part).ravel().tolist()
    assert Pillow(view).pixels is view


@pytest.mark.parametrize("name", sorted(MAPPINGS))
@pytest.mark.parametrize("item_format", ["B", "d", ">i", "Zd"])
def test_bytes_are_those_of_numpys_array(name, item_format):
    mapping = MAPPINGS[name]
    items = zeros((mapping.required_span_size,), LayoutRight(), item_format)
    items[:] = list(range(len(items)))
    storage = parts_of(items).storage
    view = MDView.from_mapping(storage, mapping)
    assert view.tobytes() == bytes(view) == np.asarray(view).tobytes()


@pytest.mark.parametrize("make", [readonly, atomic, lambda v: scaled(2, v), lambda v: pad(v, 1, "wrap"), flip])
def test_bytes_are_those_of_what_is_read(make):
    view = make(MDView(array("h", range(6)), (2, 3)))
    assert view.tobytes() == np.asarray(view).tobytes()


def test_what_has_no_bytes_is_refused():
    with pytest.raises(BufferFormatError, match=r"are Python objects and no bytes; give them a format"):
        MDView([1, 2], (2,)).tobytes()
    with pytest.raises(NullViewError):
        MDView(None, (2,)).tobytes()
    assert relayout(MDView([1, 2], (2,)), LayoutRight(), "d").tobytes() == array("d", [1, 2]).tobytes()
    records = np.zeros(3, [("a", "i4"), ("b", "f8")])
    assert asview(records)[::2].tobytes() == records[::2].tobytes()
    assert MDView(bytearray(), (0, 3)).tobytes() == b""
    assert MDView(array("d", [1.5]), ()).tobytes() == array("d", [1.5]).tobytes()


def test_a_missing_numpy_is_named_with_the_extra_that_brings_it(monkeypatch):
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name == "numpy":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    message = r"this needs NumPy; install the extra: pip install 'mdview-layouts\[numpy\]'"
    with pytest.raises(MissingExtraError, match=message):
        import_numpy()


@pytest.mark.parametrize("copy", [None, False, True])
@pytest.mark.parametrize("dtype", [None, "f8", "f4", np.float64, np.dtype(">f8")])
@pytest.mark.parametrize("part", [lambda v: v, lambda v: v.T, readonly, lambda v: v[1, ::-1], lambda v: v[:0]])
def test_an_array_is_shared_or_copied_by_numpys_rules(part, dtype, copy):
    view = part(MDView(array("d", range(12)), (3, 4)))
    is_same = dtype is None or np.dtype(dtype) == np.float64
    if copy is False and not is_same:
        with pytest.raises(ValueError, match=r"of items of type float64 takes a copy, and copy=False forbids it"):
            view.__array__(dtype, copy)
        return
    found = view.__array__(dtype, copy)
    assert found.dtype == (np.float64 if dtype is None else dtype)
    assert found.tolist() == view.tolist()
    is_shared = is_same and copy is not True
    assert np.shares_memory(found, np.asarray(view)) == (is_shared and view.size > 0)
    assert found.flags.writeable == (not is_shared or not isinstance(view.accessor, ReadOnlyAccessor))
    asked = np.array(view, dtype=dtype, copy=copy)
    assert (asked.dtype, asked.tolist()) == (found.dtype, found.tolist())
    assert asked.flags.writeable == found.flags.writeable


@pytest.mark.parametrize("copy", [None, True, False, np.False_])
@pytest.mark.parametrize("dtype", [None, "f4"])
def test_an_array_of_what_is_not_strided_is_a_copy_by_numpys_rules(dtype, copy):
    for view in (
        MDView(array("d", range(12)), (3, 4), LayoutTiled(3, 2)),
        scaled(2.0, MDView(array("d", [1.0]), (1,))),
    ):
        if copy is not None and not copy:
            with pytest.raises(ValueError, match="takes a copy, and copy=False forbids it"):
                view.__array__(dtype, copy=copy)
            continue
        found = view.__array__(dtype, copy=copy)
        assert (found.dtype, found.tolist()) == (np.dtype(dtype or "f8"), view.tolist())
        assert found.flags.writeable


def test_an_array_that_was_asked_for_by_name_locks_the_buffer_when_the_view_is_released():
    for part in (lambda v: v, lambda v: v.T, readonly):
        data = bytearray(range(6))
        view = part(MDView(data, (2, 3)))
        exported = view.__array__()
        view.release()
        with pytest.raises(BufferError):
            data.extend(b"x")
        del exported
        data.extend(b"x")


def test_an_element_access_that_is_under_way_locks_the_buffer():
    data = bytearray(64 * 64)
    view = MDView(data, (64, 64), LayoutLeft())
    assert view[1, 1] == 0
    grid = getattr(view, "_grid", None)
    view.release()
    if grid is not None:
        with pytest.raises(BufferError):
            data.extend(b"x")
    del grid
    data.extend(b"x")


def test_pillow_makes_an_image_of_a_view():
    image = pytest.importorskip("PIL.Image")
    view = MDView(bytearray(range(24)), (4, 6))
    parts = [view[:, ::2], view.T, view[::-1]]
    if sys.version_info >= (3, 12):  # older Pythons ask no view for its bytes
        parts += [view, view[1:], readonly(view)]
    for part in parts:
        assert np.asarray(image.fromarray(part)).tolist() == part.tolist()
