"""Inputs of a few numbers that describe huge index spaces, and what is asked of them; run as a script, it measures.

Each input runs in a fork of its own, within limits; a line of JSON says what came out and what it cost.
"""

import json
import os
import resource
import sys
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from mdview import (
    ALL,
    Layout,
    LayoutBlasPacked,
    LayoutMorton,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutSwizzled,
    LayoutTiled,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    broadcast_to,
    contiguous_runs,
    copy,
    diagonal,
    elements,
    expand_dims,
    explain,
    fill,
    flip,
    indices,
    pad,
    permute_dims,
    reshape,
    runs,
    sliding_window,
    squeeze,
    submapping,
    tiles,
)
from mdview.errors import UndecidedError
from mdview.lazy import StridedBox
from mdview.mappings import facts
from mdview.testing import examine_layout

SECONDS = 4
"""Processor time that an input may take; most take milliseconds."""

MEGABYTES = 600
"""Memory that the process may use, Python, NumPy and the package included."""


@dataclass(frozen=True)
class LayoutOwn(Layout):
    """A user's own, without strides."""

    def offset(self, extents, index):
        return index[0] * extents[1] + (index[1] ^ (index[0] & 7))

    def required_span_size(self, extents):
        return 0 if 0 in extents else extents[0] * extents[1]


@dataclass(frozen=True)
class LayoutHidden(Layout):
    """A user's own whose arithmetic cannot be traced."""

    def offset(self, extents, index):
        return hash(index[0]) * extents[1] + index[1]

    def required_span_size(self, extents):
        return extents[0] * extents[1]


@dataclass(frozen=True)
class LayoutRounds(Layout):
    """A user's own of 40 steps, each of which takes the one before twice."""

    def offset(self, extents, index):
        x = index[0] * extents[1] + index[1]
        for _ in range(40):
            x = (x ^ (x >> 1)) & 255
        return x

    def required_span_size(self, extents):
        return 256


BIG = 1 << 20
RANK = 20_000
ONES = (1,) * RANK

tiled = Mapping((BIG, BIG), LayoutTiled(7, 9))
morton = Mapping((BIG, BIG), LayoutMorton())
packed = Mapping((BIG, BIG), LayoutBlasPacked("upper", "column"))
swizzled = Mapping((BIG, BIG), LayoutSwizzled(LayoutTiled(7, 9), 3, 2, 4))
own = Mapping((BIG, BIG), LayoutOwn())
hidden = Mapping((BIG, BIG), LayoutHidden())
rounds = Mapping((BIG, BIG), LayoutRounds())
halo = pad(MDView(array("d", range(24)), (3, 5), LayoutTiled(2, 2)), 10**6)
flat_halo = reshape(halo, (-1,))
wide = MDView(range(1 << 62), (1 << 30, 1 << 30), LayoutTiled(7, 9), accessor=ReadOnlyAccessor())
dense = MDView(range(1 << 62), (1 << 30, 1 << 30), LayoutTiled(8, 8), accessor=ReadOnlyAccessor())


def parts(whole: Mapping[Any, Any]) -> list[Mapping[Any, Any]]:
    """Parts of a mapping that no strides describe."""
    halves = reshape(whole, (BIG // 2, 2, BIG))
    return [
        whole,
        submapping(whole, range(3, BIG - 5, 2), range(1, BIG - 9))[0],
        flip(whole, 0),
        permute_dims(flip(whole), (1, 0)),
        reshape(whole, (whole.size,)),
        submapping(halves, ALL, 1, range(5, BIG - 7))[0],
        flip(reshape(whole, (BIG * 4, BIG // 4)), 1),
        pad(whole, 10**6),
        broadcast_to(whole, (1 << 10, BIG, BIG)),
        diagonal(whole),
        sliding_window(whole, (3, 3)),
    ]


def answered(question: Callable[[Any], object], *wholes: Mapping[Any, Any]) -> bool:
    """Whether every part has an answer; one that is undecided has none."""
    return all(question(part) is not None for whole in wholes for part in parts(whole))


def undecided_or(question: Callable[[], object]) -> bool:
    """Whether there is an answer, or none within a budget."""
    try:
        return bool(question())
    except UndecidedError:
        return True


def cheap(question: Callable[[Any], object], *wholes: Mapping[Any, Any]) -> bool:
    """Ask the question of every part; it may be undecided."""
    return all(undecided_or(lambda part=part: [question(part)]) for whole in wholes for part in parts(whole))


def first(each: Iterable[Any]) -> Any:
    """First item of an iterable, or None."""
    return next(iter(each), None)


def bytes_view(**_: object) -> MDView[Any, Any, Any, Any]:
    """A matrix of 32 MiB."""
    return MDView(array("b", bytes(1 << 25)), (1 << 12, 1 << 13))


DECIDED: dict[str, Callable[[], bool]] = {
    "spans": lambda: answered(lambda m: m.required_span_size, tiled, morton, packed, own),
    "bounds": lambda: answered(facts.bounds, tiled, morton, packed, own),
    "uniqueness": lambda: answered(lambda m: m.is_unique, tiled, morton),
    "traits of a packed one": lambda: cheap(lambda m: (m.is_unique, m.is_exhaustive), packed),
    "traits of a swizzled one": lambda: cheap(lambda m: (m.is_unique, m.is_exhaustive), swizzled),
    "traits of one's own": lambda: cheap(lambda m: (m.is_unique, m.is_exhaustive), own),
    "whether strided": lambda: cheap(lambda m: m.is_strided, tiled, morton, own),
    "why not strided": lambda: cheap(facts.irregularity, tiled, packed, own),
    "the span of a swizzle": lambda: swizzled.required_span_size == 1099520016384,
    "the span of a far swizzle": lambda: (
        Mapping((1 << 60,), LayoutSwizzled(LayoutRight(), 3, 2, -40)).required_span_size == 1 << 60
    ),
    "the bounds of rounds": lambda: undecided_or(lambda: facts.bounds(rounds) == (0, 255)),
    "few elements in a long span": lambda: Mapping((2, 3), LayoutStride((1 << 61, 1))).is_exhaustive is False,
    "traits of a huge padding": lambda: (halo.mapping.required_span_size, halo.mapping.is_unique) == (21, True),
    "holes of a huge padding": lambda: facts.hole(halo.mapping) == facts.hole(Mapping((3, 5), LayoutTiled(2, 2))),
    "elements of a reshaped padding": lambda: facts.element_count(flat_halo.mapping) == 15,
    "offsets of a reshaped padding": lambda: [*flat_halo.mapping.offsets()] == [*tiled_offsets()],
    "memory order of a reshaped padding": lambda: len(list(indices(flat_halo, order="memory"))) == 15,
    "an explanation of a padding": lambda: len(explain(halo.mapping)) > 100,
    **{f"explanation {k} of tiles": lambda k=k: len(explain(parts(tiled)[k])) > 100 for k in range(11)},
    **{f"explanation {k} of one's own": lambda k=k: len(explain(parts(own)[k])) > 100 for k in range(11)},
    **{f"explanation {k} of a triangle": lambda k=k: len(explain(parts(packed)[k])) > 100 for k in range(11)},
    "first offsets": lambda: answered(lambda m: first(m.offsets()), tiled, morton, packed, own, hidden, rounds),
    "first indices": lambda: answered(lambda m: first(indices(m)), tiled, hidden),
    "first runs": lambda: answered(lambda m: first(contiguous_runs(m)), tiled, morton, packed, own),
    "first indices of memory": lambda: answered(
        lambda m: first(indices(m, order="memory")), tiled, morton, packed, own
    ),
    "the run of a dense one": lambda: first(runs(flip(dense), order="memory")).size == 1 << 60,
    "the runs of a part": lambda: first(runs(dense[:, 3:], order="memory")).size == 5,
    "a long run of memory": lambda: (
        first(runs(MDView(range(1 << 62), (1 << 62,), accessor=ReadOnlyAccessor()), order="memory")).size == 1 << 62
    ),
    "first tiles": lambda: [part.extents for part in islice(tiles(wide), 3)] == [(7, 9)] * 3,
    "first small tiles": lambda: [part.tolist() for part in islice(tiles(wide, (1, 1)), 2)] == [[[0]], [[1]]],
    "first elements": lambda: list(islice(elements(wide, order="memory"), 3)) == [0, 1, 2],
    "texts": lambda: len(repr(wide) + str(wide) + str(halo)) < 10_000,
    "a huge box": lambda: first(StridedBox((1 << 40, 1 << 20)).elements()) == 0,
    "many threads": lambda: copy(bytes_view(), bytes_view(), threads=100_000) is None,
    "the kit over a long span": lambda: examine_layout(LayoutStride((1 << 40, 1)), (2, 3)).is_accepted,
    "tiles of rank 20 000": lambda: MDView([5], ONES, LayoutTiled(*ONES))[(0,) * RANK] == 5,
    "traits at rank 20 000": lambda: all(
        Mapping(ONES, layout).is_unique and Mapping(ONES, layout).is_strided
        for layout in (LayoutRight(), LayoutTiled(*ONES), LayoutMorton(), LayoutRightPadded(4))
    ),
    "explanations at rank 20 000": lambda: all(
        len(explain(Mapping(ONES, layout))) > RANK for layout in (LayoutRight(), LayoutTiled(*ONES), LayoutMorton())
    ),
    "operations at rank 20 000": lambda: all(
        f(MDView([5], ONES, LayoutTiled(*ONES))).size == 1
        for f in (flip, squeeze, expand_dims, lambda v: permute_dims(v, range(RANK)[::-1]), lambda v: pad(v, 0))
    ),
}
"""What has an answer: the function gives True."""

REFUSED: dict[str, tuple[str, Callable[[], object]]] = {
    "a store into a huge padding": ("HaloError", lambda: fill(halo, 1.0)),
    "an assignment to a huge padding": ("HaloError", lambda: halo.__setitem__(..., 1.0)),
    "a store into a reshaped padding": ("HaloError", lambda: fill(flat_halo, 1.0)),
    "a store into a flipped padding": ("HaloError", lambda: fill(flip(halo), 1.0)),
    "the span of a hidden part": (
        "UndecidedError",
        lambda: submapping(hidden, range(1, BIG), range(2, BIG))[0].required_span_size,
    ),
    "the uniqueness of a hidden layout": ("UndecidedError", lambda: hidden.is_unique),
    "the order of a hidden layout": ("UndecidedError", lambda: first(indices(flip(hidden, 0), order="memory"))),
    "tiles of a hidden layout": (
        "UndecidedError",
        lambda: tiles(MDView(range(1 << 62), (BIG, BIG), LayoutHidden(), accessor=ReadOnlyAccessor()), (1, 1)),
    ),
    "an overlap": ("UndecidedError", lambda: facts.overlap(swizzled, flip(swizzled), shift=1 << 39)),
    "whether a hidden layout is strided": ("UndecidedError", lambda: hidden.is_strided),
    "the kit over many indices": ("ExtentsError", lambda: examine_layout(LayoutRight(), (100_000, 100_000))),
    "the kit over a huge empty space": ("ExtentsError", lambda: examine_layout(LayoutRight(), (0, 1 << 62))),
    "the kit over many dimensions": ("ExtentsError", lambda: examine_layout(LayoutRight(), ONES)),
    "no threads": ("ThreadsError", lambda: copy(halo, halo, threads=0)),
    "tiles that span too much": (
        "LayoutError",
        lambda: Mapping((3, *ONES), LayoutTiled(*[2] * (RANK + 1))),
    ),
}
"""What is refused, and the name of the error."""


def tiled_offsets() -> Iterable[int]:
    """Offsets of the view inside the padding."""
    return Mapping((3, 5), LayoutTiled(2, 2)).offsets()


def measured(case: Callable[[], object]) -> list[object]:
    """Run a case in this process, within limits: what came out, the processor time and the memory."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    try:
        outcome = repr(case())
    except Exception as error:  # noqa: BLE001 - whatever it is, the test wants to know
        outcome = type(error).__name__
    used = resource.getrusage(resource.RUSAGE_SELF)
    return [outcome, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]


def main() -> None:
    """Run each case in a fork and print what it gave."""
    cases = {**DECIDED, **{name: case for name, (_, case) in REFUSED.items()}}
    chosen = sys.argv[1:] or list(cases)
    for name in chosen:
        read, write = os.pipe()
        if not os.fork():
            os.write(write, json.dumps(measured(cases[name])).encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            text = pipe.read()
        os.wait()
        sys.stdout.write(json.dumps([name, *(json.loads(text) if text else ["killed", 99, 0])]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
