"""New views: subviews with keys that were never used, first elements, new extents, counts of calls, and imports.

Each statement also makes a key; the reference is a statement that makes the key only. Calls and modules are counted by
the interpreter's profiler in a separate process, so the counts do not depend on the machine.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from array import array
from collections.abc import Callable
from itertools import chain, cycle, permutations, product, repeat
from typing import Any, Final

from benchmarks.harness import Case, Report, Row, compare
from mdview import (
    LayoutLeft,
    LayoutMorton,
    LayoutRight,
    LayoutRightPadded,
    LayoutSwizzled,
    LayoutTiled,
    MDView,
    flip,
    subview,
)

SIDE: Final = 256
MICROSECOND: Final = 1e-6
Key = tuple[slice, slice]

LAYOUTS: Final[dict[str, Any]] = {
    "rows": LayoutRight(),
    "columns": LayoutLeft(),
    "padded": LayoutRightPadded(8),
    "tiles": LayoutTiled(8, 8),
    "Morton": LayoutMorton(),
    "swizzled": LayoutSwizzled(LayoutRight(), 3, 3, 3),
}
"""Any: layouts of all kinds."""

COUNTED: Final[dict[str, tuple[str, str, int, int]]] = {
    "new slice": ("v = MDView(data, (64, 64), LayoutTiled(8, 8)); v[0, 0]", "v[1:3, ::2]", 60, 10),
    "copy seen before": ("copy(v, w); copy(v, w); copy(v, w)", "copy(v, w)", 50, 12),
    "new copy": ("copy(MDView(data, (8, 8)), MDView(other, (8, 8)))", "copy(v, w)", 900, 25),
}
"""For each row the preparing statements, the counted statement, the most calls, and the most modules."""

_PROFILE: Final = """
import json, sys
from array import array
import numpy
from mdview import *
data, other = array("d", bytes(8 * 64 * 64)), array("d", bytes(8 * 64 * 64))
v, w = MDView(data, (20, 20), LayoutTiled(4, 4)), MDView(other, (20, 20))
exec(sys.argv[1])
calls, modules = 0, set()
def profile(frame, event, argument):
    global calls
    if event == "call" and "mdview" in frame.f_code.co_filename:
        calls += 1
        modules.add(frame.f_code.co_filename)
code = compile(sys.argv[2], "<counted>", "exec")
sys.setprofile(profile)
exec(code)
sys.setprofile(None)
print(json.dumps([calls, len(modules)]))
"""

_FIRST: Final = """
import sys
from array import array
data = array("d", bytes(8 * 16))
from mdview import MDView
MDView(data, (4, 4))[1, 2]
"""


def view(layout: Any, side: int = SIDE) -> MDView[Any, Any, Any, Any]:  # Any: see `LAYOUTS`
    """Return a square view of new memory that is large enough for each of the layouts."""
    return MDView(array("d", bytes(16 * side * (side + 8))), (side, side), layout)


def keys() -> Callable[[], Key]:
    """Return a function that returns two slices; it cycles through more shapes than any cache keeps."""
    counts = cycle(product(range(4, 240), range(4, 120)))
    return ((slice(5, 5 + n), slice(3, 3 + 2 * m, 2)) for n, m in counts).__next__


def parts() -> Report:
    """Measure subviews with new keys and with a key that was used before."""
    views = {name: view(layout) for name, layout in LAYOUTS.items()}
    names = {"subview": subview, "flip": flip}
    cases = []
    for name, whole in views.items():
        new = names | {"v": whole, "key": keys()}
        irregular = name not in ("rows", "columns", "padded")
        cases += [
            Case(f"{name}: v[a:b, c::2]", "v[key()]", new, most=6 * MICROSECOND),
            Case(f"{name}: subview", "subview(v, *key())", new, most=6 * MICROSECOND),
            Case(f"{name}: window and element", "v[key()][1, 2]", new, most=12 * MICROSECOND),
        ]
        if irregular:
            most = (25 if name == "swizzled" else 15) * MICROSECOND
            cases.append(Case(f"{name}: flip of a slice", "flip(v[key()], 0)", new, most=most))
        cases.append(Case(f"{name}: slice seen before", "v[1:60:2, ::3]", new, most=4 * MICROSECOND))
    cases += [
        Case("rows: v[i]", "v[5]", {"v": views["rows"]}, most=0.4 * MICROSECOND),
        Case(
            "tiles of 8 x 8 in a loop",
            "v[i:i + 8, j:j + 8]",
            {"v": views["tiles"], "i": 16, "j": 24},
            most=2 * MICROSECOND,
        ),
    ]
    return compare(Case("key", "key()", {"key": keys()}), cases, title=f"new parts, {SIDE} x {SIDE} float64")


def extents() -> Report:
    """Measure views with extents that were never used, and their first element."""
    data = array("d", bytes(8 * 512 * 512))
    shapes = chain.from_iterable(repeat([*permutations(range(190, 250), 2)])).__next__
    names = {"MDView": MDView, "data": data, "shape": shapes}
    cases = [
        Case(
            f"{name}: new extents and element",
            "MDView(data, shape(), layout)[3, 4]",
            names | {"layout": layout},
            most=200 * MICROSECOND,
        )
        for name, layout in {"tiles": LayoutTiled(8, 8), "Morton": LayoutMorton()}.items()
    ]
    shapes_seen = cycle([(64, 64)]).__next__
    cases += [
        Case("rows: seen before", "MDView(data, shape())", names | {"shape": shapes_seen}, most=1.5 * MICROSECOND),
        Case("rows: new extents", "MDView(data, shape())", names, most=6 * MICROSECOND),
    ]
    return compare(
        Case("shape", "shape()", names), cases, title="views of new extents, about 200 x 200 float64", rounds=7
    )


def counts() -> Report:
    """Count the calls of functions of mdview and their modules; the ratio of a row is the count over its limit."""
    rows = []
    for name, (before, statement, most_calls, most_modules) in COUNTED.items():
        output = subprocess.run([sys.executable, "-c", _PROFILE, before, statement], check=True, capture_output=True)
        calls, modules = json.loads(output.stdout)
        for what, count, most in (("calls", calls, most_calls), ("modules", modules, most_modules)):
            rows.append(Row(f"{name}: {count} {what} of {most}", math.nan, count / most, math.nan, 1.0, count <= most))
    code = f"{_FIRST}print(sum(name.partition('.')[0] == 'mdview' for name in sys.modules))"
    loaded = int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout)
    rows.append(Row(f"first view: {loaded} modules of 60", math.nan, loaded / 60, math.nan, 1.0, loaded <= 60))
    return Report("calls of functions of mdview", tuple(rows), 1)


def start(statement: str) -> None:
    """Run a statement in a new interpreter."""
    subprocess.run([sys.executable, "-c", statement], check=True)


def first() -> Report:
    """Measure imports, and the first view with its first element, in new processes."""
    bare = Case("interpreter", "start('from array import array')", {"start": start})
    seconds = compare(bare, [], rounds=5).rows[0].seconds
    cases = [
        Case(name, "start(code)", {"start": start, "code": code}, goal=(seconds + most) / seconds)
        for name, code, most in (("first view", _FIRST, 40e-3), ("import mdview", "import mdview", 20e-3))
    ]
    return compare(bare, cases, title="a new process; goals: 40 ms and 20 ms more than an interpreter")


def main() -> list[Report]:
    """Measure parts, extents, counts and the first view."""
    return [parts(), extents(), counts(), first()]
