"""Functions of whole views take memory of other objects, as `asview` views it."""

from array import array

import numpy as np
import pytest

import mdview as md
from mdview import errors

NUMBERS = range(24)
SOURCES = {
    "array": lambda: np.array(NUMBERS, "q").reshape(4, 6),
    "Fortran array": lambda: np.array(NUMBERS, "q").reshape(6, 4).T,
    "flipped array": lambda: np.array(NUMBERS, "q").reshape(4, 6)[::-1],
    "array.array": lambda: array("q", NUMBERS),
    "memoryview": lambda: memoryview(array("q", NUMBERS)).cast("B").cast("q", (4, 6)),
    "bytearray": lambda: bytearray(NUMBERS),
}


def viewed(given):
    return given if isinstance(given, md.MDView) else md.asview(given)


CALLS = {
    "relayout": lambda x, _: md.relayout(x, "left"),
    "equal": lambda x, _: md.equal(x, x),
    "equal to a view": lambda x, _: md.equal(viewed(x), x),
    "transform": lambda x, _: md.transform(np.add, x, x),
    "transform beside a view": lambda x, _: md.transform(np.add, viewed(x), x),
    "reduce": lambda x, _: md.reduce(np.add, x),
    "pad": lambda x, _: md.pad(x, 1, "edge"),
    "flip": lambda x, _: md.flip(x),
    "reshape": lambda x, _: md.reshape(x, (2, -1)),
    "ravel": lambda x, _: md.ravel(x),
    "tiles": lambda x, _: next(md.tiles(x, (2,) * viewed(x).rank)),
    "elements": lambda x, _: [*md.iteration.elements(x)],
    "indices": lambda x, _: [*md.iteration.indices(x)],
    "explain": lambda x, _: md.explain(x),
    "draw": lambda x, _: str(md.draw(x)),
    "readonly": lambda x, _: md.readonly(x),
    "checked": lambda x, _: md.checked(x),
    "conflicts": lambda x, _: md.algebra.f2.conflicts(x, 4),
    "empty_like": lambda x, _: md.empty_like(x).extents,
    "save": lambda x, path: md.save(x, path / "file.npy", "right") or md.open_view(path / "file.npy"),
}


def plain(result):
    return result.tolist() if isinstance(result, md.MDView) else result


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("call", CALLS)
def test_memory_stands_for_a_view_of_it(call, source, tmp_path):
    memory = SOURCES[source]()
    (tmp_path / "viewed").mkdir()
    expected = CALLS[call](md.asview(memory), tmp_path / "viewed")
    assert plain(CALLS[call](memory, tmp_path)) == plain(expected)


@pytest.mark.parametrize("source", SOURCES)
def test_stores_reach_the_memory_and_derived_views_share_it(source):
    memory = SOURCES[source]()
    zeros = md.zeros_like(memory)
    md.copy(memory, zeros)
    assert zeros.tolist() == md.asview(memory).tolist()
    md.operations.fill(md.flip(memory), 7)
    assert {*md.iteration.elements(memory)} == {7}
    md.copy(zeros, memory)
    assert md.equal(memory, zeros)


@pytest.mark.parametrize("given", [[1, 2], "text", None, 3, (1, 2), {1: 2}], ids=repr)
@pytest.mark.parametrize(
    "call", [md.readonly, md.pad, lambda x, _=0: md.transform(abs, x)], ids=["readonly", "pad", "f"]
)
def test_an_object_without_memory_is_refused_as_before(call, given):
    with pytest.raises(errors.OperandError, match="must be"):
        call(given, 1) if call is md.pad else call(given)


def test_memory_that_is_read_only_or_elsewhere_keeps_its_answer():
    with pytest.raises(errors.ReadOnlyError):
        md.copy(bytes(3), bytes(3))
    with pytest.raises(errors.BufferFormatError, match="filled"):
        md.relayout(np.ma.array([1, 2], mask=[True, False]), "left")
