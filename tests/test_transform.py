"""An index transform says which base index an index stands for; two of them compose into one."""

from hypothesis import given
from hypothesis import strategies as st

from mdview import ALL, ExtentSlice, IndexTransform


@st.composite
def transforms(draw, rank):
    """Transform from indices of some rank to indices of ``rank``; and the rank of the former."""
    inputs = draw(st.integers(0, 3))
    source = st.one_of(st.none(), st.sampled_from(range(inputs))) if inputs else st.none()
    rows = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(-3, 3), source), min_size=rank, max_size=rank))
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    return IndexTransform(*columns), inputs


@given(st.data())
def test_after_is_one_transform_for_two_steps(data):
    inner, rank = data.draw(transforms(data.draw(st.integers(0, 3))))
    first, inputs = data.draw(transforms(rank))
    index = data.draw(st.tuples(*[st.integers(-5, 5)] * inputs))
    assert inner.after(first).apply(index) == inner.apply(first.apply(index))


def test_slices_make_a_transform():
    transform = IndexTransform.from_slices([2, ALL, ExtentSlice(5, 3, -2)])
    assert transform == IndexTransform((2, 0, 5), (0, 1, -2), (None, 0, 1))
    assert transform.apply((7, 2)) == (2, 7, 1)


def test_a_transform_of_rank_0_stands_for_the_empty_index():
    assert IndexTransform((), (), ()).apply(()) == ()
