"""Keys with '...' or None are found as the same key written out, and are what the parts derived anew are."""

from array import array
from itertools import product

import numpy as np
import pytest
from samples import LayoutBanded, LayoutMortonLike, LayoutSymmetric

from mdview import (
    AlignedAccessor,
    AtomicAccessor,
    CheckedAccessor,
    LayoutLeft,
    LayoutMorton,
    LayoutRight,
    LayoutRightPadded,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    dim,
    expand_dims,
    flip,
    pad,
    readonly,
    reshape,
    submapping,
)
from mdview.errors import IndexOutOfRangeError, IndexTypeError, NullViewError, TooManyIndicesError
from mdview.views import key_forms
from mdview.views.brackets import parse_brackets

LAYOUTS = [
    LayoutRight(),
    LayoutLeft(),
    LayoutRightPadded(9),
    LayoutStrideRelaxed((-8, 2), 40),
    LayoutTiled(2, 3),
    LayoutMorton(),
    LayoutMortonLike(),
    LayoutSymmetric(),
]
ENTRIES = [None, ..., 0, 3, -1, slice(None), slice(1, 3), slice(None, None, -2), slice(2, 2)]
KEYS = [key for count in (1, 2, 3, 4) for key in product(ENTRIES, repeat=count) if None in key or ... in key]


def sample(layout, extents=(5, 5), accessor=None):
    mapping = Mapping(extents, layout)
    return MDView.from_mapping(list(range(mapping.required_span_size)), mapping, accessor)


def derived(view, key):
    """The part as general code derives it, which knows no cache: its mapping, and its origin."""
    selected = parse_brackets(view.extents, key, view.accessor.index_rule)
    mapping, start = submapping(view.mapping, *selected.selections)
    return expand_dims(mapping, selected.added) if selected.added else mapping, view.origin + start


def is_valid(key):
    return key.count(...) <= 1 and len([e for e in key if e is not None and e is not ...]) <= 2


@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
def test_what_is_found_is_what_is_derived_the_first_time_and_again(layout):
    view = sample(layout)
    array_of_it = np.array(view.tolist())
    for key in KEYS[::7] * 2:
        if not is_valid(key):
            continue
        found, (mapping, origin) = view[key], derived(view, key)
        assert found.mapping == mapping, key
        assert (type(found.layout), found.static_extents) == (type(mapping.layout), mapping.static_extents), key
        assert found.origin == origin or not mapping.size, key
        assert found.tolist() == array_of_it[key].tolist(), key


@pytest.mark.parametrize(
    "view",
    [
        sample(LayoutTiled(2, 3))[1:4, 2:5],
        sample(LayoutMorton(), (8, 8))[::-1, 1:6],
        sample(LayoutTiled(2, 2, 2), (4, 4, 3))[..., 1],
        flip(sample(LayoutMorton(), (8, 4)), 0),
        reshape(sample(LayoutTiled(2, 3), (6, 6)), (4, 9)),
        pad(sample(LayoutRight()), 1, constant=7),
        pad(sample(LayoutTiled(2, 3)), 1, "edge"),
        sample(LayoutRight(), (dim(5), 4)),
        sample(LayoutRight(), (dim(2), dim(2))),
        sample(LayoutTiled(2, 2), (5, dim(4)), ReadOnlyAccessor()),
        sample(LayoutRight(), (5, 5), ReadOnlyAccessor()),
        sample(LayoutBanded(1, 2), (4, 4)),
        MDView(array("d", range(25)), (5, 5), accessor=AlignedAccessor(8)),
        MDView(array("d", range(3)), (3,)),
        MDView(array("d", [3.0]), ()),
        MDView(array("d", range(120)), (2, 3, 4, 5)),
        MDView([], (0, 3)),
    ],
    ids=lambda view: f"{view.layout!r} {view.shape}"[:60],
)
def test_every_view_takes_them(view):
    keys = [key for key in KEYS[::3] if is_valid(key)]
    elements = np.array(view.tolist()).reshape(view.shape)
    for key in keys * 2:
        try:
            expected = elements[key]
        except IndexError:
            with pytest.raises((IndexOutOfRangeError, TooManyIndicesError)):
                view[key]
            continue
        found, (mapping, _) = view[key], derived(view, key)
        assert (found.shape, found.tolist()) == (expected.shape, expected.tolist()), key
        assert found.mapping == mapping, key
        assert found.static_extents == mapping.static_extents, key
        assert found.accessor in (view.accessor, view.accessor.offset_policy())


def test_a_checked_accessor_wraps_nothing():
    view = sample(LayoutRight(), accessor=CheckedAccessor())
    assert view[..., 1].tolist() == [1, 6, 11, 16, 21]
    for key in [(..., -1), (None, -1), (-1, ...)]:
        with pytest.raises(IndexOutOfRangeError, match="does not count from the end"):
            view[key]


def test_an_element_with_an_ellipsis_is_a_view_and_stores_reach_it():
    view = sample(LayoutTiled(2, 3))
    for accessor in (None, AtomicAccessor()):
        held = MDView.from_mapping(view.data, view.mapping, accessor)
        for _ in range(2):
            held[1, ..., 2] = -1
            held[..., 3, 3, None] = -2
            held[None, 0] = -3
            held[..., 4] = [10, 11, 12, 13, 14]
        assert (view[1, 2], view[3, 3], view[0].tolist()) == (-1, -2, [-3, -3, -3, -3, 10])
    assert view[1, 2] == view[..., 1, 2][()] == -1
    assert view[..., 1, 2].shape == ()


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ((..., ...), IndexTypeError),
        ((None, ..., None, ...), IndexTypeError),
        ((..., 1, 2, 3), TooManyIndicesError),
        ((None, 1.0), IndexTypeError),
        ((..., "a"), IndexTypeError),
        ((..., 9), IndexOutOfRangeError),
        ((9, None), IndexOutOfRangeError),
    ],
)
def test_mistakes_stay_mistakes_after_keys_of_their_form(key, kind):
    view = sample(LayoutRight())
    assert view[..., 1].shape == view[1, ...].shape == (5,)
    assert view[1, None].shape == (1, 5)
    for _ in range(2):
        with pytest.raises(kind):
            view[key]
        with pytest.raises(kind):
            view[key] = 0


def test_a_class_without_a_hash_is_refused_as_any_other():
    class Odd(type):
        def __eq__(cls, other):
            return NotImplemented

    view = sample(LayoutRight())
    for key in [(..., Odd("Entry", (), {})()), (None, Odd("Entry", (), {})())]:
        with pytest.raises(IndexTypeError, match="must be an integer"):
            view[key]


def test_a_released_view_has_no_part():
    for layout in (LayoutRight(), LayoutTiled(2, 3)):
        view = sample(layout)
        kept = view[1:4]
        for key in [..., None, (..., 1), (None, 1, 1)]:
            kept[key]
        kept.release()
        for key in [..., None, (..., 1), (None, 1, 1)]:
            with pytest.raises(NullViewError):
                kept[key]


def test_parts_of_a_read_only_view_are_read_only():
    view = readonly(sample(LayoutRight()))
    assert not any(part.flags.writeable for part in (view[...], view[None], view[..., 1, 2]))


def test_the_form_of_a_key_says_how_it_is_written_out():
    whole = slice(None)
    assert key_forms.written_out((..., 1), 3) == ((whole, whole, 1), ())
    assert key_forms.written_out((2, None, ..., slice(1), None), 3) == ((2, whole, slice(1)), (0, 3))
    assert key_forms.written_out((None,), 0) == ((), (0,))
    for key, rank in [((1, whole), 2), ((), 0), ((..., ...), 2), ((None, True), 2), ((..., 1, 2), 1)]:
        assert key_forms.written_out(key, rank) is None
