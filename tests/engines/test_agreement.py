"""Compiled element access is the definition: load and store at ``mapping(*index)``, for every layout and accessor."""

from array import array

import pytest
from samples.accessors import ACCESSORS as SAMPLES
from samples.mappings import MAPPINGS, CountingAccessor, all_indices

from mdview import Mapping, MDView, Writable, dim
from mdview.atomics import AtomicRef
from mdview.errors import ReadOnlyError

ACCESSORS = {name: make() for name, make in SAMPLES.items()}
MUTABLE = [name for name, accessor in ACCESSORS.items() if isinstance(accessor, Writable)]


def data_for(mapping, origin=0):
    return array("d", [k / 4 for k in range(origin + mapping.required_span_size + 1)])


def plain(value):
    return value.load() if isinstance(value, AtomicRef) else value


@pytest.mark.parametrize("policy", ACCESSORS)
@pytest.mark.parametrize("name", MAPPINGS)
def test_a_load_is_that_of_the_accessor_at_the_offset_of_the_mapping(name, policy):
    mapping, accessor = MAPPINGS[name], ACCESSORS[policy]
    data = data_for(mapping)
    view = MDView.from_mapping(data, mapping, accessor)
    indices = all_indices(mapping.extents)
    expected = [plain(accessor.load(data, mapping(*index))) for index in indices]
    assert [plain(view[index]) for index in indices] == expected


@pytest.mark.parametrize("policy", MUTABLE)
@pytest.mark.parametrize("name", MAPPINGS)
def test_a_store_is_that_of_the_accessor_at_the_offset_of_the_mapping(name, policy):
    mapping, accessor = MAPPINGS[name], ACCESSORS[policy]
    data, expected = data_for(mapping), data_for(mapping)
    view = MDView.from_mapping(data, mapping, accessor)
    for k, index in enumerate(all_indices(mapping.extents)):
        view[index] = -k
        accessor.store(expected, mapping(*index), -k)
        assert data == expected


@pytest.mark.parametrize("policy", ["read-only", "scaled, float", "conjugated"])
@pytest.mark.parametrize("name", ["right", "tiled", "symmetric", "right of rank 0"])
def test_a_store_through_a_read_only_accessor_is_refused(name, policy):
    mapping = MAPPINGS[name]
    data = data_for(mapping)
    view = MDView.from_mapping(data, mapping, ACCESSORS[policy])
    with pytest.raises(ReadOnlyError, match=r"this view is read-only: its accessor .* has no store"):
        view[(0,) * mapping.rank] = 7.0
    assert data == data_for(mapping)


@pytest.mark.parametrize("origin", [0, 5])
@pytest.mark.parametrize("name", MAPPINGS)
def test_static_extents_change_the_code_and_not_the_elements(name, origin):
    mapping = MAPPINGS[name]
    data = data_for(mapping, origin)
    expected = [data[origin + mapping(*index)] for index in all_indices(mapping.extents)]
    for kind in (int, dim):
        extents = tuple([kind(int(e)) for e in mapping.extents])
        view = MDView.from_mapping(data, Mapping(extents, mapping.layout), origin=origin)
        assert [view[index] for index in all_indices(extents)] == expected


@pytest.mark.parametrize("name", ["right", "tiled, ragged", "symmetric", "morton", "composed, tiled"])
def test_a_store_of_the_users_own_accessor_runs_once_and_so_does_a_load(name):
    mapping, accessor = MAPPINGS[name], CountingAccessor()
    view = MDView.from_mapping(data_for(mapping), mapping, accessor)
    index = (0,) * mapping.rank
    backwards = tuple([-e for e in mapping.extents])
    view[index] = 1.0
    view[backwards] = 2.0
    assert view[index] == view[backwards] == 2.0
    assert accessor.stores == accessor.loads == [mapping(*index)] * 2


@pytest.mark.parametrize("error", [ValueError, TypeError, IndexError])
def test_a_store_that_fails_is_not_tried_again(error):
    class Failing(CountingAccessor):
        def store(self, data, offset, value):
            self.stores.append(offset)
            raise error

    accessor = Failing()
    view = MDView([0, 1, 2], (3,), accessor=accessor)
    with pytest.raises(error):
        view[1] = 5
    assert accessor.stores == [1]
