"""Flags of a view are those of the array of NumPy that says the same, under NumPy's names and NuMojo's."""

import copy
import pickle
from array import array
from collections.abc import Mapping
from itertools import product

import numpy as np
import pytest

from mdview import (
    LayoutMorton,
    LayoutRight,
    LayoutRightPadded,
    LayoutStrideRelaxed,
    LayoutTiled,
    MDView,
    asview,
    atomic,
    broadcast_to,
    empty,
    expand_dims,
    flip,
    full,
    pad,
    permute_dims,
    readonly,
    relayout,
    reshape,
    scaled,
    transform,
    zeros,
)
from mdview.errors import FlagError, MDViewError

NAMES = ["C_CONTIGUOUS", "F_CONTIGUOUS", "FORC", "FNC", "OWNDATA", "WRITEABLE"]


def told(flags):
    return {name: flags[name] for name in NAMES if name != "OWNDATA"}


@pytest.mark.parametrize("shape", [(), (0,), (1,), (4,), (3, 4), (1, 4), (4, 1), (3, 0), (1, 1), (2, 1, 3), (2, 3, 4)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_they_are_numpys_of_every_small_part(shape, order):
    base = np.zeros(shape, order=order)
    view = asview(base)
    steps = [slice(None), slice(None, None, -1), slice(None, None, 2), slice(0, 1), slice(0, 0), 0, None]
    for key in product(steps, repeat=len(shape)):
        try:
            expected = base[key]
        except IndexError:
            continue
        if isinstance(expected, np.ndarray):
            assert told(view[key].flags) == told(expected.flags), key
    assert told(permute_dims(view, range(len(shape))[::-1]).flags) == told(base.T.flags)


def test_an_array_of_a_view_has_its_flags():
    for view in (
        MDView(array("d", range(12)), (3, 4), LayoutRightPadded(4)),
        MDView(array("d", range(24)), (3, 4), LayoutRightPadded(8)),
        MDView(array("d", range(12)), (3, 4), LayoutStrideRelaxed((-4, 1), 8)),
        MDView(array("d", range(12)), (3, 1), LayoutStrideRelaxed((1, 7))),
        MDView(array("d", range(8)), (8, 4), LayoutStrideRelaxed((1, 0))),
        MDView(array("d", range(16)), (8, 2), LayoutTiled(2, 2)),
        expand_dims(MDView(array("d", range(12)), (3, 4)), 1),
        reshape(MDView(array("d", range(12)), (3, 4)), (2, 6)),
        flip(MDView(array("d", range(1)), (1, 1))),
        readonly(MDView(array("d", range(12)), (3, 4))),
        MDView(bytes(12), (3, 4), accessor=readonly(MDView(bytearray(1), (1,))).accessor),
    ):
        assert told(view.flags) == told(np.asarray(view).flags)


@pytest.mark.parametrize("layout", [LayoutTiled(2, 2), LayoutMorton()], ids=repr)
def test_what_is_not_strided_is_not_contiguous(layout):
    view = MDView(array("d", range(16)), (4, 4), layout)
    assert told(view.flags) == dict.fromkeys(NAMES[:4], False) | {"WRITEABLE": True}
    assert view[0, ..., :2].flags.c_contiguous  # within one tile
    assert not pad(MDView([1, 2], (2,)), 1).flags.forc


def test_writeable_is_what_the_accessor_and_the_data_allow():
    data = np.arange(6.0)
    view = MDView(data, (2, 3))
    assert [v.flags.writeable for v in (view, atomic(view), readonly(view), scaled(2.0, view))] == [
        True,
        True,
        False,
        False,
    ]
    assert broadcast_to(view, (4, 2, 3)).flags.writeable  # a store there reaches the one element
    data.flags.writeable = False
    assert not asview(data).flags.writeable
    view.release()
    assert not view.flags.writeable
    assert not MDView.null((2, 3)).flags["W"]


def test_they_are_a_mapping_that_cannot_be_changed():
    flags = MDView(list(range(6)), (2, 3)).flags
    assert isinstance(flags, Mapping)
    assert list(flags) == NAMES
    assert dict(flags) == flags == dict(zip(NAMES, [True, False, True, False, False, True], strict=True))
    assert [flags[key] for key in "CFOW"] == [True, False, False, True]
    assert "FORC" in flags
    assert "C" in flags
    assert (flags.c_contiguous, flags.f_contiguous, flags.forc, flags.fnc) == (True, False, True, False)
    assert (flags.owndata, flags.writeable) == (False, True)
    assert repr(flags).splitlines()[0] == "  C_CONTIGUOUS : True"
    with pytest.raises((AttributeError, MDViewError)):
        flags.writeable = False
    with pytest.raises(TypeError):
        flags["W"] = False


@pytest.mark.parametrize("key", ["CONTIGUOUS", "c_contiguous", "X", "", 0, None, ["C"]])
def test_no_other_key_is_a_flag(key):
    flags = MDView([0], (1,)).flags
    with pytest.raises(FlagError, match=r"is no flag of a view; there are C_CONTIGUOUS, .*, and C, F, O, W$"):
        flags[key]
    assert flags.get("CONTIGUOUS") is None


def test_a_view_too_large_to_look_through_is_not_known_to_be_contiguous():
    huge = MDView.null((2, 2)).flags
    assert huge["C"]  # nothing follows nothing without gaps
    line = broadcast_to(MDView([0.0], (1,), LayoutRight()), (2**40,))
    assert told(line.flags) == dict.fromkeys(NAMES[:4], False) | {"WRITEABLE": True}


def test_a_view_owns_the_memory_that_was_made_with_it():
    given = MDView(array("d", range(6)), (2, 3))
    objects = transform(str, given)
    made = [empty((2, 3)), zeros((2,), format="O"), full((), 1), relayout(given, LayoutTiled(2, 2))]
    made += [transform(np.negative, given), objects, relayout(asview(np.eye(2, dtype="m8[s]")), LayoutRight())]
    for view in made:
        assert view.flags.owndata
        parts = [view[...], view[None], view.T, readonly(view), copy.copy(view), reshape(view, (-1,))]
        parts += [MDView.from_mapping(view.data, view.mapping)] if isinstance(view.data, array | list) else []
        assert not any(part.flags.owndata for part in parts)
    assert not given.flags.owndata
    assert not asview(np.eye(2)).flags.owndata
    assert not transform(str, given, out=MDView([""] * 6, (2, 3))).flags.owndata


def test_what_owns_memory_is_the_view_that_has_it():
    view = full((2, 3), 1.0)
    moved = view.move()
    assert (view.flags.owndata, moved.flags.owndata) == (False, True)
    assert not copy.deepcopy(moved).flags.owndata  # whatever is copied in the same call shares its data
    assert not pickle.loads(pickle.dumps(moved)).flags.owndata  # noqa: S301 - our own
    part = moved[0]
    moved.release()
    assert not moved.flags.owndata
    del moved
    assert not part.flags.owndata
    assert part.tolist() == [1.0, 1.0, 1.0]
    assert not MDView.null((2,)).move().flags.owndata
