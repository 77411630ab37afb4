"""Over empty extents no layout is asked for an offset: one that divides by an extent answers as any other does."""

import operator
from array import array
from dataclasses import dataclass
from typing import final

import numpy as np
import pytest

from mdview import (
    ALL,
    DefaultAccessor,
    FillAccessor,
    IndexTransform,
    Layout,
    LayoutComposed,
    LayoutRight,
    LayoutSwizzled,
    LayoutTranspose,
    Mapping,
    MDView,
    ScaledAccessor,
    bounds,
    broadcast_to,
    collision,
    contiguous_runs,
    copy,
    diagonal,
    dim,
    elements,
    equal,
    expand_dims,
    explain,
    fill,
    flip,
    hole,
    indices,
    is_contiguous,
    is_dense,
    overlap,
    pad,
    permute_dims,
    ravel,
    reduce,
    reshape,
    runs,
    sliding_window,
    submapping,
    subview,
    tiles,
    transform,
)
from mdview.errors import IndexOutOfRangeError
from mdview.mappings.facts import irregularity


@final
@dataclass(frozen=True)
class LayoutWrapped(Layout):
    """Rows that begin again after as many as there are columns: divides by each extent, in each way there is."""

    def offset(self, extents, index):
        (i, j), (n, m) = index, extents
        return (i % n) * m + j % m + i // n + j // m + divmod(i, n)[0] + (-j // m + (j + m - 1) // m)

    def required_span_size(self, extents):
        return 0 if 0 in extents else extents[0] * extents[1]


@final
@dataclass(frozen=True)
class LayoutWrappedUntraced(Layout):
    """The same where no arithmetic can be traced."""

    def offset(self, extents, index):
        i, j = map(int, index)
        return LayoutWrapped().offset(extents, (i, j))

    def required_span_size(self, extents):
        return LayoutWrapped().required_span_size(extents)


LAYOUTS = {
    "traced": LayoutWrapped(),
    "untraced": LayoutWrappedUntraced(),
    "swizzled": LayoutSwizzled(LayoutWrapped(), 1, 0, 1),
    "transposed": LayoutTranspose(LayoutWrapped()),
}
EMPTY = [(0, 0), (0, 3), (3, 0), (2000, 0), (0, 2000), (dim(0), 3), (3, dim(0)), (0, 10**15)]


def extents_and_offsets(mapping):
    return mapping.extents, list(mapping.offsets())


QUESTIONS = {
    "span": lambda m: m.required_span_size,
    "unique": lambda m: m.is_unique,
    "offsets": lambda m: list(m.offsets()),
    "origin": lambda m: m.origin,
    "valid box": lambda m: m.valid_box,
    "equality": lambda m: m == Mapping(m.extents, m.layout),
    "hash": hash,
    "collision": collision,
    "hole": hole,
    "bounds": bounds,
    "irregularity": irregularity,
    "is_dense": is_dense,
    "is_contiguous": lambda m: [is_contiguous(m, order) for order in "CFA"],
    "overlap": lambda m: overlap(m, m, shift=0),
    "flip": lambda m: extents_and_offsets(flip(m)),
    "permute_dims": lambda m: extents_and_offsets(permute_dims(m, (1, 0))),
    "reshape": lambda m: extents_and_offsets(reshape(m, (0, 4, 2))),
    "ravel": lambda m: extents_and_offsets(ravel(m)),
    "expand_dims": lambda m: extents_and_offsets(expand_dims(m, 1)),
    "broadcast_to": lambda m: extents_and_offsets(broadcast_to(m, (2, *m.extents))),
    "diagonal": lambda m: extents_and_offsets(diagonal(m)),
    "submapping": lambda m: extents_and_offsets(submapping(m, ALL, (0, 0))[0]),
    "runs": lambda m: list(contiguous_runs(m)),
}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("extents", EMPTY, ids=str)
@pytest.mark.parametrize("name", LAYOUTS)
def test_a_mapping_that_divides_by_an_extent_of_0_answers_as_a_dense_one(name, extents, question):
    ask = QUESTIONS[question]
    assert ask(Mapping(extents, LAYOUTS[name])) == ask(Mapping(extents))


ANSWERS = {
    "tolist": lambda v: v.tolist(),
    "array": lambda v: np.array(v).tolist(),
    "elements": lambda v: list(elements(v)),
    "indices": lambda v: list(indices(v)),
    "equal": lambda v: equal(v, v),
    "reduce": lambda v: reduce(operator.add, v, initial=5.0),
    "reduce by a ufunc": lambda v: reduce(np.add, v),
    "backwards": lambda v: v[::-1, ::-1].tolist(),
    "a part": lambda v: v[0:0].tolist(),
    "subview": lambda v: subview(v, ALL, (0, 0)).shape,
    "reshape": lambda v: reshape(v, (0, 7)).tolist(),
    "runs": lambda v: list(runs(v)),
    "under an accessor": lambda v: MDView.from_mapping(v.data, v.mapping, ScaledAccessor(2)).tolist(),
    "atop data": lambda v: MDView.from_mapping(array("d", [1, 2]), v.mapping, DefaultAccessor(), origin=2).tolist(),
    "padded": lambda v: pad(MDView.from_mapping(v.data, v.mapping, FillAccessor()), (1, 1)).shape,
}


@pytest.mark.parametrize("question", ANSWERS)
@pytest.mark.parametrize("extents", [e for e in EMPTY if max(e) <= 2000], ids=str)
@pytest.mark.parametrize("name", LAYOUTS)
def test_a_view_that_divides_by_an_extent_of_0_answers_as_a_dense_one(name, extents, question):
    ask = ANSWERS[question]
    assert ask(MDView(array("d"), extents, LAYOUTS[name])) == ask(MDView(array("d"), extents))


def written(view):
    other = MDView(array("d"), view.shape)
    fill(view, 1.0)
    copy(other, view)
    copy(view, other)
    view[...] = 2.0
    view[...] = view
    transform(operator.neg, view, out=view)


@pytest.mark.parametrize("extents", EMPTY, ids=str)
@pytest.mark.parametrize("name", LAYOUTS)
def test_nothing_is_stored_where_a_layout_divides_by_an_extent_of_0(name, extents):
    data = array("d", [7.0] * 3)
    view = MDView(data, extents, LAYOUTS[name])
    written(view)
    for index in [(0, 0), (-1, -1), (2, 2)]:
        with pytest.raises(IndexError):
            view[index]
        with pytest.raises(IndexError):
            view[index] = 1.0
    with pytest.raises(IndexOutOfRangeError):
        view.mapping(0, 0)
    assert data == array("d", [7.0] * 3)


@pytest.mark.parametrize("extents", EMPTY, ids=str)
@pytest.mark.parametrize("name", LAYOUTS)
def test_texts_of_a_mapping_that_divides_by_an_extent_of_0(name, extents):
    mapping = Mapping(extents, LAYOUTS[name])
    assert repr(mapping) == f"Mapping({mapping.extents!r}, {LAYOUTS[name]!r})"
    assert str(explain(mapping))
    assert list(tiles(MDView([], extents, LAYOUTS[name]), (1, 1))) == [] or max(extents) > 2000
    assert 0 in sliding_window(mapping, (1, 0)).extents if extents[0] else True


def test_the_layout_that_divides_is_right_where_there_are_elements():
    mapping = Mapping((3, 4), LayoutWrapped())
    offsets = [i * 4 + j + (-j // 4 + (j + 3) // 4) for i in range(3) for j in range(4)]
    assert list(mapping.offsets()) == offsets == list(Mapping((3, 4), LayoutRight()).offsets())


def test_a_transform_of_no_index_may_lead_outside_the_base():
    outside = LayoutComposed(LayoutRight(), (1, 1), IndexTransform((0, 1), (0, -1), (None, 2)))
    beyond = LayoutComposed(LayoutRight(), (1, 1), IndexTransform((0, 0), (0, 1), (None, 2)))
    for layout in (outside, beyond):
        mapping = Mapping((0, 0, 2), layout)
        assert mapping.is_strided
        assert mapping != Mapping((0, 0, 3))
