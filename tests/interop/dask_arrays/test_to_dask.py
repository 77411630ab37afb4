"""A view becomes an array of dask, chunk by chunk, on whatever scheduler."""

import re
from copy import copy

import cloudpickle
import dask
import numpy as np
import pytest
import xarray
from dask.base import tokenize
from dask.local import get_sync

import mdview as md
from mdview.errors import ExtentsError, NullViewError, OperandError
from mdview.interop.dask import to_dask

SHAPE = (10, 7)
VALUES = np.arange(70.0).reshape(SHAPE)
LAYOUTS = [
    md.LayoutTiled(4, 3),
    md.LayoutTiled(4, 4, inner=md.LayoutTiled(2, 2)),
    md.LayoutTiled(2, 7, outer=md.LayoutLeft()),
    md.LayoutRight(),
    md.LayoutLeft(),
    md.LayoutMorton(),
]


@pytest.fixture(autouse=True)
def synchronous():
    with dask.config.set(scheduler="synchronous"):
        yield


def view_of(layout, extents=SHAPE, values=VALUES, item_format="d"):
    view = md.zeros(extents, layout, item_format)
    view[:] = values
    return view


def blocks_of(array):
    graph = dict(array.dask)
    return {key[1:]: get_sync(graph, key) for key in graph}


@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
def test_an_array_of_dask_has_the_elements_of_the_view(layout):
    array = to_dask(view_of(layout))
    assert array.dtype == "f8"
    assert array.shape == SHAPE
    np.testing.assert_array_equal(array.compute(), VALUES)
    np.testing.assert_array_equal(array.T[::-1, 2:9:3].compute(), VALUES.T[::-1, 2:9:3])
    np.testing.assert_allclose(array.sum(axis=0).compute(), VALUES.sum(axis=0))


def test_chunks_are_tiles_and_share_the_memory_of_the_view():
    data = np.zeros(12 * 9)
    view = md.MDView(data, SHAPE, md.LayoutTiled(4, 3))
    array = to_dask(view)
    assert array.chunks == ((4, 4, 2), (3, 3, 1))
    for (i, j), block in blocks_of(array).items():
        assert np.shares_memory(block, data)
        assert block.flags.writeable
        block[:] = 10 * i + j
    assert view[9, 6] == 22.0


def test_tiles_are_grouped_and_other_layouts_are_one_chunk():
    tiled = view_of(md.LayoutTiled(4, 3))
    assert to_dask(tiled, chunks=(8, 6)).chunks == ((8, 2), (6, 1))
    assert to_dask(tiled, chunks=-1).chunks == ((10,), (7,))
    np.testing.assert_array_equal(to_dask(tiled, chunks=(8, 6)).compute(), VALUES)
    np.testing.assert_array_equal(to_dask(tiled, chunks=((1, 9), 5)).compute(), VALUES)
    assert to_dask(view_of(md.LayoutRight())).chunks == ((10,), (7,))


@pytest.mark.parametrize("extents", [(), (0,), (3, 0), (1, 1)])
def test_views_of_few_elements(extents):
    view = md.zeros(extents, dtype="i")
    array = to_dask(view)
    assert array.compute().shape == extents
    assert array.dtype == "i4"
    assert array.sum().compute() == 0


def test_paddings_of_views():
    padded = md.pad(view_of(md.LayoutTiled(4, 3)), [(1, 0), (0, 2)])
    np.testing.assert_array_equal(to_dask(padded, chunks=5).compute(), np.asarray(padded))


def test_records_objects_and_other_accessors():
    records = np.array([(1, 2.5), (3, 4.5), (5, 6.5)], [("a", "i4"), ("b", "f8")])
    array = to_dask(md.asview(records), chunks=2)
    assert array.dtype == records.dtype
    assert array["b"].sum().compute() == 13.5
    assert to_dask(md.MDView(["a", None, 3], (3,)), chunks=2).compute().tolist() == ["a", None, 3]
    scaled = md.operations.scaled(2, view_of(md.LayoutTiled(4, 3)))
    np.testing.assert_array_equal(to_dask(scaled).compute(), 2 * VALUES)


def test_xarray_takes_the_array():
    array = xarray.DataArray(to_dask(view_of(md.LayoutTiled(4, 3))), dims=("y", "x"))
    assert float(array.isel(y=slice(2, 5)).mean()) == VALUES[2:5].mean()


def test_names_follow_from_the_elements(mapped, tmp_path):
    tiled = view_of(md.LayoutTiled(4, 3))
    assert to_dask(tiled).name == to_dask(view_of(md.LayoutTiled(4, 3, inner=md.LayoutRight()))).name
    tiled[0, 0] = 5.0
    assert to_dask(tiled).name != to_dask(view_of(md.LayoutTiled(4, 3))).name
    file = mapped("a", (8, 8), values=1.0)
    again = md.open_view(tmp_path / "a", file.mapping, "d", mode="r+")
    assert tokenize(file) == tokenize(again) == tokenize(copy(file))
    others = [file[4:], md.flip(file), md.readonly(file), mapped("b", (8, 8), values=1.0)]
    assert len({tokenize(view) for view in [file, *others]}) == 5


@pytest.mark.parametrize("tiles", [8, 64])
def test_the_graph_of_a_file_is_small(tiles, mapped):
    view = mapped("large", (8 * tiles, 8 * tiles), md.LayoutTiled(8, 8))
    graph = dict(to_dask(view).dask)
    assert len(graph) == tiles * tiles
    assert len(cloudpickle.dumps(graph)) < 500 * len(graph)
    assert len(cloudpickle.dumps(graph[next(reversed(graph))])) < 2000


def test_what_is_no_view_or_no_chunks_is_refused():
    with pytest.raises(OperandError, match="MDView"):
        to_dask([[1]])
    with pytest.raises(NullViewError):
        to_dask(md.MDView(None, (2, 2)))
    with pytest.raises(ExtentsError, match=r"\(10, 7\)"):
        to_dask(view_of(md.LayoutRight()), chunks=((3, 3), (7,)))


@pytest.mark.parametrize("extents", [(4, 6), (0, 4), (4, 0)])
@pytest.mark.parametrize("chunks", [0, (0, 0), (-1, 0), {1: 0}, np.int64(0), "0B"])
def test_blocks_without_indices_are_blocks_or_refused_by_name(extents, chunks):
    view = md.asview(np.zeros(extents))
    for call in (to_dask, lambda v, chunks: md.interop.dask.map_tiles(abs, v, chunks=chunks)):
        try:
            assert call(view, chunks=chunks).compute().shape == extents
        except ExtentsError as error:
            assert re.search(r"no chunks .* of extents|1 index or more", str(error))  # noqa: PT017 - or there are some


@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
def test_a_block_is_what_the_subview_gives(layout):
    view = view_of(layout, (12, 9), np.arange(108.0).reshape(12, 9))
    parts = [view, view[4:], view[:, 3:6], view[4:8, :3], md.permute_dims(view, (1, 0)), md.flip(view)]
    parts += [md.operations.transposed(view), view[::2], view[3], view[:, 2:2], md.readonly(view[4:])]
    for part in parts:
        for chunks in (None, 3, -1):
            array = to_dask(part, chunks)
            ends = [np.cumsum((0, *sizes)) for sizes in array.chunks]
            for number, block in blocks_of(array).items():
                key = tuple([slice(int(e[k]), int(e[k + 1])) for k, e in zip(number, ends, strict=True)])
                want = np.asarray(part[key])
                np.testing.assert_array_equal(block, want)
                assert np.shares_memory(block, view.data) == np.shares_memory(want, view.data)
                assert block.flags.writeable is (part is not parts[-1])
