"""How whole views move, by what can be seen of it: which calls carry a copy out, and how much memory it takes."""

import sys
from collections import Counter
from itertools import permutations
from math import prod

import numpy as np
import pytest
from effort import some
from processes import output_of
from samples.layouts import LayoutEvensFirst

import mdview as md

SHAPES = ((400_000, 3), (3, 400_000), (480, 640, 4), (16, 3, 160, 160), (2, 3, 5, 7, 11, 13, 8), (1100, 1000))
STRIDED = {
    "rows": lambda _: md.LayoutRight(),
    "columns": lambda _: md.LayoutLeft(),
    "padded": lambda shape: md.LayoutRightPadded(shape[-1] + 5),
    "first axis last": lambda shape: md.LayoutStride(
        (1, *(shape[0] * prod(shape[r + 1 :]) for r in range(1, len(shape))))
    ),
}
TILED = {
    "tiles": lambda shape: md.LayoutTiled(*[min(16, n) for n in shape]),
    "tiles in columns": lambda shape: md.LayoutTiled(*[min(8, n) for n in shape], outer=md.LayoutLeft()),
}
TABLES = {
    "Morton": lambda _: md.LayoutMorton(),
    "swizzled": lambda _: md.LayoutSwizzled(md.LayoutRight(), 3, 3, 3),
    "a user's": lambda _: LayoutEvensFirst(),
}
LAYOUTS = STRIDED | TILED | TABLES
WIDE = {("Morton", shape) for shape in SHAPES if max(shape) > 16 * min(shape)}
"""Layouts that span many more items than there are elements."""
CELLS = [
    (one, other, shape)
    for one in LAYOUTS
    for other in LAYOUTS
    for shape in SHAPES
    if one != other and not {(one, shape), (other, shape)} & WIDE
]


def new_views(one, other, shape, dtype):
    """Source and target, which have been copied twice, so that what a plan keeps is there."""
    mappings = [md.Mapping(shape, LAYOUTS[name](shape)) for name in (one, other)]
    source, target = [md.MDView.from_mapping(np.zeros(m.required_span_size, dtype), m) for m in mappings]
    for _ in range(3):
        md.copy(source, target)
    return source, target


def calls_of(act):
    """How often each function is called, those of Python and of NumPy's arrays."""
    found = Counter()

    def seen(frame, event, given):
        if event == "c_call":
            found[given.__name__] += 1
        elif event == "call":
            found["in Python"] += 1

    sys.setprofile(seen)
    try:
        act()
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.parametrize(("one", "other", "shape"), some(CELLS, 24), ids=str)
def test_a_move_is_a_few_calls_for_each_box_that_stays_in_the_cache(one, other, shape):
    for dtype in ("u1", "f4", "c16"):
        if prod(shape) * np.dtype(dtype).itemsize > 1 << 25:
            continue
        source, target = new_views(one, other, shape, dtype)
        calls = calls_of(lambda source=source, target=target: md.copy(source, target))
        boxes = 1 + prod(shape) * max(8, np.dtype(dtype).itemsize) / (1 << 17)
        assert calls["in Python"] < 200 + 60 * boxes, (dtype, calls)
        assert calls["take"] <= 4 * boxes, (dtype, calls)
        if one in STRIDED and other in STRIDED and max(shape) > 16 * len(shape):
            assert not calls["take"], (dtype, calls)


@pytest.mark.parametrize(("one", "other"), [("rows", "rows"), *permutations(("rows", "columns", "tiles", "Morton"), 2)])
def test_a_small_copy_seen_before_takes_few_calls(one, other):
    source, target = new_views(one, other, (4, 4), "f8")
    files, calls = set(), []

    def seen(frame, event, _):
        if event == "call" and frame.f_code.co_name != "<lambda>":
            files.add(frame.f_code.co_filename)
            calls.append(frame.f_code.co_name)

    sys.setprofile(seen)
    try:
        md.copy(source, target)
    finally:
        sys.setprofile(None)
    assert len(calls) <= 50, calls
    assert len(files) <= 12, files


MEASURE = """
    import sys, tracemalloc
    sys.path.append(sys.argv[1])
    sys.path.append(sys.argv[1] + "/engines")
    from test_move_choices import CELLS, LAYOUTS, SHAPES
    import mdview as md, numpy as np
    from effort import some

    for one, other, shape in some(CELLS, 24):
        for dtype in ("u1", "f8"):
            mappings = [md.Mapping(shape, LAYOUTS[name](shape)) for name in (one, other)]
            source, target = [md.MDView.from_mapping(np.zeros(m.required_span_size, dtype), m) for m in mappings]
            md.copy(source[:2], target[:2])  # what a layout keeps of itself is no memory of a copy
            for _ in range(3):
                tracemalloc.start()
                md.copy(source, target)
                peak = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
                if peak > (8 << 20) + target.data.nbytes // 16:
                    print(one, other, shape, dtype, peak >> 10, "KiB of", target.data.nbytes >> 10)
"""


def test_a_move_takes_little_memory_beside_its_operands(pytestconfig):
    assert output_of(MEASURE, pytestconfig.rootpath / "tests", timeout=1200) == ""
