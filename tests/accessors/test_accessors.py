"""The other accessors: what a load gives, whether there is a store, and how they wrap each other."""

import numpy as np
import pytest

import mdview as md
from mdview.errors import AccessorError

PLAIN = [md.DefaultAccessor(), md.CheckedAccessor(), md.UncheckedAccessor()]


@pytest.mark.parametrize(
    ("accessor", "rule"),
    [
        (md.DefaultAccessor(), md.accessors.IndexRule.WRAP),
        (md.CheckedAccessor(), md.accessors.IndexRule.CHECK),
        (md.UncheckedAccessor(), md.accessors.IndexRule.TRUST),
        (md.ReadOnlyAccessor(md.CheckedAccessor()), md.accessors.IndexRule.CHECK),
        (md.accessors.ScaledAccessor(2, md.ReadOnlyAccessor(md.UncheckedAccessor())), md.accessors.IndexRule.TRUST),
        (md.accessors.RestrictAccessor(md.CheckedAccessor()), md.accessors.IndexRule.CHECK),
        (md.Accessor(), md.accessors.IndexRule.WRAP),
    ],
)
def test_a_wrapper_keeps_the_index_rule_of_its_core(accessor, rule):
    assert accessor.index_rule is rule


@pytest.mark.parametrize("wrap", [md.ReadOnlyAccessor, md.AtomicAccessor, lambda a: md.accessors.ScaledAccessor(2, a)])
def test_a_derived_view_drops_the_promise_of_alignment_and_nothing_else(wrap):
    assert wrap(md.accessors.AlignedAccessor(16, md.CheckedAccessor())).offset_policy() == wrap(md.CheckedAccessor())
    assert wrap(md.DefaultAccessor()).offset_policy() == wrap(md.DefaultAccessor())


def aligned_floats(shift):
    """Floats that begin ``shift`` items past a multiple of 64 bytes."""
    raw = np.zeros(40)
    start = -raw.ctypes.data % 64 // 8
    return raw[start + shift : start + shift + 16]


@pytest.mark.parametrize(
    ("accessor", "shift", "told"),
    [
        (md.accessors.AlignedAccessor(64), 1, "the data begins 8 bytes past a multiple of 64"),
        (md.ReadOnlyAccessor(md.accessors.AlignedAccessor(64)), 3, "the data begins 24 bytes past a multiple of 64"),
        (md.accessors.AlignedAccessor(64, md.accessors.AlignedAccessor(4)), 0, "alignment 4 is less than .*8"),
    ],
)
def test_alignment_is_checked_when_a_view_is_made(accessor, shift, told):
    assert md.MDView(aligned_floats(0), (4,), accessor=md.accessors.AlignedAccessor(64)).tolist() == [0.0] * 4
    with pytest.raises(AccessorError, match=told):
        md.MDView(aligned_floats(shift), (4,), accessor=accessor)


def test_a_part_of_an_aligned_view_need_not_be_aligned():
    view = md.MDView(aligned_floats(0), (8,), accessor=md.accessors.RestrictAccessor(md.accessors.AlignedAccessor(64)))
    assert view[1:].accessor == md.accessors.RestrictAccessor()
    assert view[1:].tolist() == [0.0] * 7
