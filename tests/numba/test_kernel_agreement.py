"""Kernels read and write the elements that the mapping names, under every layout and index rule, to the bit."""

import pytest
from samples import MAPPINGS

from mdview import CheckedAccessor, DefaultAccessor, Mapping, MDView, UncheckedAccessor, dim

np = pytest.importorskip("numpy")
check_exchange = pytest.importorskip("exchanging").check_exchange

PLAIN = DefaultAccessor()


def check(mapping, accessor=PLAIN, origin=0):
    data = np.arange(origin + mapping.required_span_size + 1) / 4
    check_exchange(MDView.from_mapping(data, mapping, accessor, origin=origin), data)


@pytest.mark.parametrize("name", MAPPINGS)
def test_each_element_is_the_one_that_the_mapping_names(name):
    check(MAPPINGS[name], origin=3)


@pytest.mark.parametrize("name", MAPPINGS)
def test_static_extents_and_unchecked_access_change_no_element(name):
    mapping = MAPPINGS[name]
    extents = tuple([dim(int(e)) for e in mapping.extents])
    check(Mapping(extents, mapping.layout), UncheckedAccessor())


@pytest.mark.parametrize("name", ["right", "left", "tiled, ragged", "symmetric", "composed, tiled"])
def test_checked_access_changes_no_element(name):
    check(MAPPINGS[name], CheckedAccessor())


@pytest.mark.parametrize("name", ["right", "tiled", "morton, plain"])
def test_other_extents_of_the_same_type_are_values_and_no_constants(name):
    layout = MAPPINGS[name].layout
    for extents in ((4, 5), (5, 6), (7, 8)):
        check(Mapping(extents, layout))
