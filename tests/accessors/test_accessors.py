"""The other accessors: what a load gives, whether there is a store, and how they wrap each other."""

import pickle
from array import array

import numpy as np
import pytest

from mdview import (
    AlignedAccessor,
    AtomicAccessor,
    CheckedAccessor,
    ConjugatedAccessor,
    DefaultAccessor,
    IndexRule,
    MDView,
    MemorySpaceAccessor,
    NonTemporalAccessor,
    RandomAccessAccessor,
    ReadOnlyAccessor,
    RestrictAccessor,
    ScaledAccessor,
    UncheckedAccessor,
    Writable,
)
from mdview.accessors.base import Accessor
from mdview.errors import AccessorError

PLAIN = [DefaultAccessor(), CheckedAccessor(), UncheckedAccessor()]
HINTS = [
    RestrictAccessor(),
    RandomAccessAccessor(),
    NonTemporalAccessor(),
    MemorySpaceAccessor("device"),
    AlignedAccessor(8),
]


@pytest.mark.parametrize("accessor", [*PLAIN, *HINTS], ids=repr)
def test_a_plain_accessor_loads_and_stores_elements_as_they_are(accessor):
    data = [1, 2, 3]
    accessor.store(data, 1, 5)
    assert data == [1, 5, 3]
    assert accessor.load(data, 1) == accessor.read(data, 1) == 5
    assert accessor.is_plain
    assert isinstance(accessor, Writable)


@pytest.mark.parametrize(
    ("accessor", "rule"),
    [
        (DefaultAccessor(), IndexRule.WRAP),
        (CheckedAccessor(), IndexRule.CHECK),
        (UncheckedAccessor(), IndexRule.TRUST),
        (ReadOnlyAccessor(CheckedAccessor()), IndexRule.CHECK),
        (ScaledAccessor(2, ReadOnlyAccessor(UncheckedAccessor())), IndexRule.TRUST),
        (RestrictAccessor(CheckedAccessor()), IndexRule.CHECK),
        (Accessor(), IndexRule.WRAP),
    ],
)
def test_a_wrapper_keeps_the_index_rule_of_its_core(accessor, rule):
    assert accessor.index_rule is rule


@pytest.mark.parametrize(
    ("accessor", "value"),
    [
        (ReadOnlyAccessor(), 3 + 4j),
        (ScaledAccessor(2), 6 + 8j),
        (ConjugatedAccessor(), 3 - 4j),
        (ConjugatedAccessor(ScaledAccessor(1j)), (1j * (3 + 4j)).conjugate()),
        (ScaledAccessor(1j, ConjugatedAccessor()), 1j * (3 - 4j)),
        (ScaledAccessor(2, AtomicAccessor()), 6 + 8j),
        (ReadOnlyAccessor(RestrictAccessor(AtomicAccessor())), 3 + 4j),
    ],
)
def test_a_reading_accessor_has_no_store(accessor, value):
    assert accessor.load([0, 3 + 4j], 1) == value
    assert not isinstance(accessor, Writable)
    assert not hasattr(accessor, "store")


def test_real_numbers_are_their_own_conjugates():
    assert ConjugatedAccessor().load([2.5], 0) == 2.5


@pytest.mark.parametrize("accessor", [*PLAIN, *HINTS, ScaledAccessor(2), AtomicAccessor(RestrictAccessor())], ids=repr)
def test_an_accessor_is_a_value_that_travels(accessor):
    again = pickle.loads(pickle.dumps(accessor))  # noqa: S301 - of our own making
    assert again == accessor
    assert hash(again) == hash(accessor)


@pytest.mark.parametrize(
    "wrap", [ReadOnlyAccessor, AtomicAccessor, ConjugatedAccessor, RestrictAccessor, lambda a: ScaledAccessor(2, a)]
)
def test_a_derived_view_drops_the_promise_of_alignment_and_nothing_else(wrap):
    assert wrap(AlignedAccessor(16, CheckedAccessor())).offset_policy() == wrap(CheckedAccessor())
    assert wrap(DefaultAccessor()).offset_policy() == wrap(DefaultAccessor())


def test_a_hint_may_not_pretend_to_store():
    message = r"RestrictAccessor stores, ReadOnlyAccessor\(.*\) does not; wrap the other way round: ReadOnlyAccessor"
    with pytest.raises(AccessorError, match=message):
        RestrictAccessor(ReadOnlyAccessor())


@pytest.mark.parametrize("alignment", [0, -8, 3, 12])
def test_an_alignment_is_a_power_of_two(alignment):
    with pytest.raises(AccessorError, match=f"an alignment is a power of two in bytes, got {alignment}"):
        AlignedAccessor(alignment)


def aligned_floats(shift):
    """Floats that begin ``shift`` items past a multiple of 64 bytes."""
    raw = np.zeros(40)
    start = -raw.ctypes.data % 64 // 8
    return raw[start + shift : start + shift + 16]


def test_alignment_is_checked_when_a_view_is_made():
    assert MDView(aligned_floats(0), (4,), accessor=AlignedAccessor(64)).tolist() == [0.0] * 4
    with pytest.raises(AccessorError, match="the data begins 8 bytes past a multiple of 64"):
        MDView(aligned_floats(1), (4,), accessor=AlignedAccessor(64))
    with pytest.raises(AccessorError, match="the data begins 24 bytes past a multiple of 64"):
        MDView(aligned_floats(3), (4,), accessor=ReadOnlyAccessor(AlignedAccessor(64)))
    with pytest.raises(AccessorError, match=r"alignment 4 is less than .*8"):
        MDView(aligned_floats(0), (4,), accessor=AlignedAccessor(4))
    with pytest.raises(AccessorError, match="a list has no address; alignment needs a buffer"):
        MDView([1, 2], (2,), accessor=AlignedAccessor(8))
    with pytest.raises(AccessorError, match="alignment 4 is less than"):
        MDView(aligned_floats(0), (4,), accessor=AlignedAccessor(64, AlignedAccessor(16, AlignedAccessor(4))))


def test_a_part_of_an_aligned_view_need_not_be_aligned():
    view = MDView(aligned_floats(0), (8,), accessor=RestrictAccessor(AlignedAccessor(64)))
    assert view[1:].accessor == RestrictAccessor()
    assert view[1:].tolist() == [0.0] * 7


def test_a_scaled_view_of_any_number():
    view = MDView(array("i", [1, 2]), (2,), accessor=ScaledAccessor(0.5))
    assert view.tolist() == [0.5, 1.0]
