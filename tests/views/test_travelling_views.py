"""Views travel (pickled, or copied deeply) as what they are: the same values, formats and policies, over data of their
own that they share as they shared it before, and no more of it than they reach."""

import copy
import ctypes
import io
import mmap
import multiprocessing
import pickle
import subprocess
import sys
import textwrap
from array import array
from collections import deque
from dataclasses import dataclass
from typing import final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import CountingAccessor

from mdview import (
    AlignedAccessor,
    AtomicAccessor,
    CheckedAccessor,
    ConjugatedAccessor,
    DefaultAccessor,
    FillAccessor,
    LayoutMorton,
    LayoutRight,
    LayoutTiled,
    Mapping,
    MDView,
    MemorySpaceAccessor,
    NonTemporalAccessor,
    ReadOnlyAccessor,
    RestrictAccessor,
    ScaledAccessor,
    UncheckedAccessor,
    Writable,
    asview,
    bitcast,
    dim,
    flip,
    pad,
    permute_dims,
    ravel,
    readonly,
    reshape,
)
from mdview.accessors.memories import Arrival, _placed
from mdview.errors import AccessorError, BufferSizeError, MDViewError
from mdview.testing.strategies import mappings
from mdview.views.base import parts_of


def mapped(count):
    memory = mmap.mmap(-1, 8 * count + 1)
    memory[: 8 * count] = array("d", range(count)).tobytes()
    return memoryview(memory)[: 8 * count].cast("d")


SOURCES = {
    "list": lambda n: [float(k) for k in range(n)],
    "tuple": lambda n: tuple(range(n)),
    "range": range,
    "deque": lambda n: deque(range(n)),
    "bytes": lambda n: bytes([k % 251 for k in range(n)]),
    "bytearray": lambda n: bytearray([k % 251 for k in range(n)]),
    "array": lambda n: array("d", range(n)),
    "array of shorts": lambda n: array("h", range(n)),
    "part of a map": mapped,
    "memoryview": lambda n: memoryview(array("i", range(n))),
    "part of a memoryview": lambda n: memoryview(array("i", range(n + 9)))[5 : n + 5],
    "read-only memoryview": lambda n: memoryview(bytearray([k % 251 for k in range(n)])).toreadonly(),
    "ctypes": lambda n: (ctypes.c_double * n)(*range(n)),
    "ndarray": lambda n: np.arange(float(n)),
    "Fortran": lambda n: np.asfortranarray(np.arange(2.0 * n).reshape(2, n)),
    "foreign": lambda n: np.arange(n, dtype=">i4"),
    "part of a foreign one": lambda n: memoryview(np.arange(n + 9, dtype=">i4"))[3:],
    "halves": lambda n: np.arange(n).astype("f2"),
    "complex": lambda n: np.arange(n) * 1j,
    "memmap": lambda n: np.frombuffer(mapped(n)),
}


def through_buffers(value):
    buffers = []
    sent = pickle.dumps(value, 5, buffer_callback=buffers.append)
    return pickle.loads(sent, buffers=[bytes(buffer) for buffer in buffers])  # noqa: S301 - our own


def through_pickle(protocol):
    return lambda value: pickle.loads(pickle.dumps(value, protocol))  # noqa: S301 - our own


WAYS = {
    **{f"protocol {p}": through_pickle(p) for p in range(6)},
    "without the C pickler": lambda value: pickle._loads(pickle._dumps(value, 4)),
    "buffers": through_buffers,
    "deep copy": copy.deepcopy,
    "deep copy twice": lambda value: copy.deepcopy(copy.deepcopy(value)),
    "deep copy of a pickle": lambda value: copy.deepcopy(through_pickle(5)(value)),
}

CORES = [DefaultAccessor(), CheckedAccessor(), UncheckedAccessor()]
WRAPPERS = [
    RestrictAccessor,
    NonTemporalAccessor,
    lambda inner: AtomicAccessor(inner, process_local=True),
    ReadOnlyAccessor,
    lambda inner: MemorySpaceAccessor("managed", inner),
    lambda inner: FillAccessor("constant", 7, inner),
]
READERS = [lambda inner: ScaledAccessor(3, inner), ConjugatedAccessor, ReadOnlyAccessor]


@st.composite
def accessors(draw, readonly):
    made = draw(st.sampled_from(CORES))
    for wrap in draw(st.lists(st.sampled_from(WRAPPERS), max_size=2)):
        if isinstance(made, AtomicAccessor) or not isinstance(made, Writable):
            break
        made = wrap(made)
    if readonly or draw(st.integers(0, 4)) == 0:
        made = draw(st.sampled_from(READERS))(made)
    return made


@st.composite
def lying_in(draw, kind):
    """A source and a view of some of it, perhaps of little."""
    mapping = draw(mappings(3, 4))
    before, behind = [draw(st.sampled_from([0, 1, 5000])) for _ in "ab"]
    source = SOURCES[kind](before + mapping.required_span_size + behind)
    readonly = not hasattr(type(source), "__setitem__") or (isinstance(source, memoryview) and source.readonly)
    return MDView.from_mapping(source, mapping, draw(accessors(readonly)), origin=before)


def state(views):
    return [(view.tolist(), view.format, view.extents, view.mapping, view.accessor) for view in views]


def store(views, k):
    """Store through the first view that can, at its element number ``k``, and tell whether one could."""
    for view in views:
        if view.size and isinstance(view.accessor, Writable):
            index = tuple(int(i) for i in np.unravel_index(k % view.size, view.shape))
            view[index] = type(view.tolist() if not view.rank else np.ravel(view.tolist()).tolist()[0])(1)
            return


@given(st.data(), st.sampled_from(list(SOURCES)), st.sampled_from(list(WAYS)))
def test_what_shares_data_shares_its_copy(data, kind, way):
    view = data.draw(lying_in(kind))
    part = view[(..., *[slice(data.draw(st.integers(0, 2)), None) for _ in view.extents])]
    other = MDView.from_mapping(view.data, view.mapping, view.accessor, origin=view.origin)
    views = data.draw(st.permutations([view, part, other, copy.copy(view)]))
    before = state(views)
    again = WAYS[way](views)
    assert state(again) == before == state(views)
    assert [v.itemsize for v in again] == [v.itemsize for v in views]
    assert [np.asarray(v).flags.writeable for v in again] == [np.asarray(v).flags.writeable for v in views]
    k = data.draw(st.integers(0, 100))
    store(again, k)
    assert state(views) == before
    store(views, k)
    assert state(again) == state(views)


@given(st.data(), st.sampled_from([kind for kind in SOURCES if kind not in {"list", "tuple", "range", "deque"}]))
def test_a_pickle_is_as_long_as_what_is_reached(data, kind):
    view = data.draw(lying_in(kind))
    offsets = list(view.mapping.offsets()) or [0]
    reached = (max(offsets) - min(offsets) + 1) * view.itemsize
    assert len(pickle.dumps(view, 5)) < reached + 4096 + 2048
    both = [view, view[...], copy.copy(view)]
    assert len(pickle.dumps(both, 5)) < reached + 4096 + 3 * 2048


LARGE = array("d", range(1 << 20))
WINDOWS = {
    "window": lambda v: v[500:502, 500:502],
    "flipped window": lambda v: flip(v[500:502, 500:502], (0, 1)),
    "transposed window": lambda v: permute_dims(v[500:502, 500:502], (1, 0)),
    "padded window": lambda v: pad(v[500:502, 500:502], 2, mode="edge"),
    "element": lambda v: v[7:8, 7:8],
    "rank 0": lambda v: reshape(v[7:8, 7:8], ()),
    "reshaped window": lambda v: ravel(v[500:502, 500:502]),
    "empty": lambda v: v[5:5],
    "bytes of a window": lambda v: bitcast(v[500:501, 500:502], "B"),
}


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("layout", [LayoutRight(), LayoutTiled(16, 16), LayoutMorton()], ids=type)
def test_a_window_of_a_large_buffer_travels_alone(name, layout):
    window = WINDOWS[name](MDView(LARGE, (1024, 1024), layout))
    for protocol in range(2, 6):
        sent = pickle.dumps(window, protocol)
        assert len(sent) < (1 << 16)
        again = pickle.loads(sent)  # noqa: S301 - our own
        assert (again.tolist(), again.mapping, again.origin) == (window.tolist(), window.mapping, window.origin)
    assert copy.deepcopy(window).tolist() == window.tolist()


@pytest.mark.parametrize("layout", [LayoutRight(), LayoutTiled(16, 16), LayoutMorton()], ids=type)
def test_windows_that_overlap_do_so_afterwards(layout):
    whole = MDView(array("d", range(1 << 20)), (1024, 1024), layout)
    first, second, apart = whole[:2, :2], whole[1:3, 1:3], whole[-2:, -2:]
    sent = pickle.dumps({"first": first, "second": second, "apart": apart})
    assert len(sent) < 100_000
    again = pickle.loads(sent)  # noqa: S301 - our own
    again["first"][1, 1] = -1.0
    assert again["second"][0, 0] == -1.0
    assert again["apart"].tolist() == apart.tolist()
    assert whole[1, 1] != -1.0


@pytest.mark.parametrize("order", ["wv", "vw", "dvw", "vwd", "vdw"])
def test_a_window_the_whole_and_its_buffer_share_data_afterwards(order):
    data = array("d", range(1 << 14))
    parts = {"d": data, "v": MDView(data, (128, 128)), "w": MDView(data, (128, 128))[3:5, 3:5]}
    again = dict(zip(order, through_pickle(5)([parts[name] for name in order]), strict=True))
    again["v"][3, 3] = -1.0
    assert again["w"][0, 0] == -1.0
    if "d" in order:
        assert again["d"][3 * 128 + 3] == -1.0
        assert again["v"].data is again["d"]
    again["w"][1, 1] = -2.0
    assert again["v"][4, 4] == -2.0


@pytest.mark.parametrize("order", ["dw", "wd", "wvd", "dwv"])
def test_a_deep_copy_shares_with_the_buffer_whatever_it_meets_first(order):
    data = np.zeros((128, 128))
    parts = {"d": data, "v": asview(data), "w": asview(data)[3:5, 3:5]}
    again = dict(zip(order, copy.deepcopy([parts[name] for name in order]), strict=True))
    again["w"][0, 0] = -1.0
    assert again["d"][3, 3] == -1.0
    assert data[3, 3] == 0


def test_many_windows_take_what_they_reach_together():
    whole = MDView(array("d", range(1 << 17)), (1 << 17,))
    windows = [whole[k * 100 : k * 100 + 10_000] for k in range(1000)]
    assert sum(w.size for w in windows) * 8 == 80_000_000
    assert len(pickle.dumps(windows)) < 3_000_000


def test_other_pickles_leave_no_trace():
    data = array("d", range(1 << 14))
    window, other = MDView(data, (128, 128))[:2, :2], MDView(data, (128, 128))[1:9, 1:9]
    alone = pickle.dumps(window)
    pickle.dumps([other, window])
    keeping = pickle.Pickler(io.BytesIO())
    keeping.dump([other, window])
    assert pickle.dumps(window) == alone
    data[0] = -1.0
    assert through_pickle(5)(window)[0, 0] == -1.0
    assert through_pickle(5)(other).tolist() == other.tolist()


def test_a_pickle_locks_a_buffer_only_while_it_is_made():
    data = bytearray(100_000)
    with MDView(data, (100_000,)) as view:
        again = [through_pickle(5)(view[:5]), copy.deepcopy(view[:5]), through_pickle(5)(view)]
    data.append(1)
    for made in again:
        held = made.data
        made.release()
        if isinstance(held, bytearray):
            held.append(1)


def test_a_long_buffer_takes_memory_for_what_has_arrived():
    script = """
        import mmap, pickle, resource
        from mdview import MDView
        far = MDView(mmap.mmap(-1, 1 << 30), (4, 1 << 28))
        windows = [far[:1, :1000], far[3:, -1000:]]
        windows[1][0, 0] = 7
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        again = pickle.loads(pickle.dumps(windows))
        assert again[1][0, 0] == 7 and again[1].data is again[0].data
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=60, check=True
    )
    assert int(done.stdout) < 50_000


@pytest.mark.parametrize("travel", [copy.deepcopy, through_pickle(5)], ids=["copy", "pickle"])
@pytest.mark.parametrize("place", range(40))
def test_an_alignment_is_claimed_where_it_holds(place, travel):
    inner = CheckedAccessor()
    data = np.zeros(2048, "u1")
    view = MDView(data, (512,))
    start = -data.ctypes.data % 1024
    aligned = MDView(memoryview(data)[start : start + 512], view.extents, accessor=AlignedAccessor(1024, inner))
    again = travel([bytearray(place), aligned, readonly(aligned)])
    for made, accessor in zip(again[1:], [aligned.accessor, readonly(aligned).accessor], strict=True):
        assert made.tolist() == aligned.tolist()
        assert made.accessor in (accessor, accessor.offset_policy())
        made.accessor.check(parts_of(made).storage, made.origin)


def test_an_alignment_that_every_buffer_has_stays():
    view = MDView(array("d", range(4)), (4,), accessor=AlignedAccessor(8))
    assert through_pickle(5)(view).accessor == copy.deepcopy(view).accessor == view.accessor


@final
@dataclass(frozen=True)
class PairAccessor(Writable[float, float]):
    """Adds the element at the offset and the one a thousand items behind."""

    def load(self, data, offset):
        return data[offset] + data[offset + 1000]

    def store(self, data, offset, value):
        data[offset] = value - data[offset + 1000]


@pytest.mark.parametrize("travel", WAYS.values(), ids=WAYS)
def test_an_accessor_that_looks_elsewhere_finds_what_was_there(travel):
    assert not PairAccessor().is_local
    row = MDView(array("d", range(5000)), (4000,), accessor=PairAccessor())
    assert travel(row[5:9]).tolist() == row[5:9].tolist() == [1010, 1012, 1014, 1016]
    assert travel(readonly(row)[5:9]).tolist() == row[5:9].tolist()
    assert travel(MDView(array("d", range(5000)), (4000,), accessor=CountingAccessor())[3:5]).tolist() == [-3, -4]


@pytest.mark.parametrize("travel", WAYS.values(), ids=WAYS)
def test_a_released_view_travels_as_the_null_view(travel):
    view = MDView(bytearray(6), (dim(2), 3))
    view.release()
    again = travel([view, view])
    assert again[0] is again[1]
    assert (again[0].data, again[0].extents, again[0].static_extents) == (None, (2, 0), (2, None))


@pytest.mark.parametrize("travel", WAYS.values(), ids=WAYS)
def test_a_list_that_has_become_shorter_does_not_travel(travel):
    data = [1, 2, 3]
    view = MDView(data, (3,))
    data.pop()
    with pytest.raises(BufferSizeError, match="the data had 3 elements when the view was made, now 2"):
        travel(view)


@pytest.mark.parametrize("travel", WAYS.values(), ids=WAYS)
def test_views_of_one_list_or_with_it_share_it_afterwards(travel):
    data = [[k] for k in range(2000)]
    again = travel([MDView(data, (2000,))[3:5], data, MDView(data, (2, 1000))])
    again[0][1] = "new"
    assert again[1][4] == again[2][0, 4] == "new"
    assert data[4] == [4]
    again[0][0].append(1)
    assert again[2][0, 3] == [3, 1]


def test_a_window_of_objects_takes_its_list_along():
    assert len(through_pickle(5)(MDView(list(range(2000)), (2000,))[:2]).data) == 2000


def sent_there_and_back(view):
    view[0, 0] = -view[0, 0]
    return view


def test_a_window_goes_to_another_process_and_back():
    window = MDView(array("d", range(1 << 16)), (256, 256), LayoutTiled(2, 2))[7:9, 7:9]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        again = pool.apply(sent_there_and_back, (window,))
    assert again[0, 0] == -window[0, 0] != 0
    assert again[1:].tolist() == window[1:].tolist()


@pytest.mark.parametrize(
    "data",
    [array("d", range(8)), list(range(8)), np.arange(8)[::-1], mapped(8), np.arange(8).astype("M8[s]")],
    ids=type,
)
def test_what_is_unpickled_is_checked_like_what_is_made(data):
    view = asview(data) if isinstance(data, np.ndarray) else MDView(data, (8,))
    make, (base, storage, origin, mapping, accessor) = view.__reduce__()
    wrong = [
        (base, storage, origin, Mapping((9,)), accessor),
        (base, storage, -1, mapping, accessor),
        (base, storage, 1, mapping, accessor),
        (base, storage, "1", mapping, accessor),
        (base, storage, origin, (8,), accessor),
        (base, storage, origin, mapping, DefaultAccessor),
        (base, data, origin, mapping, accessor),
        (base, b"", origin, mapping, accessor),
        (dict, storage, origin, mapping, accessor),
    ]
    for parts in wrong:
        with pytest.raises(MDViewError):
            make(*parts)


@dataclass
class Forged:
    """Is pickled as a call."""

    make: object
    arguments: tuple[object, ...]

    def __reduce__(self):
        return self.make, self.arguments


def forged(view, **changes):
    """Pickle a view with something else in its description, and unpickle it."""
    make, (base, storage, *rest) = view.__reduce__()
    unpack, (memory, owner, blocks, what) = storage.__reduce__()
    parts = {"memory": memory, "owner": owner, "blocks": blocks}
    parts |= dict(zip(("start", "nbytes", "form", "readonly", "is_view"), what, strict=True))
    parts |= {name: change(parts[name]) for name, change in changes.items()}
    memory, owner, blocks, *what = parts.values()
    return through_pickle(5)(Forged(make, (base, Forged(unpack, (memory, owner, blocks, tuple(what))), *rest)))


CHANGES = {
    "no memory": {"memory": lambda _: None},
    "a shorter memory": {"memory": lambda _: Forged(Arrival, (8, False))},
    "a longer memory": {"memory": lambda _: Forged(Arrival, (1 << 62, False)), "nbytes": lambda _: 1 << 62},
    "a negative memory": {"memory": lambda _: Forged(Arrival, (-8, False))},
    "memory of a size that is none": {"memory": lambda _: Forged(Arrival, ("8", False))},
    "start before": {"start": lambda start: start - 8},
    "start behind": {"start": lambda start: start + (1 << 20)},
    "start that is none": {"start": str},
    "more bytes": {"nbytes": lambda nbytes: nbytes + (1 << 20)},
    "fewer bytes": {"nbytes": lambda _: 8},
    "bytes that items do not divide": {"nbytes": lambda nbytes: nbytes - 1},
    "negative bytes": {"nbytes": lambda nbytes: -nbytes},
    "other items": {"form": lambda _: "7s"},
    "no format": {"form": lambda _: ""},
    "unknown format": {"form": lambda _: "w"},
    "empty items": {"form": lambda _: "0s"},
    "a format that is none": {"form": lambda _: 8},
    "an owner that is none": {"owner": lambda _: 8},
    "a shorter owner": {"owner": lambda _: b"12"},
    "objects": {"form": lambda _: (np.ndarray, np.dtype("O"))},
    "no items": {"form": lambda _: (np.ndarray, np.dtype("V0"))},
    "a class that is none": {"form": lambda _: (int, np.dtype("f8"))},
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("view", [MDView(LARGE, (1024, 1024))[2:4], MDView(LARGE[:9], (3, 3))], ids=["large", "small"])
def test_a_forged_pickle_is_refused(view, name):
    assert forged(view).tolist() == view.tolist()
    with pytest.raises(MDViewError):
        forged(view, **CHANGES[name])


@pytest.mark.parametrize("block", [(-8, b"12345678"), (1 << 30, b"1"), (0, "text"), ("0", b"1"), (8, b"123456789")])
def test_a_forged_block_is_refused(block):
    with pytest.raises(MDViewError):
        through_pickle(5)(Forged(_placed, (Forged(Arrival, (16, False)), *block)))
    with pytest.raises(MDViewError):
        through_pickle(5)(Forged(_placed, (b"", 0, b"")))


def test_a_forged_policy_is_refused():
    sent = pickle.dumps(MDView(array("d", range(9)), (9,), accessor=AlignedAccessor(8)), 2)
    with pytest.raises(AccessorError, match="a power of two"):
        pickle.loads(sent.replace(b"K\x08", b"K\x00", 1))  # noqa: S301 - our own


def test_a_pickle_with_wrong_bytes_never_reaches_outside():
    script = """
        import pickle, random
        from array import array
        import numpy as np
        from mdview import LayoutTiled, MDView, ReadOnlyAccessor, asview
        views = [
            MDView(array("d", range(1 << 14)), (128, 128))[:2, :2],
            MDView(array("d", range(64)), (8, 8), LayoutTiled(2, 2)),
            MDView(memoryview(bytes(9))[1:], (8,), accessor=ReadOnlyAccessor()),
            asview(np.arange(8).astype("M8[s]")[::-2]),
        ]
        random.seed(0)
        for view in views:
            sent = pickle.dumps(view, 4)
            head = [k for k in range(len(sent)) if k < 40 or k > len(sent) - 700]
            for _ in range(500):
                wrong = bytearray(sent)
                for _ in range(random.choice([1, 1, 2])):
                    wrong[random.choice(head)] = random.randrange(256)
                try:
                    made = pickle.loads(wrong)
                    made.size < 100_000 and made.tolist()
                except (Exception, SystemExit):
                    pass
        print("done")
    """
    limit = "import resource; resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))\n"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", limit + textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.endswith("done\n"), done.stderr[-2000:]
