"""Views where mappings do, fields of NumPy's records, and functions of any rank."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, assert_type

import numpy as np
from typing_extensions import TypeVarTuple

from mdview import Dims1, Dims2, Dims4, Layout, MDView, asview, zeros
from mdview.iteration import Binned, MultiIndex, elements
from mdview.layouts import StridedLayout
from mdview.operations import accumulate, bitcast

Ns = TypeVarTuple("Ns")


def values(view: MDView[float, tuple[*Ns]]) -> Iterator[float]:
    return elements(view)


def doubled(value: float) -> float:
    return 2 * value


def offsets(view: MDView[float, Dims2]) -> list[tuple[int, ...]]:
    return [*MultiIndex(view, view), *MultiIndex(view.mapping, view)]


def events(line: MDView[float, Dims1], cells: MDView[int, Dims1]) -> int:
    return len(list(elements(Binned(line, [(0, 1), (1, 3)], cells=cells)[0])))


def reset(records: np.ndarray[tuple[int], np.dtype[np.void]]) -> float:
    fields = asview(records)
    fields["x"][0] = 1.0
    fields["y"] = 2.0
    return float(sum(fields["x"]))


def last_rows(volume: MDView[float, Dims4], side: Literal[0]) -> None:
    assert_type(volume[..., 0], MDView[float, tuple[int, int, int], StridedLayout])
    assert_type(volume[0, ...], MDView[float, tuple[int, int, int]])
    assert_type(volume[..., side, 1], MDView[float, Dims2, StridedLayout])
    volume[0, ...] = 0.0
    volume[..., 1] = volume[..., 0]
    volume[0, :, None, ..., 1] = 2.0


matrix = zeros((2, 3))
row = matrix[0]
accumulate(f=doubled, out=row)
words: MDView[int, Dims2, Layout] = bitcast(matrix, "uint16")
print(list(values(matrix)), offsets(matrix), words.shape, events(row, zeros((2,), dtype="i")))
print(reset(np.zeros(3, [("x", float), ("y", float)])))
last_rows(zeros((2, 2, 2, 2)), 0)
