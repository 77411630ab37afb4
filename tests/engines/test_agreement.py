"""Compiled element access is the definition: load and store at ``mapping(*index)``, for every layout and accessor."""

from array import array

import pytest
from samples.accessors import ACCESSORS as SAMPLES
from samples.mappings import MAPPINGS, CountingAccessor
from samples.variants import indices_of

from mdview import Mapping, MDView, Writable, dim
from mdview.atomics import AtomicRef
from mdview.errors import ReadOnlyError

ACCESSORS = {name: make() for name, make in SAMPLES.items()}
ORIGIN = 5


def data_for(mapping, origin=0):
    return array("d", [k / 4 for k in range(origin + mapping.required_span_size + 1)])


def plain(value):
    return value.load() if isinstance(value, AtomicRef) else value


@pytest.mark.parametrize("policy", ACCESSORS)
@pytest.mark.parametrize("name", MAPPINGS)
@pytest.mark.parametrize("kind", [int, dim])
def test_brackets_load_and_store_as_the_accessor_does_at_the_offset_of_the_mapping(name, policy, kind):
    mapping, accessor = MAPPINGS[name](), ACCESSORS[policy]
    data, expected = data_for(mapping, ORIGIN), data_for(mapping, ORIGIN)
    extents = tuple([kind(int(e)) for e in mapping.extents])
    view = MDView.from_mapping(data, Mapping(extents, mapping.layout), accessor, origin=ORIGIN)
    for k, index in enumerate(indices_of(mapping.extents)):
        offset = ORIGIN + mapping(*index)
        assert plain(view[index]) == plain(accessor.load(expected, offset))
        if isinstance(accessor, Writable):
            view[index] = -k
            accessor.store(expected, offset, -k)
        else:
            with pytest.raises(ReadOnlyError, match=r"this view is read-only: its accessor .* has no store"):
                view[index] = 7.0
        assert data == expected


@pytest.mark.parametrize("name", ["right", "tiled, ragged", "symmetric", "morton", "composed, tiled"])
def test_a_store_of_the_users_own_accessor_runs_once_and_so_does_a_load(name):
    mapping, accessor = MAPPINGS[name](), CountingAccessor()
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
