"""Cases of the source systems: read them, run a handler on each, compare what it says with what is expected.

A handler takes a case's input and returns everything it can tell, or raises; `check` compares the keys expected.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from mdview import ALL, LayoutLeft, LayoutRight, errors

DATA = Path(__file__).parent / "data" / "systems"

KINDS = {
    "rank_mismatch": errors.RankError,
    "axis_out_of_bounds": errors.AxisError,
    "index_out_of_bounds": (errors.IndexOutOfRangeError, errors.SliceError),
    "invalid_bounds": errors.SliceError,
    "invalid_extent": errors.ExtentsError,
    "buffer_too_small": errors.BufferSizeError,
    "conflicting_properties": errors.PropertyError,
    "zero_stride": errors.StrideError,
    "negative_stride": errors.StrideError,
    "non_unique_strides": errors.StrideError,
    "unaligned_stride": errors.StrideError,
    "incompatible_strides": errors.ConversionError,
    "not_regular": errors.NotStridedError,
    "read_only": (errors.ReadOnlyError, AttributeError),
    "type_error": TypeError,
    "step_zero": errors.SliceError,
    "negative_step": errors.SliceError,
    "not_contiguous": errors.NotContiguousError,
    "broadcast_mismatch": errors.ShapeError,
    "bin_size_mismatch": errors.BinsError,
}

DENSE = {"right": LayoutRight(), "left": LayoutLeft(), "native": LayoutRight()}

Handler = Callable[..., dict[str, Any]]


def cases(system: str) -> list[dict[str, Any]]:
    return json.loads((DATA / f"{system}.json").read_text())["cases"]


def check(case: dict[str, Any], handlers: dict[str, Handler]) -> str | None:
    """What is wrong with the answer to ``case``, or None."""
    wanted = case["expect"]
    given = {("source" if key == "from" else key): value for key, value in case["input"].items()}
    handler = handlers[case["op"]]
    if "error" in wanted:
        kind = KINDS[wanted["error"]["kind"]]
        try:
            answer = handler(**given)
        except kind:
            return None
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the wrong one
            return f"{case['id']}: {given}: {type(error).__name__} instead of {wanted['error']['kind']}: {error}"
        return f"{case['id']}: {given}: {answer} instead of {wanted['error']['kind']}"
    try:
        answer = handler(**given)
    except Exception as error:  # noqa: BLE001 - none is expected
        return f"{case['id']}: {given}: {type(error).__name__}: {error}"
    asked = {key: value for key, value in wanted.items() if key not in {"facts", "note"}}
    wrong = {key: (answer.get(key), value) for key, value in asked.items() if not same(answer.get(key), value)}
    return f"{case['id']}: {given}: (answer, expected) {wrong}" if wrong else None


def same(answer: Any, expected: Any) -> bool:
    if isinstance(expected, dict):
        return all(same(answer.get(key), value) for key, value in expected.items())
    if isinstance(expected, list):
        return list(answer) == expected
    return answer == expected and (answer is None) == (expected is None)


def slices(entries: Sequence[Any]) -> list[Any]:
    """Slices as the cases write them: an int, ``"all"``, ``[begin, end]`` or ``[begin, end, step]``."""
    kept = []
    for entry in entries:
        if isinstance(entry, list):
            kept.append(tuple(entry) if len(entry) == 2 else range(*entry))
        else:
            kept.append(ALL if entry == "all" else entry)
    return kept
