"""Random chains of brackets and operations agree with NumPy's, on every layout: the chains of `tests/fuzz`.

NumPy's own functions read a view as an array, or refuse it with advice that gives what they give for an array.
"""

import random
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from effort import share

sys.path.append(str(Path(__file__).parent / "fuzz"))

from chains import chain

import mdview as md
from mdview.errors import ExportError, OperandError


@pytest.mark.parametrize("part", range(8))
def test_a_random_chain_agrees_with_numpy(part):
    for number in range(share(1000, 100)):
        chain(random.Random(f"{part} {number}"))  # noqa: S311 - reproducible cases, no secrets


OTHERS = {
    "array_repr",
    "array_str",
    "typename",
    "is_busday",
    "empty_like",
    "printoptions",
    "bmat",
    "from_dlpack",
    "frombuffer",
    "histogramdd",
}
"""Functions that show an object or make new memory, and those that ask for memory or for methods of arrays."""
FUNCTIONS = [
    name
    for name, function in sorted(vars(np).items())
    if callable(function) and not isinstance(function, type) and not re.match(r"_|save|load|info|show|test", name)
]


def outcome(function, *operands):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*operands)
    except (TypeError, ValueError, AttributeError, IndexError, RuntimeError, ExportError) as error:
        return error


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in OTHERS])
def test_a_function_of_numpy_reads_a_view_as_an_array_or_advises_what_does(name):
    array = np.arange(1.0, 17.0).reshape(4, 4) / 20
    view = md.relayout(md.asview(array), "tiled(2, 2)")
    expected, answer = (outcome(getattr(np, name), operand) for operand in (array, view))
    if isinstance(expected, Exception):
        assert isinstance(answer, Exception)
        return
    if isinstance(answer, OperandError):
        function, ufunc = re.search(r"(transform|reduce)\(np\.(\w+), ", f"{answer} reduce(np.add, view)").groups()
        if "(np." not in str(answer):
            answer = outcome(getattr(np, name), np.asarray(view))
        elif ufunc not in {name, getattr(getattr(np, name), "__name__", "")}:
            return  # it calls another ufunc
        else:
            answer = outcome(getattr(md, function), getattr(np, ufunc), view)
    np.testing.assert_equal(np.asarray(answer) if isinstance(answer, md.MDView) else answer, expected)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in OTHERS])
def test_a_function_of_numpy_that_makes_one_number_of_all_is_not_called_with_each_element(name):
    array = np.arange(1.0, 17.0).reshape(4, 4) / 20
    function = getattr(np, name)
    if not isinstance(outcome(function, array), np.generic) or isinstance(function, np.ufunc):
        return
    error = outcome(md.transform, function, md.asview(array))
    assert isinstance(error, Exception)
    way = re.search(r"write (.*)", str(error))
    if way:  # else it takes no single number
        result = eval(way.group(1), {"np": np, "reduce": md.reduce, "view": md.asview(array)})  # noqa: S307 - the advice
        np.testing.assert_allclose(result, function(array))
