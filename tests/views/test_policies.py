"""readonly, atomic, checked and unchecked: the same data and mapping under another accessor."""

from array import array

import pytest

from mdview import (
    AlignedAccessor,
    AtomicAccessor,
    CheckedAccessor,
    DefaultAccessor,
    LayoutTiled,
    MDView,
    ReadOnlyAccessor,
    RestrictAccessor,
    ScaledAccessor,
    UncheckedAccessor,
    Writable,
    assume,
    atomic,
    checked,
    dim,
    has_extents,
    readonly,
    unchecked,
)
from mdview.errors import AccessorError, ExtentsError, ReadOnlyError


@pytest.fixture
def view():
    return MDView(array("q", range(12)), (3, 4), LayoutTiled(3, 2))


@pytest.mark.parametrize(
    ("policies", "accessor"),
    [
        ([readonly], ReadOnlyAccessor()),
        ([readonly, readonly], ReadOnlyAccessor()),
        ([atomic], AtomicAccessor()),
        ([atomic, atomic], AtomicAccessor()),
        ([checked], CheckedAccessor()),
        ([unchecked, checked], CheckedAccessor()),
        ([readonly, unchecked], ReadOnlyAccessor(UncheckedAccessor())),
        ([atomic, checked, readonly], ReadOnlyAccessor(AtomicAccessor(CheckedAccessor()))),
    ],
)
def test_a_policy_changes_the_accessor_alone(view, policies, accessor):
    other = view
    for policy in policies:
        other = policy(other)
    assert other.accessor == accessor
    assert other.mapping is view.mapping
    assert other.data is view.data
    assert other.tolist() == view.tolist()


@pytest.mark.parametrize(
    "wrap", [RestrictAccessor, lambda inner: ScaledAccessor(1, inner), lambda a: AlignedAccessor(8, a)]
)
def test_the_index_rule_is_exchanged_at_the_core(wrap):
    view = MDView(array("q", range(4)), (4,), accessor=wrap(DefaultAccessor()))
    assert checked(view).accessor == wrap(CheckedAccessor())


def test_what_does_not_store_cannot_be_atomic(view):
    with pytest.raises(ReadOnlyError, match=r"atomic operations store, ReadOnlyAccessor\(.*\) does not"):
        atomic(readonly(view))


def test_an_accessor_of_ones_own_chooses_its_index_rule_itself():
    class Own(Writable):
        pass

    with pytest.raises(AccessorError, match="chooses its index rule itself; give it an index_rule of its own"):
        checked(MDView([1], (1,), accessor=Own()))


def test_assumed_extents_are_checked_and_then_static(view):
    fixed = assume(view, (dim(3), dim(4)))
    assert fixed.static_extents == (3, 4)
    assert fixed.tolist() == view.tolist()
    assert view.static_extents == (None, None)
    with pytest.raises(ExtentsError, match=r"the view has extents \(3, 4\), not \(4, 3\)"):
        assume(view, (dim(4), dim(3)))
    with pytest.raises(ExtentsError, match=r"not \(3,\)"):
        assume(view, (3,))


def test_extents_are_tested_by_value(view):
    assert has_extents(view, (dim(3), dim(4)))
    assert not has_extents(view, (dim(3), dim(5)))
    assert not has_extents(view, (12,))
