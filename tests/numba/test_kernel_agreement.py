"""Kernels read and write the elements that the mapping names, under every layout and index rule, to the bit."""

from array import array

import pytest
from samples import MAPPINGS, all_indices

from mdview import CheckedAccessor, Mapping, MDView, UncheckedAccessor, dim

numba = pytest.importorskip("numba")
np = pytest.importorskip("numpy")
pytest.importorskip("mdview.numba")


@numba.njit
def exchange0(v, out, new):
    out[0] = v[()]
    v[()] = new[0]


@numba.njit
def exchange1(v, out, new):
    for i in range(v.extent(0)):
        out[i] = v[i]
        v[i] = new[i]


@numba.njit
def exchange2(v, out, new):
    n = 0
    for i in range(v.extent(0)):
        for j in range(v.extent(1)):
            out[n] = v[i, j]
            v[i, j] = new[n]
            n += 1


@numba.njit
def exchange3(v, out, new):
    n = 0
    for i in range(v.extent(0)):
        for j in range(v.extent(1)):
            for k in range(v.extent(2)):
                out[n] = v[i, j, k]
                v[i, j, k] = new[n]
                n += 1


EXCHANGE = [exchange0, exchange1, exchange2, exchange3]


def check_exchange(mapping, accessor=None, origin=0):
    """Read each element and put another in its place; compare with plain Python over the mapping."""
    length = origin + mapping.required_span_size + 1
    data = array("d", [k / 4 for k in range(length)])
    view = MDView.from_mapping(data, mapping, *([accessor] if accessor else []), origin=origin)
    expected, reference = [], array("d", data)
    new = np.arange(mapping.size) * -1.5
    for index, value in zip(all_indices(mapping.extents), new, strict=True):
        expected.append(reference[origin + mapping(*index)])
        reference[origin + mapping(*index)] = value
    out = np.full(mapping.size, np.nan)
    EXCHANGE[mapping.rank](view, out, new)
    assert out.tolist() == expected
    assert data == reference


@pytest.mark.parametrize("name", MAPPINGS)
def test_each_element_is_the_one_that_the_mapping_names(name):
    check_exchange(MAPPINGS[name], origin=3)


@pytest.mark.parametrize("name", MAPPINGS)
def test_static_extents_and_unchecked_access_change_no_element(name):
    mapping = MAPPINGS[name]
    extents = tuple([dim(int(e)) for e in mapping.extents])
    check_exchange(Mapping(extents, mapping.layout), UncheckedAccessor())


@pytest.mark.parametrize("name", ["right", "left", "tiled, ragged", "symmetric", "composed, tiled"])
def test_checked_access_changes_no_element(name):
    check_exchange(MAPPINGS[name], CheckedAccessor())


@pytest.mark.parametrize("name", ["right", "tiled", "morton, plain"])
def test_other_extents_of_the_same_type_are_values_and_no_constants(name):
    layout = MAPPINGS[name].layout
    for extents in ((4, 5), (5, 6), (7, 8)):
        check_exchange(Mapping(extents, layout))
