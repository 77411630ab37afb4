"""Layouts that contradict themselves: a kernel finds the element that Python's arithmetic names, or it fails."""

from array import array
from pathlib import Path

import pytest
from processes import output_of

import mdview as md
from mdview.errors import KernelError, LayoutError
from mdview.layouts import Composition, StrideRule, Tiling

numba = pytest.importorskip("numba")
kernels = pytest.importorskip("mdview.numba")

ROOT = Path(__file__).parents[2]

LIES = """
    from array import array

    import numba

    import mdview as md
    from mdview import numba as kernels
    from mdview.errors import IndexOutOfRangeError, KernelError

    class Lying(md.Layout):
        def __init__(self, arithmetic):
            self.arithmetic = arithmetic

        def offset(self, extents, index):
            return self.arithmetic(index[0] * index[1], extents[0])  # that of index 0 in the first column

        def required_span_size(self, extents):
            return 8

    LAYOUTS = {
        "far": lambda i, n: i * i * 10**9,
        "just before": lambda i, n: 3 - i * i // 4,
        "negative": lambda i, n: -(i * i),
        "wraps to 0 by a product": lambda i, n: i * i * 2**40 * 2**24,
        "wraps to small by a sum": lambda i, n: (i % 2) * (2**63 - 1) * 2 + (i ^ 2),
        "divides by 0": lambda i, n: 7 // (i ^ 2),
        "divides the lowest by -1": lambda i, n: (-(2**62) - (2**62) * (i & 1)) // -1 % 8 + (i ^ 1),
        "shifts backwards": lambda i, n: (i ^ 1) << (2 - i),
        "shifts far": lambda i, n: 1 >> (i ^ 3) * 40,
        "chooses": lambda i, n: 8 // (i - 3) if i > 3 else (i ^ 1) if i < 3 else 10**6,
        "by an extent": lambda i, n: (i ^ 3) // (n - 5) * (n - 3),
    }

    @numba.njit
    def get(v, i):
        return v[i, 1]

    @numba.njit
    def put(v, i):
        v[i, 1] = v[i, 1]
        return v[i, 1]

    @numba.njit
    def add(v, i):
        return kernels.atomic_add(v, (i, 1), 0)

    @numba.njit
    def in_part(v, i):
        return v[::-1][1:][::2][i, 1]

    def outcome(call):
        try:
            return call()
        except (IndexOutOfRangeError, KernelError) as error:
            return type(error).__name__
        except (ZeroDivisionError, ValueError):  # of the layout's own arithmetic, when a part is made in Python
            return "KernelError"

    def expected(layout, i):
        try:
            offset = layout.offset((6, 2), (i, 1))
        except (ZeroDivisionError, ValueError):
            return None
        return offset if 0 <= offset < 8 else None

    def check(name, layout, extent):
        buffer = array("q", [-7] * 8 + list(range(8)) + [-7] * 8)
        try:
            view = md.MDView(memoryview(buffer)[8:16], (extent, 2), layout)
        except ZeroDivisionError:  # where the view looked at such an index
            print(name, "not made", sep=": ")
            return
        refused = set()
        for i in range(6):
            place = expected(layout, i)
            calls = [lambda seen=seen: get(seen, i) for seen in (view, md.checked(view), md.unchecked(view))]
            calls += [lambda: put(view, i), lambda: add(view, i), lambda: get(view[:], i)]
            calls += [lambda: get(view[::-1], 5 - i)]
            if i in (4, 2, 0):
                calls.append(lambda: in_part(view, (4 - i) // 2))
            answers = {outcome(call) for call in calls}
            if answers != {place}:
                allowed = {"KernelError", "IndexOutOfRangeError"} if place is None else {"KernelError", place}
                assert answers <= allowed, (name, i, place, answers)
                refused |= answers - {place}
        assert buffer.tolist() == [-7] * 8 + list(range(8)) + [-7] * 8
        print(name, *sorted(refused), sep=": ")

    for name, arithmetic in LAYOUTS.items():
        check(name, Lying(arithmetic), 6)
    check("chooses", Lying(LAYOUTS["chooses"]), md.dim(6))
"""


@pytest.mark.deep
def test_a_kernel_finds_what_python_names_or_fails():
    done = output_of(LIES, options=["-W", "error"], cwd=ROOT)
    found = dict(line.split(": ") for line in done.splitlines())
    far = dict.fromkeys(("far", "just before", "negative", "by an extent"), "IndexOutOfRangeError")
    assert found == dict.fromkeys(found, "KernelError") | far
    assert len(found) == 11


@numba.njit
def get(v, i):
    return v[i]


@numba.njit
def corner(v):
    return v[0, 0]


@numba.njit
def in_tile(v, k, i, j):
    return kernels.tile(v, k)[i, j]


class Told(md.Layout):
    """Tiles of 2 by 2 that says of itself what it is told to say."""

    def __init__(self, **said):
        self.said = said

    def offset(self, extents, index):
        i, j = index
        return i // 2 * 8 + j // 2 * 4 + i % 2 * 2 + j % 2

    def required_span_size(self, extents):
        return 16

    def strides(self, extents):
        return self.said["strides"] if "strides" in self.said else super().strides(extents)

    def stride_rule(self):
        return self.said.get("rule")

    def tiling(self):
        return self.said.get("tiling")

    def composition(self, extents):
        return self.said.get("composition") or super().composition(extents)


def told(**said):
    data = array("q", [-7] * 16 + [*range(16)] + [-7] * 16)
    return md.MDView(memoryview(data)[16:32], (4, 4), Told(**said))


LIES_OF_LAYOUTS = {
    "constant strides that are not its own": {"rule": StrideRule("right"), "strides": (10**9, 1)},
    "a base index behind the base": {
        "composition": Composition(md.LayoutTiled(2, 2), (4, 4), md.index.IndexMap((0, 1), (1, 1), (0, 1)))
    },
    "tiles of no size": {"tiling": Tiling((0, 2), (2, 1), False)},
    "tiles of too few dimensions": {"tiling": Tiling((2,), (1,), False)},
    "tiles wider than 64 bits": {"tiling": Tiling((2, 2), (2**62, 1), False)},
}


@pytest.mark.parametrize("said", LIES_OF_LAYOUTS.values(), ids=LIES_OF_LAYOUTS)
def test_what_leads_out_of_the_data_is_refused_when_a_view_is_described(said):
    with pytest.raises((KernelError, LayoutError), match=r"contradicts itself|has strides"):
        corner(told(**said))
    assert corner(told()) == 0


@pytest.mark.parametrize("strides", [(10**9, 1), (-1, 1), (8, 2)])
def test_strides_of_tiles_are_followed_within_the_data_alone(strides):
    view = told(tiling=Tiling((2, 2), strides, False))
    for k in range(4):
        first = view[k // 2 * 2, k % 2 * 2]
        places = [first + i * strides[0] + j * strides[1] for i in range(2) for j in range(2)]
        if 0 <= min(places) <= max(places) < 16:
            assert [in_tile(view, k, i, j) for i in range(2) for j in range(2)] == places
        else:
            with pytest.raises(LayoutError, match="strides of its tiles lead out of the data"):
                in_tile(view, k, 0, 0)


class Shifting(md.Layout):
    """Puts its parts elsewhere."""

    def __init__(self, shift):
        self.shift = shift

    def offset(self, extents, index):
        return index[0] ^ 1

    def required_span_size(self, extents):
        return 8

    def sub(self, extents, slices):
        return Shifting(self.shift), self.shift


@pytest.mark.parametrize("shift", [10**9, -1, 17])
def test_a_part_that_begins_outside_of_the_data_is_refused(shift):
    view = md.MDView(array("q", range(16)), (8,), Shifting(shift))
    assert get(view, 0) == 1
    with pytest.raises((KernelError, IndexError), match=rf"begins at element {shift} of 16|positions from {shift} to"):
        get(view[2:6], 0)
