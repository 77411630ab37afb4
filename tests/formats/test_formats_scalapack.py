"""ScaLAPACK's block-cyclic distribution: what its functions answered, recorded and asked again where installed."""

from itertools import pairwise, product

import pytest
from recorded import cases
from scalapack_library import distribution, load

from mdview import formats, parse

RECORDED = cases("formats/scalapack")
PAIRS = list(pairwise(RECORDED))
EXAMPLE = 9, 2


def place(rows, columns, i, j):
    """Where an element lies: its process by rows, then column-major in a local array of the size of the first."""
    height = -(-rows["count"][0] // rows["block"]) * rows["block"]
    width = -(-columns["count"][0] // columns["block"]) * columns["block"]
    process = rows["process"][i] * columns["processes"] + columns["process"][j]
    return process * height * width + (columns["local"][j] - 1) * height + rows["local"][i] - 1


@pytest.mark.parametrize(("rows", "columns"), PAIRS, ids=lambda case: str(list(case.values())[:3]))
def test_an_element_lies_where_scalapack_says(rows, columns):
    shape, block, processes = ((rows[key], columns[key]) for key in ("extent", "block", "processes"))
    found = formats.scalapack(shape, block, processes)
    assert found.is_unique
    assert [found(*i) for i in product(*map(range, shape))] == [
        place(rows, columns, *i) for i in product(*map(range, shape))
    ]


def test_the_language_has_the_example_of_the_users_guide():
    """*ScaLAPACK Users' Guide*, figure 4.6: 9 x 9 in blocks of 2 x 2; process row 0 has 5 rows, process row 1 has 4."""
    rows, columns = (
        next(case for case in RECORDED if (case["extent"], case["block"], case["processes"]) == (*EXAMPLE, processes))
        for processes in (2, 3)
    )
    assert rows["count"] == [5, 4]
    example = parse("scalapack((2, 2), (2, 3)) (9, 9)")
    assert [example(*i) for i in product(range(9), repeat=2)] == [
        place(rows, columns, *i) for i in product(range(9), repeat=2)
    ]


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: str(list(case.values())[:3]))
def test_the_library_that_is_installed_answers_as_recorded(case):
    library = load()
    if library is None:
        pytest.skip("ScaLAPACK is not installed (Debian: libscalapack-mpich2.2)")
    assert distribution(library, case["extent"], case["block"], case["processes"]) == case
