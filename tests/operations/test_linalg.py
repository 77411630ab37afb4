"""Linear algebra without a copy: transposed, scaled, conjugated, and both at once, after P1673."""

from array import array

import pytest

import mdview as md
from mdview import errors


@pytest.mark.parametrize("triangle", ["upper", "lower"])
@pytest.mark.parametrize("order", ["column", "row"])
def test_the_transpose_of_a_packed_triangle_is_the_other_one_by_the_other_lines(triangle, order):
    packed = md.Mapping((3, 3), md.LayoutBlasPacked(triangle, order))
    turned = md.operations.transposed(packed)
    other = {"upper": "lower", "lower": "upper", "column": "row", "row": "column"}
    assert turned.layout == md.LayoutBlasPacked(other[triangle], other[order])
    assert md.operations.transposed(turned).layout == packed.layout


@pytest.mark.parametrize("extents", [(), (3,), (2, 3, 4)])
def test_only_a_matrix_is_transposed(extents):
    for subject in (md.Mapping(extents), md.MDView([0] * md.Mapping(extents).size, extents)):
        for verb in (md.operations.transposed, md.operations.conjugate_transposed):
            with pytest.raises(errors.RankError, match=str(len(extents))):
                verb(subject)


class Quaternion:
    def __mul__(self, other):
        return ("left", other)

    def __rmul__(self, other):
        return (other, "right")


def test_scaled_elements_are_computed_at_each_load_and_read_only():
    data = list(range(12))
    part = md.MDView(data, (3, 4), md.LayoutLeft())[1:, 2]
    view = md.operations.scaled(10, part)
    data[7] = 70
    assert view.tolist() == [10 * e for e in part.tolist()] == [700, 80]
    assert (view.mapping, view.accessor) == (part.mapping, md.accessors.ScaledAccessor(10, md.DefaultAccessor()))
    assert md.operations.scaled(Quaternion(), part).tolist() == [("left", 70), ("left", 8)]
    assert md.operations.scaled(2, md.operations.scaled(3, md.MDView(["ab"], (1,)))).tolist() == ["ab" * 6]
    with pytest.raises(errors.ReadOnlyError):
        view[0] = 1


def test_conjugating_twice_unwraps():
    view = md.MDView([1 + 2j, 3 - 4j], (2,), accessor=md.CheckedAccessor())
    once = md.operations.conjugated(view)
    assert (once.tolist(), once.accessor) == ([1 - 2j, 3 + 4j], md.accessors.ConjugatedAccessor(md.CheckedAccessor()))
    twice = md.operations.conjugated(once)
    assert twice.accessor == md.CheckedAccessor()
    twice[0] = 5j
    assert view[0] == 5j


@pytest.mark.parametrize("code", "bBhHiIlLqQfd")
def test_real_elements_are_their_own_conjugates(code):
    view = md.MDView(array(code, range(6)), (2, 3))
    assert md.operations.conjugated(view) is view
    result = md.operations.conjugate_transposed(view)
    assert (result.accessor, result.layout) == (md.DefaultAccessor(), md.LayoutLeft())


def test_what_may_be_complex_is_conjugated():
    assert md.operations.conjugated(md.MDView([1, 2.5, 1j], (3,))).tolist() == [1, 2.5, -1j]
    assert md.operations.conjugated(md.operations.scaled(1j, md.MDView([1 + 1j], (1,)))).tolist() == [
        (1j * (1 + 1j)).conjugate()
    ]
    assert md.operations.conjugated(md.MDView((1j,), (1,), accessor=md.ReadOnlyAccessor())).tolist() == [-1j]
    view = md.MDView([1 + 1j, 2, 3j, 4, 5 - 2j, 6], (2, 3))
    result = md.operations.conjugate_transposed(view)
    assert result.tolist() == [[1 - 1j, 4], [2, 5 + 2j], [-3j, 6]]
    back = md.operations.conjugate_transposed(result)
    assert (back.mapping, back.accessor) == (view.mapping, view.accessor)
