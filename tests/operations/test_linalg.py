from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdview.accessors.base import Writable
from mdview.accessors.checked import CheckedAccessor
from mdview.accessors.conjugated import ConjugatedAccessor
from mdview.accessors.default import DefaultAccessor
from mdview.accessors.readonly import ReadOnlyAccessor
from mdview.accessors.scaled import ScaledAccessor
from mdview.errors import RankError, ReadOnlyError
from mdview.index.extents import dim
from mdview.layouts.left import LayoutLeft
from mdview.layouts.left_padded import LayoutLeftPadded
from mdview.layouts.packed import LayoutBlasPacked
from mdview.layouts.right import LayoutRight
from mdview.layouts.right_padded import LayoutRightPadded
from mdview.layouts.stride import LayoutStride
from mdview.layouts.stride_relaxed import LayoutStrideRelaxed
from mdview.layouts.tiled import LayoutTiled
from mdview.layouts.transpose import LayoutTranspose
from mdview.mappings.mapping import Mapping
from mdview.operations.linalg import conjugate_transposed, conjugated, scaled, transposed
from mdview.views.view import MDView

EXCHANGED = [
    (LayoutRight(), LayoutLeft()),
    (LayoutLeft(), LayoutRight()),
    (LayoutRightPadded(dim(4)), LayoutLeftPadded(dim(4))),
    (LayoutLeftPadded(5), LayoutRightPadded(5)),
    (LayoutRightPadded(), LayoutLeftPadded()),
    (LayoutStride((8, 2)), LayoutStride((2, 8))),
    (LayoutStride(), LayoutStride((1, 4))),
    (LayoutStrideRelaxed((-4, 0), 8), LayoutStrideRelaxed((0, -4), 8)),
    (LayoutTiled(2, 2), LayoutTranspose(LayoutTiled(2, 2))),
    (LayoutTranspose(LayoutTiled(2, 2)), LayoutTiled(2, 2)),
]
LAYOUTS = [layout for layout, _ in EXCHANGED]


@pytest.mark.parametrize(("layout", "expected"), EXCHANGED)
def test_layout_of_the_transpose(layout, expected):
    assert transposed(Mapping((3, 4), layout)).layout == expected


@pytest.mark.parametrize("layout", LAYOUTS)
def test_transposing_exchanges_the_indices(layout):
    mapping = Mapping((dim(3), 4), layout)
    result = transposed(mapping)
    assert result.static_extents == (None, 3)
    assert all(result(j, i) == mapping(i, j) for i in range(3) for j in range(4))
    assert transposed(result) == mapping


@given(st.tuples(st.integers(0, 4), st.integers(0, 4)), st.sampled_from([LayoutRight(), LayoutLeftPadded(3)]))
def test_a_transposed_view_reaches_the_same_elements(extents, layout):
    mapping = Mapping(extents, layout)
    view = MDView.from_mapping(list(range(mapping.required_span_size)), mapping)
    result = transposed(view)
    assert result.extents == extents[::-1]
    assert [result[j, i] for i in range(extents[0]) for j in range(extents[1])] == [e for row in view for e in row]


def test_a_transposed_view_stores():
    data = array("d", range(6))
    transposed(MDView(data, (2, 3)))[2, 1] = -1
    assert data[5] == -1


def test_a_transposed_subview_stays_where_it_begins():
    part = MDView(list(range(12)), (3, 4))[1:, 1:3]
    assert transposed(part).tolist() == [[5, 9], [6, 10]]


def test_transposing_keeps_the_accessor():
    view = MDView([1, 2], (1, 2), accessor=CheckedAccessor())
    assert transposed(view).accessor == CheckedAccessor()


@pytest.mark.parametrize("extents", [(), (3,), (2, 3, 4)])
def test_only_a_matrix_is_transposed(extents):
    mapping = Mapping(extents)
    with pytest.raises(RankError, match=rf"rank {len(extents)} of extents .*; use permute_dims"):
        transposed(mapping)
    with pytest.raises(RankError, match="only a matrix is transposed"):
        transposed(MDView([0] * mapping.size, extents))


def test_scaled_elements_are_computed_at_each_load():
    data = [1, 2, 3]
    view = scaled(10, MDView(data, (3,)))
    data[0] = 7
    assert view.tolist() == [70, 20, 30]
    assert view.accessor == ScaledAccessor(10, DefaultAccessor())


def test_the_factor_stands_on_the_left():
    class Quaternion:
        def __mul__(self, other):
            return ("left", other)

        def __rmul__(self, other):
            return (other, "right")

    assert scaled(Quaternion(), MDView([2, 3], (2,))).tolist() == [("left", 2), ("left", 3)]
    assert scaled(2, scaled(3, MDView(["ab"], (1,)))).tolist() == ["ab" * 6]


def test_a_scaled_view_is_read_only():
    view = scaled(2, MDView([1, 2], (2,)))
    assert not isinstance(view.accessor, Writable)
    with pytest.raises(ReadOnlyError):
        view[0] = 1


def test_scaled_keeps_mapping_and_origin():
    part = MDView(list(range(12)), (3, 4), LayoutLeft())[1:, 2]
    view = scaled(2, part)
    assert view.mapping == part.mapping
    assert view.tolist() == [2 * e for e in part.tolist()]


def test_conjugating_twice_unwraps():
    view = MDView([1 + 2j, 3 - 4j], (2,), accessor=CheckedAccessor())
    once = conjugated(view)
    assert once.tolist() == [1 - 2j, 3 + 4j]
    assert once.accessor == ConjugatedAccessor(CheckedAccessor())
    twice = conjugated(once)
    assert twice.accessor == CheckedAccessor()
    twice[0] = 5j
    assert view[0] == 5j


@pytest.mark.parametrize("code", "bBhHiIlLqQfd")
def test_real_elements_are_their_own_conjugates(code):
    view = MDView(array(code, [1, 2, 3]), (3,))
    assert conjugated(view) is view


def test_objects_may_be_complex():
    view = conjugated(MDView([1, 2.5, 1j], (3,)))
    assert isinstance(view.accessor, ConjugatedAccessor)
    assert view.tolist() == [1, 2.5, -1j]


def test_a_scaled_view_conjugates_the_product():
    view = conjugated(scaled(1j, MDView([1 + 1j], (1,))))
    assert view.tolist() == [(1j * (1 + 1j)).conjugate()]


def test_conjugated_over_read_only():
    view = MDView((1j,), (1,), accessor=ReadOnlyAccessor())
    assert conjugated(view).tolist() == [-1j]


def test_conjugate_transposed_is_an_involution():
    view = MDView([1 + 1j, 2, 3j, 4, 5 - 2j, 6], (2, 3))
    result = conjugate_transposed(view)
    assert result.tolist() == [[1 - 1j, 4], [2, 5 + 2j], [-3j, 6]]
    back = conjugate_transposed(result)
    assert (back.mapping, back.accessor) == (view.mapping, view.accessor)


def test_the_conjugate_transpose_of_a_real_matrix_is_its_transpose():
    result = conjugate_transposed(MDView(array("d", range(6)), (2, 3)))
    assert result.accessor == DefaultAccessor()
    assert result.layout == LayoutLeft()
    with pytest.raises(RankError):
        conjugate_transposed(MDView([1j], (1,)))


@pytest.mark.parametrize("triangle", ["upper", "lower"])
@pytest.mark.parametrize("order", ["column", "row"])
def test_the_transpose_of_a_packed_triangle_is_the_other_one_by_the_other_lines(triangle, order):
    packed = Mapping((3, 3), LayoutBlasPacked(triangle, order))
    turned = transposed(packed)
    assert isinstance(turned.layout, LayoutBlasPacked)
    assert (turned.layout.triangle, turned.layout.order) != (triangle, order)
    assert [turned(j, i) for i in range(3) for j in range(3)] == list(packed.offsets())
    assert transposed(turned).layout == packed.layout
