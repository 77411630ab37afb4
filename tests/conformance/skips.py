"""What of the C++ facts is not asked, and where mdview departs from them on purpose, each with its reason.

One departure has no fact to show for it: `LayoutStride` admits nested strides such as (4, 3) over extents (5, 2), which
slicing produces and which are unique, although the draft's wording on permutations of strides rejects them.
"""

from itertools import product

from rules import Departure, Skip

from mdview import errors


def _source(fact):
    return fact.given["nested" if fact.group == "linalg_transposed_mapping" else "from"]


def _is_empty_stride(fact):
    if fact.group not in {"linalg_transposed_mapping", "linalg_transposed"}:
        return False
    return _source(fact)["layout"] == "stride" and 0 in _source(fact)["extents"]


def _exhaustive(fact):
    return {"exhaustive": True, "always_exhaustive": 0 in _source(fact)["static"]}


def _exact_traits(fact):
    """Count the traits of relaxed strides out; a type of theirs promises nothing but that there are strides."""
    out = fact.expected
    image = [
        out["offset"] + sum(i * s for i, s in zip(index, out["strides"], strict=True))
        for index in product(*map(range, out["extents"]))
    ]
    counted = {"unique": len(set(image)) == len(image), "exhaustive": set(image) == set(range(out["span"]))}
    types = {"always_unique": False, "always_exhaustive": False, "always_strided": True}
    return {**out, **counted, "strided": True, **types}


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

REFUSALS = {
    "extents_from_values": errors.ConversionError,
    "extents_convert": errors.ConversionError,
    "extents_index_narrowing": errors.ConversionError,
    "size_representable": errors.ConversionError,
    "layout_stride_ctor": errors.StrideError,
    "layout_stride_relaxed_ctor": errors.StrideError,
    "padded_ctor": errors.LayoutError,
    "convert": errors.ConversionError,
    "extent_rank": errors.AxisError,
    "mapping_call": errors.IndexOutOfRangeError,
    "stride_rank": errors.AxisError,
    "mdspan_subscript": errors.IndexOutOfRangeError,
    "submdspan": errors.SliceError,
}
"""What is raised where a precondition does not hold, but for what `refusal` tells apart."""


def refusal(fact):
    """Return the class of what a broken precondition raises."""
    if fact.group == "extents_from_values" and min(fact.given["values"]) < 0:
        return errors.ExtentsError
    if fact.group == "submdspan" and any(
        s["k"] == "i" and not 0 <= s["v"] < e for s, e in zip(fact.given["slices"], fact.given["extents"], strict=True)
    ):
        return errors.IndexOutOfRangeError
    return REFUSALS[fact.group]


DEPARTURES = (
    Departure(
        "a run-time padding of 0 is refused: it breaks a precondition of the draft",
        lambda fact: fact.undefined,
        lambda _: {"raises": "LayoutError"},
    ),
    Departure(
        "the traits of LayoutStrideRelaxed are computed exactly where CCCL answers a constant",
        lambda fact: fact.expected.get("layout") == "stride_relaxed",
        _exact_traits,
    ),
    Departure(
        "extent(r) is 1 at and beyond the rank",
        lambda fact: fact.group == "extent_rank" and not fact.expected["valid"],
        lambda _: {"valid": True},
    ),
    Departure(
        "layout_stride over an empty index space is exhaustive (LWG 4266); CCCL, alone here, has the older rule",
        lambda fact: _is_empty_stride(fact) and fact.expected != fact.expected | _exhaustive(fact),
        lambda fact: {**fact.expected, **_exhaustive(fact)},
    ),
    Departure(
        "there is a null view of static extents alone: a released view is one",
        lambda fact: fact.group == "mdspan_default_constructible" and not fact.expected["ok"],
        lambda _: {"ok": True},
    ),
)
