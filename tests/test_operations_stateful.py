"""Chains of operations agree with NumPy on every layout: shapes, elements, kinds of error, and what stays strided.

The yardstick is an array that holds, for each index, the place that ``mapping(*index)`` says its element has; -1 where
a halo has none. NumPy applies the operation to that array with the very arguments that the view gets.
"""

import numpy as np
import pytest
from effort import share
from hypothesis import given, note, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided, sliding_window_view
from samples import all_indices
from test_numpy_agreement import FAMILIES, Choices, outcome, some_extents, some_key

import mdview
from mdview import LayoutLeft, LayoutRight, Mapping, MDView
from mdview.errors import LayoutError, MDViewError
from mdview.layouts.morton import LayoutMorton
from mdview.layouts.swizzled import LayoutSwizzled
from mdview.layouts.tiled import LayoutTiled
from mdview.mappings.facts import is_exhaustive

MOST_STEPS = 12
MOST_INDICES = 300
MOST_RANK = 7
SHARE = share(320, 20)  # chains for each of the fifteen families of layouts
HALO = -1


def morton(pick):
    return Mapping(some_extents(pick), LayoutMorton(compact=bool(pick.below(2)), fastest=pick.of("last", "first")))


def swizzled(pick):
    extents = some_extents(pick)
    inner = pick.of(LayoutRight(), LayoutLeft(), LayoutTiled(*[pick.between(1, 4) for _ in extents]))
    bits = pick.below(3)
    return Mapping(extents, LayoutSwizzled(inner, bits, pick.below(3), pick.of(-1, 1) * (bits + pick.below(2))))


def two_level(pick):
    extents = some_extents(pick)
    tile = [pick.between(1, 2) for _ in extents]
    inner = LayoutTiled(*tile, inner=pick.of(LayoutRight(), LayoutLeft()))
    return Mapping(extents, LayoutTiled(*[t * pick.between(1, 2) for t in tile], outer=LayoutLeft(), inner=inner))


STARTS = FAMILIES | {"Morton": morton, "swizzled": swizzled, "tiled in two levels": two_level}


# --- arguments: mostly valid, now and then not ---


def some_axis(pick, rank):
    """An axis from either end; one in sixteen is out of range."""
    if not rank or not pick.below(16):
        return pick.of(rank, -rank - 1)
    axis = pick.below(rank)
    return pick.of(axis, axis, axis - rank, np.int64(axis))


def some_axes(pick, rank, count):
    """Different axes in any order; one in sixteen times not quite."""
    left, axes = list(range(rank)), []
    while left and len(axes) < count:
        axis = left.pop(pick.below(len(left)))
        axes.append(pick.of(axis, axis - rank))
    if not pick.below(16):
        axes = pick.of([*axes, 0], axes[1:], [*axes, rank], [*axes[1:], *axes[-1:]])
    return pick.of(tuple, list)(axes)


def one_or_more_axes(pick, rank):
    return pick.of(lambda: some_axis(pick, rank), lambda: some_axes(pick, rank, pick.below(rank + 1)))()


def some_shape(pick, size):
    """Any shape of this size, perhaps with one -1; one in sixteen has another size."""
    shape, rest = [], size
    for _ in range(pick.below(4)):
        factors = [n for n in range(1, rest + 1) if rest % n == 0] or [0, 1, 2, 3]
        shape.append(pick.of(*factors))
        rest = rest // shape[-1] if shape[-1] else rest
    shape.append(rest)
    for _ in range(pick.below(3)):
        shape.insert(pick.below(len(shape) + 1), 1)
    shape.reverse() if pick.below(2) else None
    if not pick.below(4):
        shape[pick.below(len(shape))] = -1
    if not pick.below(16):
        shape[pick.below(len(shape))] = pick.of(-1, 5, 0)
    return shape[0] if len(shape) == 1 and pick.below(2) else pick.of(tuple, list)(shape)


def for_squeeze(pick, shape):
    if not shape:  # where NumPy admits axis 0
        return (pick.of(None, ()),)
    ones = [r for r, e in enumerate(shape) if e == 1]
    if not ones or not pick.below(4):
        axes = one_or_more_axes(pick, len(shape))
        return (pick.of(None, tuple(axes) if isinstance(axes, list) else axes),)
    return (pick.of(None, ones[0], ones[-1] - len(shape), tuple(ones), (*ones[:1], *ones[2:])),)


def for_broadcast_to(pick, shape):
    wider = [pick.of(1, 2, 3, 0) if e == 1 else e for e in shape]
    wider = [pick.of(2, 1, 3) for _ in range(pick.of(0, 1, 1, 2))] + wider
    if wider and not pick.below(12):
        wider = pick.of(wider[1:], [*wider[:-1], wider[-1] + 1])
    return (pick.of(tuple, list)(wider),)


def for_moveaxis(pick, shape):
    rank = len(shape)
    if pick.below(2):
        return some_axis(pick, rank), some_axis(pick, rank)
    count = pick.below(rank + 1)
    return some_axes(pick, rank, count), some_axes(pick, rank, count)


def for_sliding_window(pick, shape):
    def length(extent):
        return pick.of(0, 1, extent, -1, extent + 1) if not pick.below(6) else 1 + pick.below(max(extent, 1))

    if pick.below(2):
        return ([length(e) for e in shape],)
    if len(shape) == 1 or pick.below(2):
        axis = some_axis(pick, len(shape))
        return length(shape[axis] if -len(shape) <= axis < len(shape) else 1), axis
    axes = [some_axis(pick, len(shape)) for _ in range(pick.below(3))]  # may be named twice
    return tuple([length(max(shape, default=1)) if pick.below(2) else 1 for _ in axes]), tuple(axes)


def for_pad(pick, shape):
    pairs = [(pick.below(3), pick.below(3)) for _ in shape]
    width = pick.of(pairs, tuple(pairs), pick.below(3), *pairs[:1]) if shape else pick.below(3)
    if shape and not pick.below(16):
        width = pick.of(-1, [(0, -1)] * len(shape))
    return width, "constant", HALO


def in_order(arguments):
    return lambda pick, shape: ((*arguments(pick, shape),), {"order": pick.of("C", "F")})


def plainly(arguments):
    return lambda pick, shape: ((*arguments(pick, shape),), {})


ARGUMENTS = {
    "permute_dims": plainly(lambda pick, shape: (some_axes(pick, len(shape), len(shape)),)),
    "flip": plainly(lambda pick, shape: (pick.of(None, one_or_more_axes(pick, len(shape))),)),
    "expand_dims": plainly(
        lambda pick, shape: (pick.of(some_axis(pick, len(shape) + 1), some_axes(pick, len(shape) + 2, 2)),)
    ),
    "squeeze": plainly(for_squeeze),
    "broadcast_to": plainly(for_broadcast_to),
    "reshape": in_order(lambda pick, shape: (some_shape(pick, int(np.prod(shape))),)),
    "ravel": in_order(lambda pick, shape: ()),
    "moveaxis": plainly(for_moveaxis),
    "swapaxes": plainly(lambda pick, shape: [some_axis(pick, len(shape)) for _ in range(2)]),
    "diagonal": plainly(
        lambda pick, shape: (
            (pick.between(-3, 3), *[some_axis(pick, len(shape)) for _ in range(2)])
            if pick.below(2)
            else (pick.between(-3, 3),)
        )
    ),
    "sliding_window": plainly(for_sliding_window),
    "pad": plainly(for_pad),
    "transposed": plainly(lambda pick, shape: ()),
}
OPERATIONS = (*ARGUMENTS, "reshape", "reshape", "brackets", "brackets")


def matrix_transposed(places):
    """What `transposed` does, which knows matrices only."""
    if places.ndim != 2:
        raise ValueError
    return places.T


def padded(places, width, mode, constant):
    return np.pad(places, width, mode, constant_values=constant)


NUMPYS = {
    name: {"sliding_window": sliding_window_view, "pad": padded, "transposed": matrix_transposed}.get(name)
    or getattr(np, name)
    for name in ARGUMENTS
}


def is_too_large(name, places, arguments):
    """Whether a valid result would have more indices than the test looks at."""
    if name == "broadcast_to":
        return int(np.prod(arguments[0])) > MOST_INDICES or len(arguments[0]) > MOST_RANK
    if name == "pad":
        return int(np.prod([e + 4 for e in places.shape])) > MOST_INDICES
    if name == "sliding_window":
        return 2 * places.ndim > MOST_RANK or places.size > 36
    return name == "expand_dims" and places.ndim >= MOST_RANK - 1


# --- what must agree ---


def builtins_of(error):
    """The builtin classes that a caller may catch an error as."""
    kinds = {c for c in type(error).__mro__ if c.__module__ == "builtins"}
    return tuple(kinds - {object, BaseException, Exception, LookupError})


def check_same_error(raised, wanted):
    assert isinstance(raised, MDViewError), (raised, wanted)
    assert all(isinstance(raised, kind) for kind in builtins_of(wanted)), (raised, wanted)
    assert str(raised)


def check_elements(view, places, pick):
    """Every element, the offsets, and what mdview says of the mapping."""
    mapping = view.mapping
    assert view.shape == places.shape
    assert view.tolist() == places.tolist()
    valid = places >= 0
    offsets = [place - view.origin for place in places[valid].tolist()]
    assert list(mapping.offsets()) == offsets
    assert mapping.required_span_size == max(offsets, default=-1) + 1
    assert mapping.is_unique == (len(set(offsets)) == len(offsets))
    assert is_exhaustive(mapping) == (len(set(offsets)) == mapping.required_span_size)
    for _ in range(2 if places.size else 0):
        index = tuple([pick.below(e) for e in places.shape])
        backwards = tuple([i - e for i, e in zip(index, places.shape, strict=True)])
        assert view[index] == view[backwards] == places[index]
    check_halo(mapping, valid)


def check_halo(mapping, valid):
    if mapping.layout.is_total():
        assert valid.all()
        assert mapping.is_strided == (affine(mapping) is not None)
    else:
        assert not mapping.is_strided
    box, refused = outcome(lambda: mapping.valid_box)
    if refused is None:
        inside = np.zeros(valid.shape, dtype=bool)
        inside[tuple([slice(low, high) for low, high in box[: valid.ndim]])] = len(box) == valid.ndim
        assert inside.tolist() == valid.tolist()
    else:
        assert isinstance(refused, LayoutError)


def affine(mapping):
    """Origin and strides of what happens to be linear, found by looking at all offsets."""
    if not mapping.size:
        return 0, (0,) * mapping.rank
    zero = (0,) * mapping.rank
    offset = mapping.layout.offset
    units = [(*zero[:r], 1, *zero[r + 1 :]) if e > 1 else zero for r, e in enumerate(mapping.extents)]
    origin = offset(mapping.extents, zero)
    strides = tuple([offset(mapping.extents, unit) - origin for unit in units])
    linear = [origin + int(np.dot(index, strides)) for index in all_indices(mapping.extents)]
    return (origin, strides) if list(mapping.offsets()) == linear else None


def as_array(buffer, view):
    """The strided array of NumPy that a strided view is; None for any other view."""
    mapping = view.mapping
    if not mapping.layout.is_total():
        return None
    found = affine(mapping)
    if found is None or not mapping.size:
        return None
    start = buffer[view.origin + found[0] :]
    return as_strided(start, mapping.extents, [8 * s for s in found[1]], writeable=False)


def check_strides(before, operation, view, known):
    """Where NumPy has a view, the mapping is strided, and says so if the mapping before did."""
    name, arguments, keywords = operation
    if before is None or name == "pad" or not view.mapping.size:
        return
    if name in {"reshape", "ravel"}:
        shape = arguments[0] if name == "reshape" else -1
        wanted, refused = outcome(lambda: np.reshape(before, shape, copy=False, **keywords))
        if refused is not None:
            assert not view.mapping.is_strided
            return
    else:
        wanted = before[arguments[0]] if name == "brackets" else NUMPYS[name](before, *arguments, **keywords)
    mapping = view.mapping
    assert mapping.is_strided
    assert mapping.found_strides() is not None or not known
    for e, mine, theirs in zip(mapping.extents, mapping.strides, wanted.strides, strict=True):
        assert e == 1 or 8 * mine == theirs


def check_chain(family, pick):
    mapping, origin = STARTS[family](pick), pick.below(3)
    note(f"{mapping!r} from element {origin} on")
    buffer = np.arange(origin + mapping.required_span_size + 2)
    view = MDView.from_mapping(buffer, mapping, origin=origin)
    places = np.array([origin + offset for offset in mapping.offsets()], dtype=np.int64).reshape(view.shape)
    for _ in range(1 + pick.below(MOST_STEPS)):
        name = pick.of(*OPERATIONS)
        if name == "brackets":
            arguments, keywords = (some_key(pick, places.shape),), {}
            mine, theirs = type(view).__getitem__, np.ndarray.__getitem__
        else:
            arguments, keywords = ARGUMENTS[name](pick, places.shape)
            mine, theirs = getattr(mdview, name), NUMPYS[name]
            if is_too_large(name, places, arguments):
                continue
        note(f"then {name}{arguments} {keywords or ''}")
        after, raised = outcome(lambda: mine(view, *arguments, **keywords))  # noqa: B023 - called at once
        expected, wanted = outcome(lambda: theirs(places, *arguments, **keywords))  # noqa: B023
        if wanted is not None or raised is not None:
            check_same_error(raised, wanted)
            continue
        if name == "brackets" and not isinstance(expected, np.ndarray):
            assert after == expected
            return
        expected = np.asarray(expected)  # NumPy makes a scalar of some arrays of rank 0
        check_elements(after, expected, pick)
        before, known = as_array(buffer, view), view.mapping.found_strides() is not None
        check_strides(before, (name, arguments, keywords), after, known)
        view, places = after, expected


@pytest.mark.parametrize("family", STARTS)
@settings(max_examples=SHARE, deadline=None)
@given(drawn=st.binary(min_size=320, max_size=320))
def test_chains_of_operations_agree_with_numpy(family, drawn):
    check_chain(family, Choices(drawn))
