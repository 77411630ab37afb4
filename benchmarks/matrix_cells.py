"""A cell of the matrix is one function on one kind of view, next to the same function on rows of float64."""

from __future__ import annotations

import math
import signal
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from mdview.testing.samples.accessors import ACCESSORS, is_called
from mdview.testing.samples.data import FORMATS, NATIVE
from mdview.testing.samples.functions import FUNCTIONS
from mdview.testing.samples.layouts import LAYOUTS
from mdview.testing.samples.variants import VARIANTS
from mdview.testing.samples.views import Kind, Sample, sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

ROWS: Final = Kind()
BATCH: Final = 1e-3
"""Seconds that a cell is measured for, if one call takes less."""
MOST_NS: Final = 100.0
"""Nanoseconds an element from which a cell is not measured at the next larger size."""
PER_PART: Final = frozenset({"runs", "runs, memory", "tiles", "list"})
"""Functions that make views: their time is that of one view, and no other one's goal."""


@dataclass(frozen=True)
class Cell:
    """What was measured.

    Attributes
    ----------
    seconds
        The shortest time of an element, or of a view that is made; infinite if the limit stopped the first call.
    rows
        That of the same function on rows; of ``np.asarray`` that of a copy into a new array.
    is_small
        Whether it was measured at a smaller size than was asked for, since it is slow.
    """

    function: str
    kind: Kind
    size: int
    seconds: float
    rows: float
    is_small: bool = False

    @property
    def limit(self) -> float:
        """Seconds that an element may take; infinite where the accessor is called for each."""
        times, constant = factor(self.function, self.kind)
        return times * self.rows + constant

    @property
    def ratio(self) -> float:
        """How many times as long as on rows."""
        return self.seconds / self.rows

    @property
    def excess(self) -> float:
        """How many times as long as it may take."""
        return self.seconds / self.limit


def factor(function: str, kind: Kind) -> tuple[float, float]:
    """How many times as long as on rows an element may take, and how many seconds besides."""
    if function in PER_PART or function in {"asview", "flat"} or is_called(kind.accessor):
        return math.inf, 0.0
    if function == "np.asarray":
        return 1.2, 0.0
    plain = ACCESSORS[kind.accessor]().is_plain
    if not plain or kind.variant.startswith("padded"):
        return 4.0, 5e-9
    if function == "tolist":
        return 1.5, 5e-9
    if function.startswith("elements") or kind.format not in NATIVE:
        return 4.0, 5e-9
    return 3.0, 5e-9


def kinds() -> dict[str, list[Kind]]:
    """Return what is measured with all functions, by what the rows of the table have in common."""
    variants = [Kind(layout, variant=variant) for layout in LAYOUTS for variant in VARIANTS if large(variant)]
    over = [("right", "whole"), ("tiled", "whole"), ("Morton", "whole"), ("right", "padded, constant")]
    formats = [("right", "whole"), ("tiled", "whole"), ("right", "flipped")]
    return {
        "layouts": [Kind(layout) for layout in LAYOUTS],
        "variants": [kind for kind in variants if kind.variant != "whole"],
        "accessors": [Kind(at, accessor, variant=v) for accessor in ACCESSORS for at, v in over],
        "formats": [Kind(at, format=name, variant=v) for name in FORMATS for at, v in formats],
    }


def large(variant: str) -> bool:
    """Tell whether a variant has about as many elements as what it is made of."""
    return variant not in {"empty", "of rank 0", "windows", "padded, windows"}


class StoppedError(BaseException):
    """The limit of a call has passed; no engine may take it for an error of its own."""


def stop(_number: int, _frame: FrameType | None) -> None:
    raise StoppedError


def once(call: Callable[[], object], limit: float) -> float:
    """Time one call; infinite where it takes longer than the limit, or does not apply."""
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        start = perf_counter()
        call()
        return perf_counter() - start
    except StoppedError:
        return math.inf
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def shortest(call: Callable[[], object], limit: float) -> float:
    """Return the shortest time of a call: of one where it is long, else of batches for some milliseconds."""
    first = once(call, limit)
    if first > 25 * BATCH:
        return first
    found, spent, batch = first, 0.0, max(1, int(BATCH / 10 / max(first, 1e-7)))
    while spent < BATCH:
        start = perf_counter()
        for _ in range(batch):
            call()
        taken = perf_counter() - start
        found, spent = min(found, taken / batch), spent + taken
    return found


class Matrix:
    """Measures cells of one size, and remembers the shortest times of rows, measured before each kind anew."""

    def __init__(self, size: int, limit: float, functions: Sequence[str], slow: set[tuple[str, Kind]]) -> None:
        """Measure at ``size`` by ``size``, but not what is ``slow`` already."""
        self.size, self.limit, self.functions, self.slow = size, limit, functions, slow
        self.rows: dict[str, float] = {}
        self.control: dict[str, float] = {}
        self._calls, self._controls = ({name: self.call(name, ROWS) for name in functions} for _ in range(2))

    def call(self, function: str, kind: Kind, made: Sample | None = None) -> tuple[Callable[[], Any], int] | None:
        """Return a call that is ready, and how many elements or parts it is about; None if it does not apply."""
        made = made or sample(kind, (self.size, self.size))
        if made is None:
            return None
        try:
            run = FUNCTIONS[function].prepare(made.view).run
            result = run() if function in PER_PART else None
        except Exception:  # noqa: BLE001 - the function has no meaning for these elements
            return None
        return run, max(1, len(result)) if function in PER_PART and result is not None else made.view.size

    def look_at_rows(self) -> None:
        """Measure rows once more, and rows again as a control."""
        for name in self.functions:
            for calls, found in ((self._calls, self.rows), (self._controls, self.control)):
                if (ready := calls[name]) is not None:
                    seconds = shortest(ready[0], self.limit) / ready[1]
                    found[name] = min(seconds, found.get(name, math.inf))

    def measure(self, kind: Kind) -> Iterator[tuple[str, float]]:
        """Measure all functions on a kind; time of an element, or of a part."""
        made = sample(kind, (self.size, self.size))
        for name in self.functions:
            if made is None or (name, kind) in self.slow:
                continue
            try:
                ready = self.call(name, kind, made)
                seconds = math.nan if ready is None else shortest(ready[0], self.limit) / ready[1]
            except Exception:  # noqa: BLE001, S112 - it does not store to these elements, or compute with them
                continue
            if not math.isnan(seconds):
                yield name, seconds
