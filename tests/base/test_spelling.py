"""A name that the package has not: the error says which one is meant, or what does it."""

import re
import subprocess
import sys

import numpy as np
import pytest

import mdview
from mdview import LayoutTiled, MDView, empty
from mdview.base.spelling import _OF_NUMPY
from mdview.errors import AbsentAttributeError


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("LayoutRigth", "LayoutRight"),
        ("layoutright", "LayoutRight"),
        ("mdview", "MDView"),
        ("MDveiw", "MDView"),
        ("permute_dim", "permute_dims"),
        ("error", "errors"),
        ("reshap", "reshape"),
    ],
)
def test_a_misspelt_name_is_told_the_name_that_is_meant(wrong, meant):
    with pytest.raises(
        AbsentAttributeError, match=rf"^module 'mdview' has no attribute {wrong!r}; did you mean {meant}\?$"
    ):
        getattr(mdview, wrong)
    with pytest.raises(ImportError, match=f"cannot import name {wrong!r}"):
        exec(f"from mdview import {wrong}")


@pytest.mark.parametrize("name", _OF_NUMPY)
def test_what_is_written_instead_of_a_name_of_numpys_runs(name):
    with pytest.raises(AbsentAttributeError, match="; write ") as caught:
        getattr(mdview, name)
    names = {known: getattr(mdview, known) for known in mdview.__all__}
    view = empty((4, 4), LayoutTiled(2, 2))
    names |= {"view": view, "np": np, "values": [1.0], "value": 2.0, "extents": (2, 3), "data": [0] * 6}
    names |= {"axes": (1, 0), "source": view, "target": empty((4, 4)), "array": np.zeros(3), "part": empty((4, 4))}
    for way in re.split(r", or | for each part of ", str(caught.value).partition("; write ")[2]):
        made = eval(way, names)  # noqa: S307 - text of our own
        assert made is None or callable(made) or isinstance(made, MDView | np.ndarray)


def test_names_that_python_asks_for_are_absent_without_a_guess():
    for name in ("__wrapped__", "_repr_html_", "__path2__"):
        assert not hasattr(mdview, name)
    with pytest.raises(AttributeError, match=r"^module 'mdview' has no attribute '__wrapped__'$"):
        _ = mdview.__wrapped__


def test_every_public_module_loads_where_it_is_named():
    names = ["errors", "interop", "lazy", "numba", "polymorphic", "symbolic", "testing"]
    code = f"import mdview\nfor name in {names!r}: getattr(mdview, name)"
    subprocess.run([sys.executable, "-c", code], check=True)
