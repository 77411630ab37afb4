"""What is fuzzed: each function takes one input from a `random.Random` and raises `Wrong` at an outcome not allowed.

Allowed is a right answer, an error of `mdview.errors` with the data as it was, or what a hostile object raised itself.
Elements outside a view are `GUARD`: a read that gives one has left the view.
"""

from array import array
from functools import cache

import numpy as np
from hostile import entry, key, layout, sequence
from outcomes import Wrong

import mdview as md
from mdview.errors import BufferSizeError

GUARD = -1
ORIGIN = 3
SMALL = 400
"""Mappings of at most so many elements have all of them looked at."""


# --- keys and stores ---


@cache
def _mappings():
    return (
        md.Mapping((3, 4)),
        md.Mapping((2, 3, 2), md.LayoutLeft()),
        md.Mapping((4,), md.LayoutStrideRelaxed((-2,), 6)),
        md.Mapping((3, 3), md.LayoutStrideRelaxed((1, 0))),
        md.Mapping((3, 5), md.LayoutTiled(2, 2)),
        md.Mapping((3, 3), md.LayoutMorton()),
        md.Mapping((3, 3), md.LayoutBlasPacked("upper", "row")),
        md.Mapping((2, 3), md.LayoutRightPadded(4)),
        md.Mapping(()),
        md.Mapping((0, 3)),
    )


ACCESSORS = (
    md.DefaultAccessor(),
    md.CheckedAccessor(),
    md.ReadOnlyAccessor(),
    md.AtomicAccessor(),
    md.UncheckedAccessor(),
)


def _case(mapping, accessor):
    data = array("q", [GUARD] * (ORIGIN + mapping.required_span_size + 3))
    for offset in mapping.offsets():
        data[ORIGIN + offset] = ORIGIN + offset
    return md.MDView.from_mapping(data, mapping, accessor, origin=ORIGIN), data, array("q", data)


@cache
def _cases():
    return [_case(mapping, accessor) for mapping in _mappings() for accessor in ACCESSORS]


def _elements(result):
    """All elements of what brackets gave, in a list; NumPy would not take more than 64 dimensions."""
    if not isinstance(result, md.MDView):
        return [int(result)]
    rows = [result.tolist()]
    for _ in range(result.rank):
        rows = [element for row in rows for element in row]
    return rows


def _in_view(view, result, what):
    trusting = isinstance(view.accessor, md.UncheckedAccessor)
    if not trusting and GUARD in _elements(result):
        raise Wrong(f"{what} of {view.mapping!r} read outside the view")


def keys(pick):
    """Read by a hostile key."""
    view, data, before = pick.choice(_cases())
    wanted = key(pick, view.extents)
    kind = pick.randrange(8)
    try:
        if kind == 0:
            result = view.at(wanted if isinstance(wanted, tuple) else (wanted,))
        elif kind == 1:
            result = md.subview(view, *[entry(pick, e) for e in view.extents])
        elif kind == 2:
            offset = view.mapping(*(wanted if isinstance(wanted, tuple) else (wanted,)))
            result = data[ORIGIN + offset]
        else:
            result = view[wanted]
        _in_view(view, result, wanted)
    finally:
        if data != before:
            raise Wrong(f"reading {wanted!r} changed the data")
    if kind > 2:
        _compare_with_numpy(view, wanted, result)


def _compare_with_numpy(view, wanted, result):
    entries = wanted if isinstance(wanted, tuple) else (wanted,)
    parts = [part for e in entries for part in ((e.start, e.stop, e.step) if isinstance(e, slice) else (e,))]
    if isinstance(view.accessor, md.UncheckedAccessor) or any(type(part) not in {int, type(None)} for part in parts):
        return
    plain = np.array([ORIGIN + o for o in view.mapping.offsets()]).reshape(view.shape)
    if np.ravel(plain[wanted]).tolist() != _elements(result):
        raise Wrong(f"{wanted!r} of {view.mapping!r} gave other elements than NumPy")


VALUES = (7, "x", None, 2**70, 1.5, [1, 2], [[1], [2, 3]], [], b"12", np.zeros((3, 4), "q"), np.zeros(2), object())


def stores(pick):
    """Store by a hostile key, or a hostile value: only elements of the view may change, and none on an error."""
    mapping = pick.choice(_mappings())
    view, data, before = _case(mapping, ACCESSORS[pick.randrange(4)])
    wanted = key(pick, view.extents)
    value = VALUES[pick.randrange(len(VALUES))] if pick.randrange(3) else 7
    if pick.randrange(100) == 0:
        value = []
        value.append(value)
    try:
        view[wanted] = value
    except Exception:
        if data != before:
            raise Wrong(f"{wanted!r} = {value!r} changed the data of {view!r} and raised") from None
        raise
    outside = [k for k, x in enumerate(before) if x == GUARD and data[k] != GUARD]
    if outside or isinstance(view.accessor, md.ReadOnlyAccessor):
        raise Wrong(f"{wanted!r} = {value!r} changed {outside} of {view!r}")


# --- extents and layouts ---


def mappings(pick):
    """Bind a hostile layout to hostile extents, and look at data that fits or is too short by one."""
    rank = pick.randrange(4)
    mapping = md.Mapping(sequence(pick, rank), layout(pick, rank))
    span = mapping.required_span_size
    if mapping.size > SMALL:
        mapping(*[e - 1 for e in mapping.extents])
        return
    offsets = list(mapping.offsets())
    if span != 1 + max(offsets, default=-1) or min(offsets, default=0) < 0:
        raise Wrong(f"{mapping!r}: span {span}, offsets {offsets}")
    if mapping.is_unique is not (len(set(offsets)) == len(offsets)):
        raise Wrong(f"{mapping!r}: is_unique {mapping.is_unique}")
    view = md.MDView.from_mapping(range(span), mapping, md.ReadOnlyAccessor())
    if _elements(view) != offsets:
        raise Wrong(f"{mapping!r}: another order of elements")
    if span:
        try:
            md.MDView.from_mapping(range(span - 1), mapping, md.ReadOnlyAccessor())
        except BufferSizeError:
            return
        raise Wrong(f"{mapping!r} accepts {span - 1} elements")


# --- data ---

PYTHONS_OWN = (TypeError, ValueError, OverflowError)
"""What memoryview and array raise for a value that is no item of theirs; stores let it through."""
