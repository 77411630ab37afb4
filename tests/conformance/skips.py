"""What of the facts is not asked, and where mdview departs from them on purpose; in one place, each with its reason.

One departure has no fact to show for it: `LayoutStride` admits nested strides such as (4, 3) over extents (5, 2), which
slicing produces and which are unique, although the draft's wording on permutations of strides rejects them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

TRAITS = ("unique", "exhaustive", "strided", "always_unique", "always_exhaustive", "always_strided")


@dataclass(frozen=True)
class Skip:
    """Facts that have no meaning for mdview."""

    reason: str
    applies: Callable[[Any], bool]


@dataclass(frozen=True)
class Departure:
    """Facts on which mdview answers something else, and what."""

    reason: str
    applies: Callable[[Any], bool]
    instead: Callable[[dict[str, Any]], dict[str, Any]]


def _is_empty_stride(given: dict[str, Any]) -> bool:
    source = given.get("nested") or given["from"]
    return source["layout"] == "stride" and 0 in source["extents"]


def _without(out: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: value for key, value in out.items() if key not in keys}


def _exact_traits(out: dict[str, Any]) -> dict[str, bool]:
    """Count unique and exhaustive out from the offsets, where the fact lists them."""
    offsets = out["offsets"]
    if offsets is None:
        return {}
    image = set(offsets)
    return {"unique": len(image) == len(offsets), "exhaustive": image == set(range(out["span"])), "strided": True}


SKIPS = (
    Skip(
        "member types (element_type, reference, data_handle_type) are C++; tests/typing proves what Python's types say",
        lambda fact: fact.group == "accessor_types",
    ),
    Skip(
        "elements that are C++ arrays or polymorphic classes have no counterpart among buffer formats",
        lambda fact: fact.group == "default_wellformed",
    ),
)

DEPARTURES = (
    Departure(
        "a run-time padding of 0 is refused: it breaks a precondition of the draft",
        lambda fact: fact.undefined,
        lambda _: {"raises": "LayoutError"},
    ),
    Departure(
        "the traits of LayoutStrideRelaxed are computed exactly where CCCL answers a constant",
        lambda fact: fact.expected.get("layout") == "stride_relaxed",
        lambda out: {**_without(out, TRAITS), **_exact_traits(out)},
    ),
    Departure(
        "extent(r) is 1 at and beyond the rank",
        lambda fact: fact.group == "extent_rank" and not fact.expected["valid"],
        lambda _: {"valid": True},
    ),
    Departure(
        "layout_stride over an empty index space is exhaustive (LWG 4266); CCCL, alone here, has the older rule",
        lambda fact: fact.group.startswith("linalg_transposed") and _is_empty_stride(fact.given),
        lambda out: _without(out, ("exhaustive", "always_exhaustive")),
    ),
    Departure(
        "there is a null view of static extents alone: a released view is one",
        lambda fact: fact.group == "mdspan_default_constructible" and not fact.expected["ok"],
        lambda _: {"ok": True},
    ),
)


def reason_to_skip(fact: Any) -> str | None:
    """Tell why a fact is not asked, None if it is."""
    return next((skip.reason for skip in SKIPS if skip.applies(fact)), None)


def expected(fact: Any) -> dict[str, Any]:
    """Return what mdview is to answer: the fact's answer, or that of the departure that applies."""
    departure = next((d for d in DEPARTURES if d.applies(fact)), None)
    return fact.expected if departure is None else departure.instead(fact.expected)
