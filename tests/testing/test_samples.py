"""Samples have an example of every public layout and accessor, and every public function is used or exempt."""

import pytest
from public import PUBLIC
from samples.accessors import ACCESSORS
from samples.data import items_of
from samples.functions import EXEMPT, FUNCTIONS
from samples.layouts import LAYOUTS, bound, shipped, takes
from samples.mappings import MAPPINGS, MATRICES
from samples.variants import VARIANTS, indices_of
from samples.views import Kind, sample

import mdview
from mdview import Accessor, Layout, Mapping
from mdview.errors import LayoutError, RankError


def classes_of(values):
    """The classes of values, and of what they are around."""
    found = set()
    for value in values:
        found.add(type(value))
        found |= classes_of([value.inner] if hasattr(value, "inner") else [])
    return found


def test_every_public_layout_has_an_example():
    public = {thing for name, thing in PUBLIC.items() if name.startswith("Layout")}
    assert set(shipped(Layout)) == public - {mdview.Layout, mdview.layouts.LayoutWrapper}
    assert set(shipped(Layout)) <= {type(make((4, 4))) for make in LAYOUTS.values()}
    assert all(takes(name, (4, 4)) for name in LAYOUTS)


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_takes_the_extents_that_the_table_says(name):
    for shape in ((), (0,), (7,), (8,), (3, 0), (4, 1), (6, 7), (3, 3), (2, 2, 2), (3, 4, 5)):
        if takes(name, shape):
            assert bound(name, shape).extents == shape
        else:
            with pytest.raises((LayoutError, RankError)):
                Mapping(shape, LAYOUTS[name](shape))


def test_a_table_of_mappings_says_which_are_matrices_and_which_are_empty():
    assert [name for name, make in MAPPINGS.items() if make().rank == 2] == [*MATRICES]
    assert all((make().size == 0) == ("empty" in name) for name, make in MAPPINGS.items())


def test_every_public_accessor_has_an_example():
    public = {thing for name, thing in PUBLIC.items() if name.endswith("Accessor")}
    assert set(shipped(Accessor)) == public - {mdview.Accessor, mdview.ElementwiseAccessor}
    assert set(shipped(Accessor)) <= classes_of([make() for make in ACCESSORS.values()])


def test_every_public_function_is_used_or_exempt():
    functions = {
        f.__name__ for f in PUBLIC.values() if callable(f) and not isinstance(f, type) and hasattr(f, "__code__")
    }
    used = {name for function in FUNCTIONS.values() for name in function.names}
    assert used | EXEMPT == functions
    assert not used & EXEMPT


def test_a_variant_has_the_extents_and_the_elements_that_it_says():
    for name, variant in VARIANTS.items():
        made = sample(Kind(variant=name), (4, 6))
        assert made.view.shape == variant.extents((4, 6))
        places = made.places()
        found = [0.0 if place is None else items_of(made.data)[place] for place in places]
        assert [made.view[index] for index in indices_of(made.view.shape)] == found
        inside = [made.view.is_valid(*index) for index in indices_of(made.view.shape)]
        assert [place is not None for place in made.places(inside=True)] == inside
