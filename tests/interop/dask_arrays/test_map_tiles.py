"""map_tiles calls a function once a tile, and stores what it returns or nothing."""

import dask
import numpy as np
import pytest
import zarr
from dask.diagnostics import ProgressBar
from stencils import crossed, doubled

import mdview as md
import mdview.interop.dask
from mdview import errors

SHAPE = (10, 7)
VALUES = np.arange(70.0).reshape(SHAPE) ** 2
TILED = md.LayoutTiled(4, 3)
TILES = sorted([(m, n) for m in (4, 4, 2) for n in (3, 3, 1)])
BOUNDARIES = ["constant", "edge", "reflect", "symmetric", "wrap", 2.5]


def new(layout=TILED, values=0.0, extents=SHAPE):
    view = md.zeros(extents, layout)
    view[:] = values
    return view


def padded(boundary, depth=1, values=VALUES):
    if isinstance(boundary, str):
        return np.pad(values, depth, boundary)
    return np.pad(values, depth, constant_values=boundary)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
@pytest.mark.parametrize("layout", [TILED, md.LayoutRight(), md.LayoutMorton()], ids=repr)
def test_results_are_stored_tile_by_tile(scheduler, layout):
    out, shapes = new(), []

    def add(a, b):
        shapes.append(a.shape)
        return a + b

    found = md.interop.dask.map_tiles(
        add, new(layout, VALUES), new(md.LayoutTiled(2, 5), 1.0), out=out, scheduler=scheduler
    )
    assert found is out
    np.testing.assert_array_equal(np.asarray(out), VALUES + 1)
    assert sorted(shapes) == TILES


def test_tiles_share_memory_and_keep_the_right_to_write():
    data, seen = np.zeros(12 * 9), []
    view = md.MDView(data, SHAPE, TILED)
    md.interop.dask.map_tiles(lambda a: seen.append(a) or a, md.readonly(view), out=new(), scheduler="sync")
    assert len(seen) == 9
    assert all(np.shares_memory(a, data) and not a.flags.writeable for a in seen)


@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("layout", [TILED, md.LayoutRight()], ids=repr)
def test_a_stencil_over_tiles_is_the_stencil_over_all(boundary, layout):
    out = new()
    md.interop.dask.map_tiles(crossed, new(layout, VALUES), out=out, halo=1, boundary=boundary, scheduler="sync")
    np.testing.assert_array_equal(np.asarray(out), crossed(padded(boundary)))


@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("is_part", [False, True])
def test_a_halo_may_be_wider_than_the_view_and_around_a_padded_one(boundary, is_part):
    view = md.pad(new(values=VALUES), 1, "edge")[2:, :-1] if is_part else new(values=VALUES)
    depth, start = (11, 5), np.pad(VALUES, 1, "edge")[2:, :-1] if is_part else VALUES
    blocks = md.interop.dask.map_tiles(lambda a: a.sum(keepdims=True) + np.zeros((1, 1)), view, halo=depth,
                                       boundary=boundary, chunks=1, dtype="f8").compute(scheduler="sync")  # fmt: skip
    whole = padded(boundary, [(n, n) for n in depth], start)
    want = np.lib.stride_tricks.sliding_window_view(whole, (23, 11)).sum(axis=(2, 3))
    np.testing.assert_allclose(blocks, want)


def test_blocks_are_cut_at_the_edges_and_results_with_a_halo_are_trimmed():
    shapes = set()

    def same(a):
        shapes.add(a.shape)
        return a * 2

    out = new()
    md.interop.dask.map_tiles(same, new(values=VALUES), out=out, halo=(1, 2), scheduler="sync")
    np.testing.assert_array_equal(np.asarray(out), VALUES * 2)
    assert {(5, 5), (6, 6), (3, 3)} <= shapes


def test_without_out_it_is_an_array_of_dask():
    view = new(values=VALUES)
    lazy = md.interop.dask.map_tiles(lambda a: a.astype("i4"), view, chunks=5)
    assert lazy.dtype == "i4"
    assert lazy.chunks == ((5, 5), (5, 2))
    np.testing.assert_array_equal(lazy.compute(scheduler="sync"), VALUES.astype("i4"))
    assert md.interop.dask.map_tiles(doubled, view).name == md.interop.dask.map_tiles(doubled, view).name
    with pytest.raises(errors.ElementTypeError, match="complex128"):
        md.interop.dask.map_tiles(lambda a: a * 1j, view, dtype="f8").compute(scheduler="sync")


def test_nothing_runs_before_it_is_computed():
    out = new()
    later = md.interop.dask.map_tiles(doubled, new(values=VALUES), out=out, compute=False)
    assert np.asarray(out).sum() == 0
    later.compute(scheduler="sync")
    np.testing.assert_array_equal(np.asarray(out), VALUES * 2)


def test_processes_store_to_files(mapped):
    out = mapped("out", SHAPE, TILED)
    md.interop.dask.map_tiles(
        crossed, mapped("in", SHAPE, TILED, VALUES), out=out, halo=1, boundary="edge", scheduler="processes"
    )
    np.testing.assert_array_equal(np.asarray(out), crossed(padded("edge")))


def test_a_store_that_would_get_lost_is_refused():
    for out in (new(), zarr.create_array(zarr.storage.MemoryStore(), shape=SHAPE, chunks=(4, 3), dtype="f8")):
        with pytest.raises(errors.AccessorError, match=r"open_view.*scheduler='threads'"):
            md.interop.dask.map_tiles(doubled, new(), out=out, scheduler="processes")


def test_zarr_takes_whole_chunks_or_shards_alone(tmp_path):
    shapes = []

    def double(a):
        shapes.append(a.shape)
        return a * 2

    for name, options in {"chunks": {"chunks": (4, 3)}, "shards": {"chunks": (2, 3), "shards": (4, 3)}}.items():
        out = zarr.create_array(tmp_path / name, shape=SHAPE, dtype="f8", **options)
        shapes.clear()
        md.interop.dask.map_tiles(double, new(values=VALUES), out=out, scheduler="threads")
        assert sorted(shapes) == TILES
        np.testing.assert_array_equal(out[...], VALUES * 2)
        with pytest.raises(errors.ConflictError, match=name[:-1]):
            md.interop.dask.map_tiles(doubled, new(), out=out, chunks=(2, 3))
        np.testing.assert_array_equal(out[...], VALUES * 2)


def test_two_tasks_do_not_share_a_tile():
    out = new(values=7.0)
    for chunks in (2, (6, 3), ((4, 1, 5), (7,))):
        with pytest.raises(errors.ConflictError, match="tile"):
            md.interop.dask.map_tiles(doubled, new(), out=out, chunks=chunks)
    assert np.asarray(out).min() == 7
    md.interop.dask.map_tiles(doubled, new(), out=out, chunks=(8, 6))
    assert np.asarray(out).max() == 0


def test_out_that_tasks_read_is_refused_where_they_may_meet():
    data = np.zeros(12 * 9)
    view, same = md.MDView(data, SHAPE, TILED), md.MDView(data, SHAPE, TILED)
    view[:] = VALUES
    for source, halo in [(view, 1), (md.flip(view), 0)]:
        with pytest.raises(errors.ConversionError, match="view 0 shares memory with out"):
            md.interop.dask.map_tiles(doubled, source, out=same, halo=halo, chunks=(4, 3))
    md.interop.dask.map_tiles(doubled, view, out=view, scheduler="threads")
    np.testing.assert_array_equal(np.asarray(view), VALUES * 2)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads", "processes"])
def test_an_error_names_the_tile(scheduler, mapped):
    def fails(a):
        if a[0, 0] == VALUES[4, 3]:
            raise KeyError("no luck")
        return a

    out = mapped("out", SHAPE, TILED)
    with pytest.raises(errors.TileError, match=r"fails has failed for tile \[4:8, 3:6\]: KeyError: 'no luck'"):
        md.interop.dask.map_tiles(fails, mapped("in", SHAPE, TILED, VALUES), out=out, scheduler=scheduler)
    assert np.asarray(out)[4:8, 3:6].max() == 0
    assert np.asarray(out)[8:].max() > 0 or scheduler != "synchronous"


def test_a_ragged_result_is_refused_with_its_tile():
    def ragged(tile):
        return [[1.0], [2.0, 3.0]] if tile[0, 0] == 10 else tile

    view = md.asview(np.arange(16.0).reshape(4, 4))
    with pytest.raises(errors.ShapeError, match=r"ragged returns no array for tile \[2:4, 2:4\]"):
        md.interop.dask.map_tiles(ragged, view, out=md.zeros((4, 4)), chunks=(2, 2))


@pytest.mark.parametrize(
    ("f", "error", "match"),
    [
        (lambda a: a[:1], errors.ShapeError, r"tile \[\d:\d+, \d:\d\].*got shape \(1, "),
        (lambda a: None, errors.ShapeError, "got None"),
        (lambda a: a * 1j, errors.ElementTypeError, "complex128"),
        (lambda a: a.astype("U"), errors.ElementTypeError, "<U32"),
    ],
)
def test_results_that_are_no_tile_are_refused(f, error, match):
    with pytest.raises(error, match=match):
        md.interop.dask.map_tiles(f, new(), out=new(), scheduler="sync")


def test_integers_are_not_cut():
    out = md.zeros(SHAPE, TILED, "i")
    with pytest.raises(errors.ElementTypeError, match="int64"):
        md.interop.dask.map_tiles(lambda a: np.full(a.shape, 1 << 40), new(), out=out, scheduler="sync")
    assert np.asarray(out).max() == 0


def test_what_does_not_fit_is_refused_before_anything_runs():
    def never(*_):
        raise AssertionError

    view = new()
    wide = md.broadcast_to(md.zeros((1, 7)), SHAPE)
    for error, views, options in [
        (errors.ShapeError, [new(extents=(7, 10))], {"out": view}),
        (errors.ReadOnlyError, [new()], {"out": md.readonly(view)}),
        (errors.LayoutError, [new()], {"out": wide, "chunks": 4}),
        (errors.OperandError, [new()], {"out": VALUES.tolist()}),
        (errors.OperandError, [VALUES.tolist()], {"out": view}),
        (errors.OperandError, [], {}),
        (errors.OperandError, [new()], {"out": view, "scheduler": "nobody"}),
        (errors.ExtentsError, [new()], {"out": view, "halo": -1}),
        (errors.RankError, [new()], {"out": view, "halo": (1, 2, 3)}),
        (errors.ElementTypeError, [md.zeros(SHAPE, TILED, "i")], {"out": view, "halo": 1, "boundary": 1.5}),
    ]:
        with pytest.raises(error):
            md.interop.dask.map_tiles(never, *views, **{"scheduler": "sync", **options})
    with pytest.raises(errors.OperandError, match="what is called for each tile must be a function"):
        md.interop.dask.map_tiles(3, new(), out=view, scheduler="sync")


@pytest.mark.parametrize(("name", "here"), [("nearest", "edge"), ("periodic", "wrap")])
def test_what_dask_calls_otherwise_is_told(name, here):
    with pytest.raises(errors.OperandError, match=rf"got '{name}'; .*'{here}'.* '{name}'"):
        md.interop.dask.map_tiles(doubled, new(), halo=1, boundary=name)


def test_progress_of_dask_is_shown(capsys):
    with ProgressBar():
        md.interop.dask.map_tiles(doubled, new(), out=new())
    assert "100%" in capsys.readouterr().out


def test_rank_0_and_empty_views():
    one = md.zeros(())
    md.interop.dask.map_tiles(lambda a: a + 1, one, out=one, scheduler="sync")
    assert one[()] == 1
    md.interop.dask.map_tiles(crossed, md.zeros((0, 3)), out=md.zeros((0, 3)), halo=1, scheduler="sync")
    with dask.config.set(scheduler="sync"):
        assert md.interop.dask.map_tiles(doubled, md.zeros((0, 3))).compute().shape == (0, 3)


def test_what_is_computed_later_elsewhere_is_refused_there():
    view = new(values=VALUES)
    later = md.interop.dask.map_tiles(doubled, view, out=new(), compute=False, scheduler="threads")
    with pytest.raises(errors.AccessorError, match="open_view"):
        later.compute(scheduler="processes")
    with pytest.raises(errors.ConversionError, match="after a worker was lost"):
        md.interop.dask.map_tiles(doubled, view, out=view, compute=False)
