"""What is saved opens with the same elements, and so does what `relayout_file` makes of it, in any two layouts."""

import pickle
import random
from array import array
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from effort import share, some
from samples import layouts as sample_layouts
from samples import mappings as sample_mappings
from samples.mappings import MAPPINGS, TILED, LayoutConstant, LayoutSymmetric, SquareAccessor

import mdview as md

GRID = np.arange(35.0).reshape(5, 7)
LAYOUTS = [
    None,
    "right",
    "left",
    "tiled(2, 3)",
    md.LayoutMorton(),
    md.LayoutRightPadded(8),
    md.layouts.LayoutTranspose(TILED),
]
OWN = {
    kind
    for module in (sample_layouts, sample_mappings)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, md.Layout) and kind.__module__.startswith("samples")
}
"""Classes of layouts that no file may name unless the reader does."""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "numbers.npy"


def check(view, path, layout=None, **options):
    """Save a view and open it again; return what is opened."""
    md.save(view, path, layout, **options)
    opened = md.open_view(path, layouts=OWN)
    assert opened.tolist() == view.tolist(), layout
    return opened


def filled(mode):
    padded = md.pad(md.asview(GRID), 1)
    return md.MDView.from_mapping(GRID, padded.mapping, md.accessors.FillAccessor(mode), origin=padded.origin)


VIEWS = {
    "turned": lambda: md.asview(GRID).T,
    "flipped": lambda: md.flip(md.asview(GRID)),
    "repeated": lambda: md.broadcast_to(md.asview(GRID)[0], (5, 7)),
    "windows": lambda: md.sliding_window(md.asview(GRID), (2, 2))[:3, :2, 0],
    "read-only": lambda: md.readonly(md.asview(GRID)),
    "atomic": lambda: md.atomic(md.asview(GRID)),
    "scaled": lambda: md.operations.scaled(2.0, md.asview(GRID)),
    "squares": lambda: md.MDView(GRID, (5, 7), md.LayoutRight(), SquareAccessor()),
    "of bytes": lambda: md.asview(bytes(range(35))),
    "tiled": lambda: md.MDView(array("d", range(54)), (5, 7), md.LayoutTiled(2, 3)),
    "part of tiles": lambda: md.MDView(array("d", range(54)), (5, 7), md.LayoutTiled(2, 3))[1:4, ::2],
    "symmetric": lambda: md.MDView(array("i", range(6)), (3, 3), LayoutSymmetric()),
    **{mode: partial(filled, mode) for mode in ("constant", "edge", "wrap", "reflect")},
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_of_every_kind_in_every_layout(name, path):
    view = VIEWS[name]()
    for layout in LAYOUTS[: len(LAYOUTS) if view.rank == 2 else 3]:
        opened = check(view, path, layout)
        assert layout is None or isinstance(layout, str) or opened.layout == layout


@pytest.mark.parametrize("name", some(MAPPINGS, 40))
def test_mappings_of_every_kind(name, path):
    mapping = MAPPINGS[name]()
    view = md.MDView.from_mapping(array("q", range(mapping.required_span_size)), mapping)
    opened = check(view, path)
    check(opened, path)  # over the file that it maps
    md.relayout_file(path, path.with_suffix(".raw"), "right", layouts=OWN)
    assert md.open_view(path.with_suffix(".raw"), md.Mapping(mapping.extents), "q").tolist() == view.tolist()


DTYPES = ["?", "i1", "u1", "<i2", ">i4", "<u8", ">f8", "<f2", ">f2", "f4", "<c8", ">c16", "g", "S3", "U2", "V5"]
DTYPES += ["M8[us]", "m8[D]", [("größe", "<i4"), ("b", ">f8", (2,))], [("a", "<i4"), ("b", [("c", "S2")])]]


def items(values):
    """The bytes of the elements; a long double has some that mean nothing."""
    array = np.asarray(values)
    return list(map(str, array.ravel())) if array.dtype.char == "g" else array.tobytes()


@pytest.mark.parametrize("dtype", DTYPES, ids=range(len(DTYPES)))
@pytest.mark.filterwarnings("ignore:Stored array in format")
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("layout", ["right", "left", "tiled(2, 3)"])
def test_items_of_every_kind(dtype, path, order, layout):
    kind = np.dtype(dtype)
    numbers = np.frombuffer(bytes(range(1, 241)) * 12, "u1")[: 12 * kind.itemsize]
    values = np.arange(12).astype(kind) if kind.kind in "bUc" or kind.char == "g" else numbers.copy().view(kind)
    np.save(path, values.reshape(3, 4).copy(order))
    view, expected = md.open_view(path), np.load(path)
    assert (view.dtype, view.layout) == (kind, md.asview(expected).layout)
    assert items(view) == items(expected)
    assert np.load(path).flags.f_contiguous is (order == "F")
    md.save(view, path, layout)
    md.relayout_file(path, path.with_name("left.npy"), "left")
    for made in (np.asarray(md.open_view(path)), np.load(path.with_name("left.npy"))):
        assert made.dtype == kind == np.load(path).dtype
        assert items(made) == items(expected)


@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 0), (0, 3, 2), (1, 1, 5), (2, 1, 3)])
@pytest.mark.parametrize("name", ["a.npy", "a.raw"])
@pytest.mark.parametrize("layout", [md.LayoutLeft(), "right"], ids=str)
def test_shapes_at_the_edge(shape, path, name, layout):
    given = np.arange(np.prod(shape, dtype="<i2")).reshape(shape)
    np.save(path, given)
    assert [np.asarray(md.open_view(path, mode=mode)).tolist() for mode in ("r", "r+")] == [given.tolist()] * 2
    target = path.with_name(name)
    md.save(md.asview(given), target, layout)
    text = None if name == "a.npy" else md.Mapping(shape, layout if isinstance(layout, md.Layout) else md.LayoutRight())
    opened = md.open_view(target, text, given.dtype.str)
    assert (opened.shape, opened.tolist()) == (shape, given.tolist())
    md.relayout_file(target, path.with_name("b.npy"), layout, text, given.dtype.str)
    assert np.load(path.with_name("b.npy")).tolist() == given.tolist()


def test_values_go_into_another_format(path):
    assert check(md.MDView([1, 2, 3], (3,)), path, dtype="d").format == "d"
    assert check(md.asview(np.arange(3)), path, dtype=">f4").dtype == ">f4"
    assert check(md.operations.scaled(0.5, md.asview(np.arange(3))), path, dtype="d").tolist() == [0, 0.5, 1]
    assert check(md.asview(np.array([[1, 2], [2, 3]])), path, LayoutSymmetric()).layout == LayoutSymmetric()
    check(md.asview(np.full((2, 2), 5.0)), path, LayoutConstant())


# Any layout becomes any other.

PAIRS = {
    1: ["right", "tiled(4)", "tiled(300)", "stride((3,))", "tiled(12, inner=tiled(4))"],
    2: [
        *("right", "left", "right_padded(1100)", "left_padded(1200)", "tiled(4, 4)"),
        *("tiled(30, 7, outer=left, inner=left)", "tiled(8, 8, inner=tiled(2, 4))", "stride((2, 9000))"),
        *("tiled(64, 64)", "tiled(1, 300)"),
    ],
    3: ["right", "left", "tiled(4, 3, 8)", "tiled(1, 16, 16, outer=left)", "right_padded(90)", "tiled(7, 7, 7)"],
}
SMALL = {1: [(1,), (257,)], 2: [(24, 40), (37, 53), (1, 300), (70, 3)], 3: [(6, 9, 16), (5, 7, 11)]}
LARGE = {1: [(300_000,)], 2: [(900, 1030), (4096, 128), (60, 9000)], 3: [(90, 70, 80)]}
"""Of more bytes than the least memory, so that they go in parts."""


def pairs(shapes, least):
    """Some cases of each rank: a shape and two layouts."""
    for rank in shapes:
        cases = list(product(shapes[rank], PAIRS[rank], PAIRS[rank]))
        cases = [case for case in cases if "stride((2, 9000))" not in case or case[0][0] < 4500]
        yield from random.Random(rank).sample(cases, share(8, least))  # noqa: S311 - cases, no secrets


def relaid(folder, shape, before, after, dtype="<u4", begin=0):
    """Write one file under two layouts, one into the other as well; return what the last two have."""
    values = np.random.default_rng(1).integers(1, 255, (*shape, np.dtype(dtype).itemsize), np.uint8).view(dtype)
    for name, layout in (("from", before), ("right", after)):
        md.save(md.asview(values[..., 0]), folder / name, layout)
    raw = folder / "from"
    raw.write_bytes(b"\xfe" * begin + raw.read_bytes())
    md.relayout_file(
        *(raw, folder / "to", after, f"{before} {shape}", np.dtype(dtype).str),
        offset=begin, max_memory=1 << 20,
    )  # fmt: skip
    return (folder / "right").read_bytes(), (folder / "to").read_bytes()


@pytest.mark.parametrize(("dtype", "begin"), [("<u4", 0), (">u2", 3), ("u1", 7), ("<c16", 64), ("S12", 5)])
def test_small_files_are_those_that_save_writes(tmp_path, dtype, begin):
    for shape, before, after in pairs(SMALL, 3):
        expected, made = relaid(tmp_path, shape, before, after, dtype, begin)
        assert made == expected, (shape, before, after)


@pytest.mark.parametrize(("rank", "least"), [(1, 2), (2, 3), (3, 2)])
def test_large_files_go_in_parts(tmp_path, rank, least):
    for shape, before, after in pairs({rank: LARGE[rank]}, least):
        expected, made = relaid(tmp_path, shape, before, after)
        assert made == expected, (shape, before, after)


def test_a_curve_is_one_layout_among_others(tmp_path):
    for before, after in (("right", "morton"), ("morton", "tiled(4, 4)"), ("morton", "left")):
        expected, made = relaid(tmp_path, (64, 64), before, after)
        assert made == expected


# What others see of the files.


def test_numpy_reads_rows_columns_and_what_a_layout_allocates(path):
    np.save(path, GRID)
    first = path.read_bytes()
    md.save(md.asview(GRID), path)
    assert path.read_bytes() == first
    for kind in (path, str(path), path.with_name("grün \n.npy")):
        md.save(md.asview(GRID), kind, "tiled(4, 4)")
        row = np.load(kind)
        assert row.shape == (2 * 2 * 16,)
        assert row[:16].reshape(4, 4).tolist() == GRID[:4, :4].tolist()
        assert row[16:32].reshape(4, 4).tolist() == [[*map(float, r), 0.0] for r in GRID[:4, 4:]]
        assert Path(kind).stat().st_size == 4096 + 64 * 8
        assert b"} # mdview: tiled(4, 4) (5, 7) " in Path(kind).read_bytes()[:4096]
        assert pickle.loads(pickle.dumps(md.open_view(kind))).tolist() == GRID.tolist()  # noqa: S301
    md.relayout_file(path, path, "right")
    assert path.read_bytes() == first
    md.save(md.asview(GRID), path.with_name("raw"), "tiled(4, 4)")
    assert path.with_name("raw").stat().st_size == 64 * 8


LINKS = {
    "itself": lambda path, other: path,
    "a symbolic link": lambda path, other: other.symlink_to(path) or other,
    "a hard link": lambda path, other: other.hardlink_to(path) or other,
}


@pytest.mark.parametrize("kind", LINKS)
def test_a_file_may_be_its_own_target(kind, path):
    np.save(path, GRID)
    view = md.open_view(path)
    target = LINKS[kind](path, path.with_name("b.npy"))
    md.relayout_file(path, target, "left")
    assert np.load(target).flags.f_contiguous
    md.save(view[::-1].T, target, "tiled(2, 2)")
    assert md.open_view(target).tolist() == GRID[::-1].T.tolist()
    assert view.tolist() == GRID.tolist()


@pytest.mark.parametrize("write", [md.save, lambda view, path, layout, **o: md.relayout_file(path, path, layout, **o)])
def test_progress_is_told(path, write):
    md.save(md.asview(GRID), path)
    told = []
    write(md.asview(GRID), path, "tiled(2, 3)", progress=lambda *counts: told.append(counts))
    assert told[-1] == (35, 35)
    assert md.open_view(path).mapping == md.parse("tiled(2, 3) (5, 7)")
