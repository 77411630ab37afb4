"""A view as an object: equal to itself alone, no number; what it shows and explains, its flags and its policies."""

import copy
import operator
import re
import sys
import weakref
from array import array
from collections import deque
from collections.abc import Mapping as AnyMapping
from decimal import Decimal
from fractions import Fraction
from itertools import product
from unittest.mock import ANY

import numpy as np
import pytest
from samples.layouts import LAYOUTS
from samples.mappings import MAPPINGS
from samples.variants import VARIANTS
from samples.views import Kind, sample

import mdview as md
from mdview import errors


def views():
    """One of each kind, most of them with the same elements."""
    data = array("d", range(16))
    whole, released = md.MDView(data, (4, 4)), md.MDView(data, (4, 4))
    released.release()
    kinds = [md.MDView(data, (4, 4), layout) for layout in (md.LayoutRight(), md.LayoutTiled(2, 2), md.LayoutMorton())]
    return [
        *(
            whole,
            md.MDView(data, (4, 4)),
            md.MDView(list(range(16)), (4, 4)),
            *kinds,
            md.readonly(whole),
            md.atomic(whole),
        ),
        *(
            md.pad(md.MDView(data, (2, 2)), 1),
            whole[1:, ::-1],
            md.MDView(data, (0, 4)),
            md.MDView(data, ()),
            whole[0, 0, ...],
        ),
        *(md.MDView.null((4, 4)), released),
    ]


DATA = [
    *(0, 1.5, 2j, True, Fraction(1, 2), Decimal(1), np.float64(1), np.int8(1), np.datetime64(1, "s")),
    *([1, 2], (1, 2), (), [], range(3), b"ab", bytearray(b"ab"), array("d", [1]), memoryview(b"ab"), deque([1])),
    *(np.arange(3.0), np.arange(3), np.array([None]), np.array(["a"])),
]


def reads_memory_of(view, data):
    """Whether data answers by itself before a view is asked: newer Pythons give it the memory of the view."""
    if sys.version_info < (3, 12) or type(data) not in {bytearray, memoryview}:
        return False
    try:
        memory = view.memoryview()
    except BufferError:
        return False
    return type(data) is memoryview or memory.c_contiguous


@pytest.mark.parametrize("compare", [operator.eq, operator.ne])
def test_neither_views_nor_data_are_compared_from_either_side(compare):
    for view in views():
        for other in views():
            with pytest.raises(errors.OperandError, match=r"equal\(v, w\)"):
                compare(view, other)
        for data in DATA:
            with pytest.raises(errors.OperandError, match=r"np\.asarray\(v\)"):
                compare(view, data)
            if reads_memory_of(view, data):
                assert compare(data, view) is compare(data, view.memoryview())
                continue
            with pytest.raises(
                (errors.OperandError, ValueError) if isinstance(data, np.ndarray) else errors.OperandError
            ):
                compare(data, view)


NO_DATA = [None, ..., "text", int, {}, {1}, object(), md.Mapping((4, 4))]


def test_a_view_equals_itself_alone_and_what_equals_everything():
    every = views()
    for view in every:
        assert operator.eq(view, view)
        assert not operator.ne(view, view)
        assert view == ANY
        assert all(operator.ne(view, other) and operator.ne(other, view) for other in NO_DATA)
        assert not any(operator.eq(view, other) for other in NO_DATA)
        assert hash(view) == object.__hash__(view)
    known = weakref.WeakKeyDictionary({view: k for k, view in enumerate(every)})
    assert [known[view] for view in every] == list(range(len(every)))


# --- what a view shows ---


@pytest.mark.parametrize("name", MAPPINGS)
def test_a_repr_names_the_parts_and_shows_the_elements(name):
    mapping = MAPPINGS[name]()
    view = md.MDView.from_mapping(array("q", range(mapping.required_span_size)), mapping)
    head, _, shown = repr(view).partition("\n")
    assert head == f"MDView({mapping.extents!r}, {mapping.layout!r}, DefaultAccessor(), format='q')"
    elements = np.array(view.tolist())
    assert "".join(shown.split()) == "".join(repr(view.tolist()).split()) or max(view.shape) > 6 or not view.size
    assert all(repr(int(element)) in shown for element in elements.ravel()[:3])
    assert mapping.layout.__class__.__name__ in view._repr_html_()


def test_a_repr_never_looks_at_more_than_a_bounded_number_of_elements():
    seen = []
    kind = {"__len__": lambda _: 10**12, "__getitem__": lambda _, offset: seen.append(offset) or "x" * 1000}
    view = md.MDView(type("Huge", (), kind)(), (10**4, 10**4, 10**4), accessor=md.ReadOnlyAccessor())
    text = repr(view)
    assert (len(seen), "…" in text, len(text) < 20_000) == (6**3, True, True)
    assert len(view._repr_html_()) < 300_000
    card = md.MDView(["<b>"], (1,))._repr_html_()
    assert ("&lt;b&gt;" in card, "<b>" in card) == (True, False)
    null = md.MDView(None, (md.dim(3), 4))
    assert repr(null) == "MDView((dim(3), 0), LayoutRight(), DefaultAccessor(), data=None)"
    assert "none" in null._repr_html_()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_explanation_says_all_that_that_of_the_mapping_does_and_what_numpy_gets(layout):
    for variant in ("whole", "rows", "stepped", "padded, constant"):
        made = sample(Kind(layout, variant=variant), (4, 4)) if variant in VARIANTS else None
        if made is not None:
            told, of_mapping = md.explain(made.view).splitlines(), md.explain(made.view.mapping).splitlines()
            said = [[line for line in lines if "NumPy" not in line] for lines in (told[2:], of_mapping)]
            assert said[0] == said[1]
            shares = made.view.mapping.found_strides() is not None
            assert any(line.startswith("NumPy can share") for line in told) == shares


DATA_6 = array("i", range(6))
EXPLAINED = [
    (lambda: md.MDView(DATA_6, (6,)), ["array: 6.*'i', 4 bytes.*0", "DefaultAccessor.*stores", "can share.*0"]),
    (
        lambda: md.MDView(array("d", range(12)), (3, 4))[1:, ::2],
        [r"12.*'d', 8.*at 4", r"can share.*\(2, 2\).*\(4, 2\).*4"],
    ),
    (lambda: md.readonly(md.MDView(DATA_6, (6,))), ["ReadOnlyAccessor.*as they are.*not store"]),
    (
        lambda: md.operations.scaled(2, md.MDView(DATA_6, (6,))),
        ["ScaledAccessor.*computes.*not store", "gets a copy.*accessor"],
    ),
    (lambda: md.MDView((1,), (1,), accessor=md.ReadOnlyAccessor()), ["tuple: 1 object;", "gets a copy.*tuple"]),
    (lambda: md.MDView(bytearray(2), (2,)), ["bytearray: 2 items.*'B', 1 byte each"]),
    (lambda: md.asview(np.zeros(3, [("a", "i4")])), ["can share"]),
    (lambda: md.MDView(DATA_6, (1,) * 65), ["65.*64"]),
    (lambda: md.MDView.null((2, 3)), ["^A null view", "gets nothing"]),
]


@pytest.mark.parametrize(("make", "told"), EXPLAINED)
def test_an_explanation_tells_of_data_accessor_and_numpy(make, told):
    for pattern in told:
        assert re.search(pattern, md.explain(make())), pattern


# --- flags ---

NAMES = ["C_CONTIGUOUS", "F_CONTIGUOUS", "FORC", "FNC", "OWNDATA", "WRITEABLE"]


def told_by(flags):
    return {name: flags[name] for name in NAMES if name != "OWNDATA"}


@pytest.mark.parametrize("shape", [(), (0,), (1,), (4,), (3, 4), (1, 4), (4, 1), (3, 0), (1, 1), (2, 1, 3), (2, 3, 4)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_flags_are_numpys_of_every_small_part(shape, order):
    base = np.zeros(shape, order=order)
    view = md.asview(base)
    steps = [slice(None), slice(None, None, -1), slice(None, None, 2), slice(0, 1), slice(0, 0), None]
    for key in product(steps, repeat=len(shape)):
        if isinstance(base[key], np.ndarray):
            assert told_by(view[key].flags) == told_by(base[key].flags), key
            assert told_by(md.readonly(view[key]).flags)["WRITEABLE"] is False
    assert told_by(md.permute_dims(view, range(len(shape))[::-1]).flags) == told_by(base.T.flags)


@pytest.mark.parametrize("name", MAPPINGS)
def test_an_array_of_a_view_has_its_flags(name):
    mapping = MAPPINGS[name]()
    view = md.MDView.from_mapping(array("d", range(mapping.required_span_size)), mapping)
    if mapping.found_strides() is not None:
        assert told_by(view.flags) == told_by(np.asarray(view).flags)
    else:
        assert told_by(view.flags) == dict.fromkeys(NAMES[:4], False) | {"WRITEABLE": True}


def test_flags_are_a_mapping_that_cannot_be_changed():
    flags = md.MDView(list(range(6)), (2, 3)).flags
    assert isinstance(flags, AnyMapping)
    assert list(flags) == NAMES
    assert dict(flags) == flags == dict(zip(NAMES, [True, False, True, False, False, True], strict=True))
    assert [flags[key] for key in "CFOW"] == [True, False, False, True]
    assert [key in flags for key in ("C", "FORC", "X")] == [True, True, False]
    assert (flags.c_contiguous, flags.f_contiguous, flags.forc, flags.fnc) == (True, False, True, False)
    assert (flags.owndata, flags.writeable, flags.get("X")) == (False, True, None)
    assert repr(flags).splitlines()[0] == "  C_CONTIGUOUS : True"
    for key in ("CONTIGUOUS", "c_contiguous", "X", "", 0, None, ["C"]):
        with pytest.raises(errors.FlagError):
            flags[key]
    for change in (lambda: setattr(flags, "writeable", False), lambda: operator.setitem(flags, "W", False)):
        with pytest.raises((AttributeError, TypeError, errors.MDViewError)):
            change()
    line = md.broadcast_to(md.MDView([0.0], (1,)), (2**40,))  # too large to look through
    assert told_by(line.flags) == dict.fromkeys(NAMES[:4], False) | {"WRITEABLE": True}
    assert md.MDView.null((2, 2)).origin == 0
    assert (md.MDView.null((2, 2)).flags["C"], md.MDView.null((2, 3)).flags["W"]) == (True, False)


def test_a_view_owns_the_memory_that_was_made_with_it():
    given = md.MDView(array("d", range(6)), (2, 3))
    made = [md.empty((2, 3)), md.zeros((2,), dtype="O"), md.full((), 1), md.relayout(given, md.LayoutTiled(2, 2))]
    made += [
        md.transform(np.negative, given),
        md.transform(str, given),
        md.relayout(md.asview(np.eye(2, dtype="m8[s]")), md.LayoutRight()),
    ]
    for view in made:
        parts = [
            view[...],
            view[None],
            view.T,
            md.readonly(view),
            copy.copy(view),
            md.reshape(view, (-1,)),
            md.flip(view),
        ]
        assert view.flags.owndata
        assert not any(part.flags.owndata for part in parts)
        moved = view.move()
        assert (view.flags.owndata, moved.flags.owndata) == (False, True)
        moved.release()
        assert not moved.flags.owndata
    others = [
        given,
        md.asview(np.eye(2)),
        md.MDView.null((2,)).move(),
        md.transform(str, given, out=md.MDView([""] * 6, (2, 3))),
    ]
    assert not any(view.flags.owndata for view in others)


# --- policies ---


@pytest.mark.parametrize(
    ("policies", "accessor"),
    [
        ([md.readonly], md.ReadOnlyAccessor()),
        ([md.atomic], md.AtomicAccessor()),
        ([md.atomic, md.atomic], md.AtomicAccessor()),
        ([md.unchecked, md.checked], md.CheckedAccessor()),
        ([md.readonly, md.unchecked], md.ReadOnlyAccessor(md.UncheckedAccessor())),
        ([md.atomic, md.checked, md.readonly], md.ReadOnlyAccessor(md.AtomicAccessor(md.CheckedAccessor()))),
    ],
)
def test_a_policy_changes_the_accessor_alone(policies, accessor):
    view = other = md.MDView(array("q", range(12)), (3, 4), md.LayoutTiled(3, 2))
    for policy in policies:
        other = policy(other)
    assert (other.accessor, other.tolist()) == (accessor, view.tolist())
    assert other.mapping is view.mapping
    assert other.data is view.data


def test_the_index_rule_is_exchanged_at_the_core_and_what_cannot_be_is_refused():
    for wrap in (md.accessors.RestrictAccessor, lambda inner: md.accessors.ScaledAccessor(1, inner)):
        view = md.MDView(array("q", range(4)), (4,), accessor=wrap(md.DefaultAccessor()))
        assert md.checked(view).accessor == wrap(md.CheckedAccessor())
    own = type("Own", (md.Writable,), {})()
    with pytest.raises(errors.AccessorError):
        md.checked(md.MDView([1], (1,), accessor=own))
    with pytest.raises(errors.ReadOnlyError, match="ReadOnlyAccessor"):
        md.atomic(md.readonly(md.MDView(array("d", [1, 2]), (2,))))
    aligned = md.MDView(array("q", range(12)), (3, 4), accessor=md.accessors.AlignedAccessor(8))
    assert aligned[1:].accessor == md.DefaultAccessor()


def test_assumed_extents_are_checked_and_then_static():
    view = md.MDView(array("q", range(12)), (3, 4), md.LayoutTiled(3, 2))
    fixed = md.assume(view, (md.dim(3), md.dim(4)))
    assert (fixed.static_extents, fixed.tolist(), view.static_extents) == ((3, 4), view.tolist(), (None, None))
    for wrong in ((md.dim(4), md.dim(3)), (3,), (12,), (md.dim(3), md.dim(5))):
        assert not md.has_extents(view, wrong)
        with pytest.raises(errors.ExtentsError, match=r"\(3, 4\)"):
            md.assume(view, wrong)
    assert md.has_extents(view, (md.dim(3), md.dim(4)))


# --- partners ---
