"""An explanation of a view: its data, its accessor, its mapping, and what NumPy gets."""

from array import array

import numpy as np
import pytest

from mdview import (
    ALL,
    LayoutRight,
    LayoutTiled,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    asview,
    explain,
    readonly,
    scaled,
    subview,
)
from mdview.errors import OperandError
from mdview.testing.samples.layouts import LAYOUTS
from mdview.testing.samples.variants import VARIANTS
from mdview.testing.samples.views import Kind, sample


def test_a_view_says_all_that_its_mapping_says_and_what_else_it_is():
    view = MDView(array("d", range(12)), (3, 4))[1:, ::2]
    lines = explain(view).splitlines()
    assert lines[:2] == [
        "Data of type array: 12 items of format 'd', 8 bytes each; offset 0 is that at 4.",
        "DefaultAccessor() loads the items as they are and stores, too.",
    ]
    assert lines[2:-1] == explain(view.mapping).splitlines()[:-1]
    assert lines[-1] == "NumPy can share the memory: shape (2, 2), strides (4, 2) in elements, origin 4."


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("variant", ["whole", "rows", "padded, constant"])
def test_every_kind_of_view_is_explained(layout, variant):
    made = sample(Kind(layout, variant=variant), (4, 4)) if variant in VARIANTS else None
    if made is not None:
        told, of_mapping = explain(made.view).splitlines(), explain(made.view.mapping).splitlines()
        assert [line for line in told[2:] if "NumPy" not in line] == [
            line for line in of_mapping if "NumPy" not in line
        ]
        shares = made.view.mapping.found_strides() is not None
        assert any(line.startswith("NumPy can share") for line in told) == shares


def last(view):
    return explain(view).splitlines()[-1]


def test_what_numpy_gets_depends_on_data_and_accessor():
    data = array("i", range(6))
    assert last(MDView([1, 2], (2,))).startswith("NumPy gets a copy of the elements: the items of a list are no memory")
    assert last(scaled(2, MDView(data, (6,)))).startswith(
        "NumPy gets a copy of the elements: the accessor gives another"
    )
    assert last(MDView(data, (2, 2), LayoutTiled(1, 2))[:, 0]).startswith("NumPy can share the memory")
    assert last(asview(np.zeros(3, [("a", "i4")]))).startswith("NumPy can share the memory")
    assert last(MDView.null((2,))) == "NumPy gets nothing: there is no data."
    assert last(MDView(data, (0, 3))).startswith("NumPy can share the memory")
    assert "rank is 65, and 64 is its limit" in explain(MDView(data, (1,) * 65))


def test_the_accessor_says_what_it_does():
    view = MDView(array("i", range(6)), (6,))
    assert "loads the items as they are and does not store." in explain(readonly(view))
    assert "ScaledAccessor(factor=2, inner=DefaultAccessor()) computes what it loads and does not store." in explain(
        scaled(2, view)
    )
    assert explain(MDView((1,), (1,), accessor=ReadOnlyAccessor())).startswith(
        "Data of type tuple: 1 object; offset 0 is that at 0."
    )
    assert explain(MDView(bytearray(2), (2,))).startswith("Data of type bytearray: 2 items of format 'B', 1 byte each")


def test_a_null_and_a_released_view_have_no_data():
    view = MDView([1, 2], (2,))
    view.release()
    for null in (view, MDView.null((2, 3))):
        assert explain(null).startswith("A null view: it has no data.\n")


def test_late_parts_are_explained_like_their_mappings():
    view = MDView(array("d", range(64)), (8, 8), LayoutTiled(2, 2))
    part = subview(view, (1, 7), ALL)[::2]
    assert explain(part).splitlines()[2:] == explain(part.mapping).splitlines()


@pytest.mark.parametrize("other", [3, None, "text", [1], LayoutRight, MDView, object()])
def test_what_is_neither_is_refused(other):
    with pytest.raises(OperandError, match="must be a view or a mapping"):
        explain(other)


def test_a_layout_alone_is_refused_with_the_way_out():
    with pytest.raises(
        OperandError, match=r"a layout says nothing without extents, explain\(Mapping\(extents, layout\)\)"
    ):
        explain(LayoutRight())
    assert explain(Mapping((2, 3), LayoutRight())).startswith("LayoutRight() over extents (2, 3)")
