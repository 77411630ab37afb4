"""Layouts of users are served like shipped ones: by the answers that they give, and by their arithmetic otherwise."""

import ast
import operator
from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np
import pytest
from effort import some
from samples.derived import derivations, derive
from samples.enumerated import Enumerated, check_facts
from samples.layouts import LAYOUTS, bound, shipped
from samples.mappings import LayoutBanded

import mdview as md
from mdview.errors import HaloError, LayoutError
from mdview.operations import transposed
from mdview.testing import check_layout

# --- the arithmetic of a shipped layout in a class of a user's own ----------------------------------------------------


@final
@dataclass(frozen=True)
class Twin(md.Layout):
    """The arithmetic of another layout, and nothing else that it knows."""

    of: md.Layout

    def offset(self, extents, index):
        return self.of.offset(extents, index)

    def required_span_size(self, extents):
        return self.of.required_span_size(extents)


def check_same(mine, its, what):
    """The results are one function; where that is strided, the kind of layout is the same as well."""
    assert mine.extents == its.extents, what
    found, wanted = list(mine.offsets()), list(its.offsets())
    if isinstance(mine.layout, md.LayoutNested):  # a part begins at its own lowest offset
        found = [offset - found[0] + wanted[0] for offset in found]
    assert found == wanted, what
    assert mine.is_strided is its.is_strided, what
    if mine.is_strided and 1 not in mine.extents and type(mine.layout).__name__ in {"LayoutStride", "LayoutRight"}:
        assert (mine, type(mine.layout)) == (its, type(its.layout)), what


@pytest.mark.parametrize("name", [name for name in LAYOUTS if not name.startswith("user")])
def test_every_answer_about_a_twin_is_that_about_the_layout(name):
    for shape in some([(4, 4), (6, 6), (4, 5, 4)], 1):
        mine = bound(name, shape)
        if mine is None:
            continue
        its = md.Mapping(shape, Twin(mine.layout))
        check_facts(its)
        for each in derivations(mine):
            if each not in {"whole", "expanded"}:
                check_same(derive(mine, each), derive(its, each), each)
        for first in range(4):
            window = [(first % 3, first % 3 + 2)] * len(shape) if first < 3 else [1, *[md.ALL] * (len(shape) - 1)]
            (part, start), (other, its_start) = (
                md.mappings.submapping(mine, *window),
                md.mappings.submapping(its, *window),
            )
            assert [o + start for o in part.offsets()] == [o + its_start for o in other.offsets()]
        assert md.mappings.dense_like(mine).strides == md.mappings.dense_like(its).strides
        if "padded" not in name:
            assert md.explain(mine).splitlines()[1:] == md.explain(its).splitlines()[1:]


# --- layouts that give answers ----------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class LayoutRows(md.Layout):
    """C order, written by hand."""

    def offset(self, extents, index):
        place = 0
        for i, e in zip(index, extents, strict=True):
            place = place * e + i
        return place

    def required_span_size(self, extents):
        return 0 if 0 in extents else 1 + self.offset(extents, [e - 1 for e in extents])

    def stride_rule(self):
        return md.layouts.StrideRule("right")


@final
@dataclass(frozen=True)
class LayoutBlocks(md.Layout):
    """Blocks of two by two, row by row, for even extents; with `turned` the dimensions are exchanged."""

    turned: bool = False

    def offset(self, extents, index):
        (i, j), width = (index[::-1], extents[0]) if self.turned else (index, extents[1])
        return (i // 2 * (width // 2) + j // 2) * 4 + i % 2 * 2 + j % 2

    def required_span_size(self, extents):
        return extents[0] * extents[1]

    def check(self, extents):
        if len(extents) != 2 or extents[0] % 2 or extents[1] % 2:
            message = f"blocks need two even extents, got {extents}"
            raise LayoutError(message)

    def permuted(self, extents, axes):
        return LayoutBlocks(self.turned != (tuple(axes) == (1, 0)))

    def transposed(self, extents):
        return LayoutBlocks(not self.turned)

    def tiling(self):
        return md.layouts.Tiling((2, 2), (1, 2) if self.turned else (2, 1), first_is_fastest=self.turned)


@final
@dataclass(frozen=True)
class LayoutUpsideDown(md.Layout):
    """Another layout with its first dimension turned round: composed, under a name of its own."""

    inner: md.Layout

    def offset(self, extents, index):
        return self.inner.offset(extents, (extents[0] - 1 - index[0], *index[1:]))

    def required_span_size(self, extents):
        return self.inner.required_span_size(extents)

    def composition(self, extents):
        rank = len(extents)
        first, stride = (extents[0] - 1, *(0,) * (rank - 1)), (-1, *(1,) * (rank - 1))
        return md.layouts.Composition(self.inner, tuple(extents), md.index.IndexMap(first, stride, tuple(range(rank))))


@final
@dataclass(frozen=True)
class LayoutBackwards(md.layouts.LayoutWrapper):
    """The dimensions of ``inner`` in reverse."""

    inner: md.Layout

    def wrapped(self):
        return self.inner

    def keeps_offsets(self):
        return True

    def to_wrapped(self, values):
        return values[::-1]

    def from_wrapped(self, values):
        return values[::-1]


@final
@dataclass(frozen=True)
class LayoutEvery(md.layouts.LayoutWrapper):
    """The elements of ``inner`` at every ``step``-th offset."""

    inner: md.Layout
    step: int

    def wrapped(self):
        return self.inner

    def keeps_offsets(self):
        return self.step == 1

    def offset(self, extents, index):
        return self.step * self.inner.offset(extents, index)

    def required_span_size(self, extents):
        span = self.inner.required_span_size(extents)
        return span and self.step * (span - 1) + 1


@final
@dataclass(frozen=True)
class LayoutLoose(md.layouts.StridedLayout):
    """A strided layout whose strides are all that it says."""

    def strides(self, extents):
        return tuple([2 * s for s in md.LayoutRight().strides(extents)])


@final
@dataclass(frozen=True)
class LayoutStriped(md.Layout):
    """Elements in every other row only, which is no box."""

    def offset(self, extents, index):
        return index[0] // 2 * extents[1] + index[1]

    def required_span_size(self, extents):
        return 0 if 0 in extents else (extents[0] + 1) // 2 * extents[1]

    def is_total(self):
        return False

    def has_element(self, extents, index):
        return index[0] % 2 == 0


HALO = md.LayoutComposed(md.LayoutRight(), (2, 2), md.index.IndexMap((-1, -1), (1, 1), (0, 1)), ((1, 3), (1, 3)))
INNER = {
    md.LayoutRight(): (3, 4),
    md.LayoutRightPadded(4): (2, 3),
    md.LayoutStrideRelaxed((-1, 3), 2): (3, 2),
    md.LayoutTiled(2, 2): (4, 6),
    md.LayoutMorton(): (2, 4),
    md.LayoutBlasPacked("upper", "row"): (3, 3),
    LayoutBanded(1, 1): (3, 3),
    HALO: (4, 4),
}
LAWFUL = [
    *[(layout, ((2, 4), (6, 2))) for layout in (LayoutRows(), LayoutBlocks(), LayoutBlocks(True), LayoutLoose())],
    (LayoutUpsideDown(md.LayoutMorton()), ((2, 4), (4, 4))),
    *[(LayoutBackwards(inner), (extents[::-1],)) for inner, extents in INNER.items()],
    *[(LayoutEvery(inner, 1), (extents,)) for inner, extents in INNER.items()],
    *[(LayoutEvery(inner, 3), (extents,)) for inner, extents in INNER.items()],
]


@pytest.mark.parametrize("group", range(4))
def test_facts_and_laws_hold(group):
    for layout, shapes in LAWFUL[group::4]:
        check_layout(layout, shapes[0])
        for extents in shapes:
            check_facts(md.Mapping(extents, layout))


def test_elements_that_are_no_box_are_found():
    for extents in [(0, 3), (1, 1), (2, 3), (5, 2), (4, 4)]:
        mapping = md.Mapping(extents, LayoutStriped())
        table = Enumerated(mapping)
        assert list(mapping.offsets()) == table.offsets
        assert mapping.layout.offset_bounds(extents) == ((0, max(table.offsets)) if table.offsets else None)


def test_a_rule_decides_what_slices_transposes_and_copies_are():
    rows, right = md.Mapping((4, 6), LayoutRows()), md.Mapping((4, 6))
    for slices in ((1, md.ALL), (md.ALL, (1, 3)), ((1, 3), md.ALL), (md.ALL, range(0, 6, 2))):
        assert repr(md.mappings.submapping(rows, *slices)) == repr(md.mappings.submapping(right, *slices))
    for operation in (transposed, md.mappings.dense_like, lambda m: md.flip(m, 0)):
        assert repr(operation(rows)) == repr(operation(right))


def test_what_a_layout_says_itself_comes_first():
    assert transposed(md.Mapping((4, 4), md.layouts.LayoutTranspose(md.LayoutTiled(4, 4)))).layout == md.LayoutTiled(
        4, 4
    )
    blocks = md.Mapping((4, 6), LayoutBlocks())
    assert md.permute_dims(blocks, (1, 0)) == transposed(blocks) == md.Mapping((6, 4), LayoutBlocks(turned=True))
    view = md.MDView(list(range(24)), (4, 6), LayoutBlocks())
    assert [part.tolist() for part in md.tiles(view)][1] == [[4, 5], [6, 7]]
    assert [part.tolist() for part in md.tiles(transposed(view))][1] == [[4, 6], [5, 7]]


def test_a_layout_may_keep_its_own_type_under_slicing():
    class LayoutKept(md.Layout):
        def offset(self, extents, index):
            return 2 * index[0]

        def required_span_size(self, extents):
            return 2 * extents[0]

        def sub(self, extents, slices):
            return (self, 2 * slices[0].offset) if isinstance(slices[0], md.ExtentSlice) else None

    part, shift = md.mappings.submapping(md.Mapping((6,), LayoutKept()), (1, 3))
    assert (type(part.layout), list(part.offsets()), shift) == (LayoutKept, [0, 2], 2)


def test_operations_on_a_composition_compose_with_its_base():
    turned = md.Mapping((4, 4), LayoutUpsideDown(md.LayoutMorton()))
    assert md.flip(turned, 0) == md.Mapping((4, 4), md.LayoutMorton())
    assert md.reshape(md.reshape(turned, (16,)), (4, 4)).layout.base == md.LayoutMorton()
    assert md.pad(turned, 1).layout.base == turned.layout  # what lies outside it is the halo


@pytest.mark.parametrize("around", [LayoutBackwards, md.layouts.LayoutTranspose])
def test_a_wrapper_of_the_dimensions_says_what_the_inner_layout_says(around):
    for inner, extents in INNER.items():
        turned, plain = md.Mapping(extents[::-1], around(inner)), md.Mapping(extents, inner)
        for question in ("is_monotone", "is_total", "knows_strides"):
            assert getattr(around(inner), question)() == getattr(inner, question)()
        for always in ("is_always_unique", "is_always_exhaustive", "is_always_strided"):
            assert getattr(around(inner), always)((None, 3)) == getattr(inner, always)((3, None))
        assert (turned.valid_box, turned.origin) == (plain.valid_box[::-1], plain.origin)
    for mode in ("edge", "reflect", "wrap"):
        padded = md.MDView(list(range(4)), (4, 4), HALO, md.accessors.FillAccessor(mode))
        wrapped = md.MDView(list(range(4)), (4, 4), around(HALO), md.accessors.FillAccessor(mode))
        assert wrapped.tolist() == md.permute_dims(padded, (1, 0)).tolist()
        assert wrapped[1:, ::-1].tolist() == md.permute_dims(padded, (1, 0))[1:, ::-1].tolist()


def test_a_wrapper_that_moves_elements_claims_nothing_about_offsets():
    moved = LayoutEvery(md.LayoutRight(), 2)
    claims = moved.is_always_strided((3, 4)), moved.is_always_exhaustive((3, 4)), moved.is_monotone()
    assert not any((*claims, moved.knows_strides()))
    filled = md.MDView(list(range(12)), (4, 4), LayoutEvery(HALO, 3), md.accessors.FillAccessor("edge"))
    assert filled[1, 2] == 3
    with pytest.raises(HaloError, match=r"\(0, 2\).*edge"):
        filled[0, 2]
    assert LayoutBackwards(md.LayoutTiled(2, 3)).tiling() is None
    assert md.layouts.LayoutWrapper.__abstractmethods__ == {"wrapped", "keeps_offsets"}


# --- layouts that lie, change or divide -------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class LayoutWrapped(md.Layout):
    """Rows that begin again after as many as there are columns: divides by each extent, in each way there is."""

    traced: bool = True

    def offset(self, extents, index):
        (i, j), (n, m) = index if self.traced else map(int, index), extents
        return (i % n) * m + j % m + i // n + j // m + divmod(i, n)[0] + (-j // m + (j + m - 1) // m)

    def required_span_size(self, extents):
        return 0 if 0 in extents else extents[0] * extents[1]


DIVIDING = [
    LayoutWrapped(),
    LayoutWrapped(traced=False),
    md.LayoutSwizzled(LayoutWrapped(), 1, 0, 1),
    md.layouts.LayoutTranspose(LayoutWrapped()),
]
EMPTY = [(0, 0), (0, 3), (3, 0), (2000, 0), (md.dim(0), 3), (3, md.dim(0)), (0, 10**15)]
ANSWERS = {
    "equality": lambda v: v.mapping == md.Mapping(v.extents, v.layout),
    "hash": lambda v: hash(v.mapping),
    "overlap": lambda v: md.mappings.overlap(v.mapping, v.mapping),
    "operations": lambda v: [
        (part.shape, part.tolist())
        for part in (
            md.flip(v), md.permute_dims(v, (1, 0)), md.reshape(v, (0, 4, 2)), md.ravel(v), md.expand_dims(v, 1), v[0:0],
            md.diagonal(v), md.broadcast_to(v, (2, *v.extents)), md.subview(v, md.ALL, (0, 0)), v[::-1, ::-1],
        )
    ],
    "array": lambda v: np.array(v).shape,
    "walks": lambda v: [list(walk(v)) for walk in (md.iteration.elements, md.iteration.indices, md.iteration.runs)],
    "equal": lambda v: md.equal(v, v),
    "reduce": lambda v: (md.reduce(operator.add, v, initial=5.0), md.reduce(np.add, v)),
    "scaled": lambda v: md.operations.scaled(2, v).tolist(),
    "atop data": lambda v: md.MDView.from_mapping(array("d", [1, 2]), v.mapping, origin=2).tolist(),
    "padded": lambda v: md.pad(v.mapping, (1, 1)).extents,
    "explained": lambda v: bool(md.explain(v.mapping)),
}  # fmt: skip


@pytest.mark.parametrize("layout", DIVIDING, ids=repr)
@pytest.mark.parametrize("extents", EMPTY, ids=str)
def test_no_layout_is_asked_for_an_offset_where_there_is_no_index(layout, extents):
    data = array("d", [7.0] * 3)
    view, plain = md.MDView(data, extents, layout), md.MDView(data, extents)
    if max(extents) <= 2000:
        for name, ask in ANSWERS.items():
            assert ask(view) == ask(plain), name
    if max(extents) < 4:
        check_facts(view.mapping)
    other = md.MDView(array("d"), view.shape)
    md.fill(view, 1.0)
    md.copy(other, view)
    view[...] = view
    view[...] = 2.0
    md.transform(operator.neg, view, out=view)
    for index in [(0, 0), (-1, -1), (2, 2)]:
        with pytest.raises(IndexError):
            view[index] = view[index]
    assert data == array("d", [7.0] * 3)


def test_a_transform_of_no_index_may_lead_outside_the_base():
    for offset, stride in (((0, 1), (0, -1)), ((0, 0), (0, 1))):
        layout = md.LayoutComposed(md.LayoutRight(), (1, 1), md.index.IndexMap(offset, stride, (None, 2)))
        assert md.Mapping((0, 0, 2), layout).is_strided
        assert md.Mapping((0, 0, 2), layout) != md.Mapping((0, 0, 3))


# --- classes of layouts are for layouts and conversions ---------------------------------------------------------------

PACKAGE = Path(md.__file__).parent
CONCRETE = {cls.__name__ for cls in shipped(md.Layout)} | {"StridedLayout", "LayoutWrapper"}
MAY = ("layouts", "conversions", "conformance", "interop/zarr_export.py", "symbolic/symbolic_mapping.py")
"""Modules that may test types: the layouts, what the C++ draft defines by class, tiles that become chunks, and what
has symbols for extents."""


def type_tests(source):
    """Lines that test for a class of layouts."""
    found = []
    for node in ast.walk(ast.parse(source)):
        called = getattr(getattr(node, "func", None), "attr", None) or getattr(getattr(node, "func", None), "id", "")
        if isinstance(node, ast.Compare | ast.MatchClass) or called in {"isinstance", "issubclass", "register"}:
            names = {getattr(part, "id", None) or getattr(part, "attr", None) for part in ast.walk(node)}
            found += [node.lineno] if names & CONCRETE and "layout_of" not in names else []
    return found


@pytest.mark.deep
def test_no_layout_is_told_by_its_type():
    assert type_tests("isinstance(x, int | StridedLayout)")
    assert type_tests("type(x) in {LayoutRight}")
    assert not type_tests("isinstance(x, Layout)")
    modules = [path for path in PACKAGE.rglob("*.py") if not path.relative_to(PACKAGE).as_posix().startswith(MAY)]
    assert {path.name: type_tests(path.read_text("utf-8")) for path in modules} == {path.name: [] for path in modules}
