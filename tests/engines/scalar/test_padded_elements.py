"""Compiled access to a padded view gives for each index what the definition of padding gives."""

import sys
from array import array
from dataclasses import dataclass
from itertools import product
from typing import final

import pytest
from samples import CountingAccessor, LayoutMortonLike, LayoutSymmetric, all_indices

from mdview import (
    CheckedAccessor,
    ConjugatedAccessor,
    DefaultAccessor,
    FillAccessor,
    IndexTransform,
    Layout,
    LayoutComposed,
    LayoutLeft,
    LayoutMorton,
    LayoutRight,
    LayoutTiled,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    ScaledAccessor,
    UncheckedAccessor,
    broadcast_to,
    diagonal,
    dim,
    expand_dims,
    flip,
    pad,
    permute_dims,
    readonly,
    reshape,
    sliding_window,
)
from mdview.engines import axis_tables, padding
from mdview.engines.scalar import padded
from mdview.errors import HaloError, IndexOutOfRangeError, NullViewError, ReadOnlyError
from mdview.views.base import parts_of

MODES = ("constant", "edge", "reflect", "wrap")


@final
@dataclass(frozen=True)
class LayoutLooping(Layout):
    """Nothing that tracing follows: a loop as long as an index."""

    def offset(self, extents, index):
        total = 0
        for _ in range(index[0]):
            total += extents[1]
        return total + index[1]

    def required_span_size(self, extents):
        return extents[0] * extents[1]


BASES = {
    "right": Mapping((3, 4)),
    "left, static": Mapping((dim(3), 4), LayoutLeft()),
    "tiled": Mapping((3, 4), LayoutTiled(2, 2)),
    "morton": Mapping((3, 4), LayoutMorton()),
    "its own morton": Mapping((3, 4), LayoutMortonLike()),
    "symmetric": Mapping((3, 4), LayoutSymmetric()),
    "looping": Mapping((3, 4), LayoutLooping()),
    "one element": Mapping((1, 1), LayoutTiled(2, 2)),
    "flipped tiles": flip(Mapping((3, 4), LayoutTiled(2, 2))),
    "repeated": broadcast_to(Mapping((4,)), (3, 4)),
    "reshaped tiles": reshape(Mapping((4, 3), LayoutTiled(2, 2)), (3, 4)),
}
PARTS = {
    "whole": lambda v: v,
    "flipped": flip,
    "transposed": lambda v: permute_dims(v, (1, 0)),
    "stepped": lambda v: v[::2, 1::3],
    "backwards": lambda v: v[::-2, 5:0:-1],
    "inside": lambda v: v[2:4, 2:4],
    "a corner": lambda v: v[:3, :2],
    "a row": lambda v: v[2],
    "a row of padding": lambda v: v[0],
    "a column": lambda v: v[:, 1],
    "diagonal": diagonal,
    "windows": lambda v: sliding_window(v, (1, 2)),
    "a window": lambda v: sliding_window(v, (2, 2))[1, 0],
    "reshaped": lambda v: reshape(v, (v.size,)),
    "part of reshaped": lambda v: reshape(v[1:, ::2], (-1,))[1::2],
    "expanded": lambda v: expand_dims(v, 1),
    "padded again": lambda v: pad(v, 1, "constant", 0.5) if v.accessor.mode == "constant" else v,
    "padded reshape": lambda v: pad(reshape(v, (-1,)), 1, "constant", 0.5) if v.accessor.mode == "constant" else v,
    "one element": lambda v: v[2:3, 2],
    "rank 0": lambda v: reshape(v[2:3, 2:3], ()),
    "rank 0 of padding": lambda v: reshape(v[0:1, 2:3], ()),
}


def padded_view(base, mode, width=((1, 2), (3, 1))):
    data = array("d", [k + 0.25 for k in range(base.required_span_size + 5)])
    return pad(MDView.from_mapping(data, base, origin=2), width, mode, 0.5)


def expected(view, index):
    items, origin, mapping, accessor = parts_of(view).items, *parts_of(view)[1:]
    return padding.load(accessor.load, items, mapping, origin, accessor, index)


def check_loads(view):
    shape = view.shape
    for _ in range(2):  # the second time tables are there
        for index in all_indices(shape):
            assert view[index] == expected(view, index), index
            turned = tuple([i - e for i, e in zip(index, shape, strict=True)])
            if isinstance(view.accessor, FillAccessor) and isinstance(view.accessor.inner, DefaultAccessor):
                assert view[turned] == expected(view, index)
    for r, e in enumerate(shape):
        for beyond in (e, -e - 1, 10**30):
            with pytest.raises(IndexOutOfRangeError, match=f"out of range for extent {e} of dimension {r}"):
                view[(*[0] * r, beyond, *[0] * (len(shape) - r - 1))]


def check_stores(view):
    items = parts_of(view).items
    for index in all_indices(view.shape):
        before = list(items)
        if view.mapping.is_valid(*index):
            view[index] = -3.0
            assert view[index] == -3.0
            assert list(items).count(-3.0) == 1
            view[index] = before[items.tolist().index(-3.0)]
        else:
            for place in (index, tuple([i - e for i, e in zip(index, view.shape, strict=True)])):
                with pytest.raises(HaloError, match="lies in the padding, which is not stored to"):
                    view[place] = -3.0
        assert list(items) == before


@pytest.fixture(params=["tables", "arithmetic"], autouse=True)
def tables_or_not(request, monkeypatch):
    if request.param == "arithmetic":
        for module in (axis_tables, padded):
            monkeypatch.setattr(module, "TABLE_LIMIT", 0)


@pytest.mark.no_cover
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("base", BASES)
def test_every_index_reads_and_stores_as_the_definition_says(base, part, mode):
    view = PARTS[part](padded_view(BASES[base], mode))
    check_loads(view)
    check_stores(view)


ACCESSORS = {
    "checked": FillAccessor("edge", 0, CheckedAccessor()),
    "unchecked": FillAccessor("wrap", 0, UncheckedAccessor()),
    "checked constant": FillAccessor("constant", 7.5, CheckedAccessor()),
    "read-only": ReadOnlyAccessor(FillAccessor("reflect")),
    "read-only constant": ReadOnlyAccessor(FillAccessor("constant", 7.5)),
    "scaled": ScaledAccessor(2.0, FillAccessor("edge")),
    "scaled constant": ScaledAccessor(2.0, FillAccessor("constant", 7.5)),
    "conjugated": ConjugatedAccessor(ScaledAccessor(2.0, FillAccessor("constant", 7.5j))),
    "around a user's": FillAccessor("constant", 7.5, CountingAccessor()),
    "edge of a user's": FillAccessor("edge", 7.5, CountingAccessor()),
    "fill in fill": FillAccessor("edge", 0, FillAccessor("constant", 3.5)),
}


@pytest.mark.parametrize("kind", ["memory", "list", "complex"])
@pytest.mark.parametrize("name", ACCESSORS)
@pytest.mark.parametrize("base", ["right", "tiled", "symmetric", "looping"])
def test_every_accessor_takes_part(base, name, kind):
    mapping = pad(BASES[base], 2)
    data = [k + 0.25 for k in range(20)]
    source = {"memory": array("d", data), "list": data, "complex": memoryview(array("d", 2 * data)).cast("B")}[kind]
    view = MDView.from_mapping(source, mapping, ACCESSORS[name])
    for _ in range(2):
        for index in all_indices(view.shape):
            assert view[index] == expected(view, index), index
    if name.startswith("checked"):
        with pytest.raises(IndexOutOfRangeError, match="does not count from the end"):
            view[-1, 0]
    for key in (slice(0, 2), (slice(0, 2), 1), (0, slice(1)), (slice(0), slice(0))):
        assert isinstance(view[key], MDView)


def test_a_users_accessor_is_asked_once_for_each_access():
    inner = CountingAccessor()
    view = pad(MDView(array("d", range(14)), (3, 4), LayoutTiled(2, 2), inner), 1, "edge")
    for _ in range(2):
        assert [view[0, 1], view[0, 0], view[4, 4], view[2, 2]] == [0, 0, -13, -3]
        assert inner.loads == [0, 0, 13, 3]
        inner.loads.clear()
    view[1, 1] = 5.0
    with pytest.raises(HaloError):
        view[0, 0] = 5.0
    assert inner.stores == [0]


@pytest.mark.parametrize("index", [(0, 0), (1, 3), (-1, -1)])
def test_padding_that_nothing_fills_is_not_read(index):
    view = MDView.from_mapping(array("d", range(14)), pad(BASES["tiled"], 1), CheckedAccessor())
    wrapping = MDView.from_mapping(array("d", range(14)), pad(BASES["tiled"], 1))
    for _ in range(2):
        assert view[1, 1] == wrapping[1, 1] == 0
        place = index if min(index) >= 0 else (0, 2)
        inside = view.mapping.is_valid(*place)
        for v in (view, wrapping):
            if inside:
                assert v[place] == v.data[v.mapping(*place)]
            else:
                with pytest.raises(HaloError, match="which is not read; wrap its accessor: FillAccessor"):
                    v[place]


def test_two_fills_of_one_mapping_are_told_apart():
    mapping = pad(BASES["tiled"], 1)
    data = array("d", range(1, 15))
    views = [
        MDView.from_mapping(data, mapping, FillAccessor(*fill)) for fill in [("edge",), ("constant", 5), ("wrap",)]
    ]
    views += [MDView.from_mapping(data, mapping, FillAccessor("constant", constant)) for constant in (None, "x", [])]
    for _ in range(2):
        assert [view[0, 0] for view in views] == [data[0], 5, expected(views[2], (0, 0)), None, "x", []]


def test_a_constant_that_looks_like_a_mark_is_a_constant():
    view = pad(MDView([1, 2], (2,)), 1, "constant", padded.MARK)
    assert [view[i] for i in range(4)] == [padded.MARK, 1, 2, padded.MARK]


@pytest.mark.parametrize("mode", MODES)
def test_a_released_view_reads_no_padding(mode):
    view = padded_view(BASES["tiled"], mode)
    assert view[0, 0] == view[0, 0]
    before_any = padded_view(BASES["tiled"], mode)
    for v in (view, before_any):
        v.release()
        for index in ((0, 0), (1, 3)):
            with pytest.raises(NullViewError):
                v[index]
            with pytest.raises(NullViewError):
                v[index] = 1.0


@pytest.mark.parametrize("mode", MODES)
def test_views_of_one_mapping_begin_where_they_do(mode):
    mapping = pad(BASES["morton"], 1)
    data = array("d", range(40))
    views = [MDView.from_mapping(data, mapping, FillAccessor(mode), origin=o) for o in (0, 5, 3)]
    for view in (*views, *views[::-1]):
        assert [view[i] for i in all_indices(view.shape)] == [expected(view, i) for i in all_indices(view.shape)]


def test_a_list_that_has_become_shorter_is_no_padding():
    data = list(range(14))
    view = pad(MDView(data, (3, 4), LayoutTiled(2, 2)), 1, "constant", -1)
    assert view[3, 4] == data[view.mapping(3, 4)]
    del data[2:]
    assert view[0, 0] == -1
    with pytest.raises(IndexError):
        view[3, 4]


@pytest.mark.parametrize("mode", MODES)
def test_a_box_of_ones_own_decides(mode):
    layout = LayoutComposed(LayoutRight(), (4,), IndexTransform((0,), (1,), (0,)), ((1, 3),))
    view = MDView.from_mapping([5, 6, 7, 8], Mapping((4,), layout), FillAccessor(mode, 0))
    assert [view[i] for i in range(4)] == [expected(view, (i,)) for i in range(4)]
    for i in (0, 3):
        with pytest.raises(HaloError):
            view[i] = 1
    view[1] = 9
    assert view.data == [5, 9, 7, 8]


@pytest.mark.parametrize("constant", [0.5, None])
def test_padding_around_nothing_is_a_constant(constant):
    for extents in ((0, 3), (0,), (2, 0, 1)):
        for layout in (LayoutRight(), LayoutMorton()):
            view = pad(MDView(array("d"), extents, layout), 1, "constant", constant)
            assert all(view[i] is constant for i in all_indices(view.shape))


@pytest.mark.parametrize("shape", [(7,), (2, 3, 2), (1, 2, 1, 3)])
@pytest.mark.parametrize("mode", MODES)
def test_every_rank(shape, mode):
    for layout in (LayoutRight(), LayoutTiled(*(2,) * len(shape)), LayoutMorton()):
        mapping = Mapping(shape, layout)
        view = padded_view(mapping, mode, (2, 1))
        check_loads(view)
        check_stores(view[::-1])


def test_a_read_only_padded_view_stores_nothing():
    view = readonly(padded_view(BASES["tiled"], "edge"))
    for index in ((0, 0), (1, 3)):
        with pytest.raises(ReadOnlyError):
            view[index] = 1.0


def called(work):
    """Names of the functions of the library that ``work`` calls."""
    names = set()
    sys.setprofile(lambda frame, event, _: event == "call" and names.add(frame.f_code.co_name))
    try:
        work()
    finally:
        sys.setprofile(None)
    return names - {"<lambda>", "<listcomp>"}


def test_no_function_is_called_for_an_element_of_the_padding():
    for base in ("right", "tiled", "morton", "symmetric"):
        for mode in MODES:
            view = padded_view(BASES[base], mode)
            places = list(product(range(view.shape[0]), range(view.shape[1])))
            [view[p] for p in places]
            assert called(lambda v=view, all_of=places: [v[p] for p in all_of]) == {"__getitem__"}, (base, mode)
