"""What arrays of NumPy cannot be, views are: more than 64 dimensions, and large extents beside one of 0."""

import operator

import pytest
from processes import output_of
from tensors import Exporter, Made, Older, Versioned
from travels import pickled

import mdview as md
from mdview.errors import ExportError, ExtentsError, RankError
from mdview.iteration import elements, indices
from mdview.operations import accumulate

np = pytest.importorskip("numpy")

EMPTY = ((0, 2**62, 2**62), (2, 0, 2**31, 2**31), (3, 2**40, 0), (0, *[2**40] * 69))
RANKS = (33, 64, 65, 70)
FORMS = {
    "row-major": lambda v: v,
    "flipped": md.flip,
    "permuted": lambda v: md.permute_dims(v, tuple(reversed(range(v.rank)))),
    "broadcast": lambda v: md.broadcast_to(v, (2, *v.extents[1:]) if v.extents[0] == 1 else (3, *v.extents)),
    "column-major": lambda v: md.relayout(v, "left"),
    "reshaped": lambda v: md.reshape(md.flip(v), tuple(sorted(v.extents))),
    "padded": lambda v: md.pad(v, tuple((int(n > 1), 0) for n in v.extents)),
    "wrapped": lambda v: md.pad(v, tuple((int(n > 1), 0) for n in v.extents), "wrap"),
    "packed": lambda v: md.relayout(v, "right", dtype="uint4"),
}


def of_rank(rank):
    return md.MDView(np.arange(12, dtype="int32"), (1, 2, *[1] * (rank - 4), 3, 2))


VIEWS = {f"empty {k}": lambda e=e: md.MDView(np.arange(2, dtype="int32"), e) for k, e in enumerate(EMPTY)}
VIEWS |= {f"rank {rank}": lambda rank=rank: of_rank(rank) for rank in RANKS}
CASES = [
    (name, form) for name in VIEWS for form in FORMS if "rank" in name or form in ("row-major", "flipped", "packed")
]


@pytest.mark.parametrize(("name", "form"), CASES)
def test_functions_of_whole_views_take_any_rank_and_any_empty_extents(name, form, tmp_path):
    view = FORMS[form](VIEWS[name]())
    want = [view[i] for i in indices(view)] if view.size else []
    target, total = md.zeros(view.extents, dtype="int32"), md.zeros((1,) * view.rank, dtype="int32")
    assert list(elements(view)) == md.ravel(view).tolist() == want
    assert (7 in view) == (7 in want)
    md.copy(view, target)
    same = [target, md.relayout(view, "left"), pickled(view)]
    md.save(view, tmp_path / "saved.npy", dtype="int32")
    same += [md.open_view(tmp_path / "saved.npy"), md.transform(np.positive, view)]
    same += [md.transform(np.add, view, target, out=md.zeros_like(target))] if not want else []
    assert [md.equal(view, each) for each in same] == [True] * len(same)
    assert md.reduce(np.add, view) == md.reduce(operator.add, view, initial=0) == sum(want)
    accumulate(np.add, total, view)
    assert list(elements(total)) == [sum(want)]
    md.fill(target, 3)
    assert set(elements(target)) == {3} & set(elements(target))


@pytest.mark.parametrize("extents", EMPTY[:2])
def test_lists_of_empty_views_are_the_same_with_numpy_and_without(extents):
    program = """
        import sys
        from mdview import MDView, equal, zeros
        extents = eval(sys.argv[1])
        print(MDView(bytearray(), extents).tolist(), zeros(extents).tolist(), equal(zeros(extents), zeros(extents)))
    """
    texts = [output_of(program, extents), output_of("import numpy" + program.replace("\n        ", "\n"), extents)]
    assert texts[0] == texts[1]
    assert texts[0].endswith("True\n")


@pytest.mark.parametrize("extents", [*EMPTY[:2], (1,) * 65])
def test_an_array_that_numpy_cannot_have_is_refused_with_the_way_out(extents):
    view = md.MDView(np.zeros(1), extents)
    for error, export in (
        (RankError if len(extents) > 64 else ExtentsError, np.asarray),
        (ExportError, md.MDView.memoryview),
    ):
        with pytest.raises(error, match="reshape"):
            export(view)


@pytest.mark.parametrize("strides", [(3, 7, 5), (-3, 1, 2), (2**40, 3, 1), (2**62, 2**62, 7), (-(2**63), 1, 1)])
@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0,), (3, 0, 2)])
@pytest.mark.parametrize("kind", [Older, Versioned])
def test_a_tensor_without_elements_may_have_any_strides(kind, shape, strides):
    view = md.asview(Exporter(Made(kind=kind, shape=shape, strides=strides[: len(shape)]).capsule))
    assert (view.extents, list(elements(view))) == (shape, [])
