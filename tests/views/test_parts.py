"""The parts of a view, and views made of parts: what other modules use instead of a view's own names."""

from array import array

import pytest

from mdview import AlignedAccessor, CheckedAccessor, DefaultAccessor, LayoutLeft, LayoutTiled, Mapping, MDView, copy
from mdview.errors import BufferSizeError, NullViewError, OperandError
from mdview.index.slices import ALL, ExtentSlice
from mdview.views.base import check_view, describe_to_numba, mapping_of, parts_of
from mdview.views.derive import derived, selected, shifted, view_of
from mdview.views.storing import fill, store


def matrix():
    return MDView(array("q", range(12)), (3, 4))


def test_the_parts_are_those_that_the_view_was_made_of():
    data = array("q", range(12))
    mapping, accessor = Mapping((2, 3), LayoutLeft()), CheckedAccessor()
    parts = parts_of(MDView.from_mapping(data, mapping, accessor, origin=5))
    assert parts.storage.source is data
    assert (parts.origin, parts.mapping, parts.accessor) == (5, mapping, accessor)
    assert parts.items.tolist() == list(data)


def test_parts_make_the_view_again():
    view = matrix()[1:, ::2]
    again = view_of(*parts_of(view))
    assert again.tolist() == view.tolist()
    assert parts_of(again) == parts_of(view)


def test_the_operand_is_the_parts_with_items_for_the_storage():
    parts = parts_of(matrix())
    operand = parts.operand()
    assert operand.items is parts.items
    assert (operand.origin, operand.mapping, operand.accessor) == parts[1:]
    assert list(parts.values()) == list(range(12))


def test_the_null_view_has_no_items_and_no_operand():
    parts = parts_of(MDView.null((2, 3)))
    assert parts.storage is None
    assert parts.items is None
    for ask in (parts.operand, parts.values, parts.checked_storage):
        with pytest.raises(NullViewError):
            ask()


def test_data_that_became_shorter_has_no_operand():
    data = list(range(12))
    parts = parts_of(MDView(data, (3, 4)))
    assert parts.checked_storage() is parts.storage
    data.pop()
    with pytest.raises(BufferSizeError, match="the data had 12 elements when the view was made, now 11"):
        parts.operand()


def test_a_derived_view_has_the_same_storage_and_what_is_asked_for():
    view = matrix()
    mapping, accessor = Mapping((4, 2), LayoutTiled(2, 2)), CheckedAccessor()
    parts = parts_of(derived(view[1:], mapping, -1, accessor))
    assert parts == (parts_of(view).storage, 3, mapping, accessor)


def test_further_on_an_accessor_claims_no_alignment():
    view = MDView(array("q", range(12)), (3, 4), accessor=AlignedAccessor(8))
    part = shifted(view, Mapping((2,)), 4)
    assert (part.origin, part.accessor) == (4, DefaultAccessor())
    assert part.tolist() == [4, 5]


def test_canonical_slices_select_what_brackets_do():
    view = matrix()
    assert selected(view, [ALL, ExtentSlice(1, 2)]).tolist() == view[:, 1:3].tolist()
    assert selected(view, [2, ALL]).tolist() == view[2].tolist()


def test_whole_views_are_stored_to_from_a_view_a_buffer_a_sequence_or_one_value():
    view = MDView([0] * 4, (2, 2))
    for value in (MDView([1, 2, 3, 4], (2, 2)), [[1, 2], [3, 4]], memoryview(bytes([1, 2, 3, 4])).cast("B", (2, 2))):
        fill(view, 0)
        store(view, value)
        assert view.tolist() == [[1, 2], [3, 4]]
    store(view, 7)
    assert view.tolist() == [[7, 7], [7, 7]]
    fill(view, [8])  # a value, whatever it is
    assert view.tolist() == [[[8], [8]], [[8], [8]]]


def test_what_numba_is_told_is_forgotten_on_release_and_by_copies():
    view = matrix()
    describe_to_numba(view, b"block", 3, "type")
    assert (view._numba_block, view._numba_code, view._numba_type_) == (b"block", 3, "type")
    assert not hasattr(view.__copy__(), "_numba_type_")
    view.release()
    assert not any(hasattr(view, name) for name in ("_numba_block", "_numba_code", "_numba_type_"))


def test_a_mapping_is_its_own_mapping_and_nothing_else_has_one():
    view = matrix()
    assert mapping_of(view) is view.mapping
    assert mapping_of(view.mapping) is view.mapping
    with pytest.raises(OperandError, match="what is operated on"):
        mapping_of([1, 2])
    with pytest.raises(OperandError, match="the source"):
        check_view([1, 2], "the source")
    with pytest.raises(OperandError, match="the source"):
        copy([1, 2], view)
