"""What is of the wrong kind is refused by an error of mdview that shows it, wherever in a public call it stands."""

import operator
import re
from array import array
from importlib import import_module
from inspect import isclass, isfunction, signature
from typing import Protocol

import pytest
from effort import some
from misuse import Stranger, assert_refused, call, each, right_calls, wrong_calls
from public import PUBLIC

import mdview as md
from mdview import errors, symbolic, testing


def test_right_arguments_are_taken(refusals):
    each(call, right_calls(refusals.TABLE))


def test_a_wrong_argument_is_refused_and_shown(refusals):
    each(assert_refused, wrong_calls(refusals.TABLE))


# What takes no argument of a kind, or is called by mdview alone.
WITHOUT = {"ALL", "AtomicRef", "Conversion", "Dim", "Dyn", "Extents", "ExtentSlice", "IndexRule", "RangeSlice"}
WITHOUT |= {
    "StridedSlice",
    "Accessor",
    "Writable",
    "ElementwiseAccessor",
    "ElementwiseWritable",
    "Layout",
    "StridedLayout",
    "LayoutLeft",
    "LayoutRight",
}
WITHOUT |= {"LayoutWrapper", "CheckedAccessor", "DefaultAccessor", "UncheckedAccessor"}
WITHOUT |= {"Composition", "StrideRule", "Tiling"}  # records that a layout fills
WITHOUT |= {"Conflict", "AccessorKind", "ExtentsKind", "MappingKind", "ViewKind"}  # answers
WITHOUT |= {"Composition", "StrideRule", "Tiling"}  # records that others fill
WITHOUT |= {"Items", "MutableItems"}  # protocols
WITHOUT |= {f"Dims{rank}" for rank in range(1, 7)}
NEED_PARTNERS = {"asview", "from_zarr", "to_zarr", "map_tiles", "relayout_file", "to_dask"}


def test_every_public_name_is_called(refusals):
    assert PUBLIC.keys() == WITHOUT | {name for name in refusals.CALLS if name.isidentifier()} | NEED_PARTNERS
    made_by_checks = {"Counterexample", "Finding", "Law", "Verdict"}
    assert {*testing.__all__} - made_by_checks <= set(refusals.OTHERS)
    assert {*symbolic.__all__} - {"Expr"} <= set(refusals.SYMBOLIC)
    assert not refusals.KERNELS or {*md.numba.__all__} <= set(refusals.KERNELS)


# Functions that take less than 1 µs, which `answer_calls` would slow, and a class that only an accessor instantiates.
PYTHON_ANSWERS = {"AtomicRef", "dim", "has_extents", "subview"}
PYTHON_ANSWERS |= {name for name, kind in PUBLIC.items() if isinstance(kind, type(Protocol))}


def is_answered(called):
    return isfunction(called) or called is md.MDView or (isclass(called) and "__init__" in vars(called))


ANSWERED = {name: called for name, called in PUBLIC.items() if is_answered(called) and name not in PYTHON_ANSWERS}


@pytest.mark.parametrize("name", ANSWERED)
def test_a_call_that_does_not_fit_names_the_parameters(name):
    called = ANSWERED[name]
    parameters = [*signature(called).parameters.values()]
    names = re.escape(", ".join(p.name for p in parameters if p.kind is not p.VAR_KEYWORD) or f"write {name}()")
    needed = [p for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    if not any(p.kind is p.VAR_KEYWORD for p in parameters):
        with pytest.raises(errors.OperandError, match=f"has no parameter 'q'; .*{names}"):
            called(*[None] * len(needed), q=1)
    if not any(p.kind is p.VAR_POSITIONAL for p in parameters):
        with pytest.raises(errors.OperandError, match=f"takes .*{len(parameters) + 2}: .*{names}"):
            called(*[Stranger()] * (len(parameters) + 2))


def test_a_call_with_too_few_arguments_names_the_first_that_is_missing():
    for called in (md.MDView, md.Mapping, md.copy, md.LayoutSwizzled):
        needed = [p.name for p in signature(called).parameters.values() if p.default is p.empty]
        with pytest.raises(errors.OperandError, match=f"needs '{needed[-1]}'; its parameters are"):
            called(*[None] * (len(needed) - 1))


def is_their_own(name, value, error):
    """Whether an operator of an element and an object of another class has failed, which is that class's answer."""
    is_operator = name.startswith("AtomicRef.") and isinstance(error, TypeError | ValueError)
    return is_operator and type(value).__module__ != "builtins"


@pytest.mark.filterwarnings("ignore")
def test_junk_is_refused_by_an_error_of_mdview(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)  # a text is a path, too
    leaks, junk = [], import_module("junk")  # whose samples are made here
    for name, (called, plain, named) in junk.callables().items():
        for what, attempt in some(junk.junk_calls(called, plain, named), 12):
            error = junk.leak_of(attempt)
            if error is not None and not is_their_own(name, junk.JUNK[what.partition("=")[2]](), error):
                leaks.append(f"{name}, {what}: {type(error).__name__}")
    assert not leaks, "\n".join(leaks)


@pytest.mark.parametrize("argument", ["order", "shape"])
def test_the_argument_that_does_not_fit_is_named(argument):
    given = {"shape": (6,), "order": "C"} | {argument: {"a": 1}.items}
    with pytest.raises(errors.MDViewError, match=argument if argument == "order" else None):
        md.reshape(md.MDView(array("d", range(6)), (2, 3)), **given)


LONG = 10**5000


def test_brackets_clip_slices_as_python_does():
    view = md.MDView(array("d", range(6)), (6,))
    for n in (LONG, md.Dim(LONG)):
        assert view[:n].tolist() == [0, 1, 2, 3, 4, 5]
        assert view[n:].tolist() == []
        assert view[-operator.index(n) : 2].tolist() == [0, 1]
        assert view[::n].tolist() == [0]
        assert view[:: -operator.index(n)].tolist() == [5]


def test_what_long_integers_make_has_a_text():
    empty = md.Mapping((0, *[2**62] * 300))
    assert "(0, 4611686018427387904, " in md.explain(empty)
    assert "5000 digits" in repr(md.MDView([LONG], (1,)))
    assert "5000 digits" in repr(md.LayoutStride((LONG, 1)))
    with pytest.raises(errors.ExtentsError, match="5599 digits"):
        md.Mapping((2**62,) * 300)


SWAPPED = {
    "relayout": lambda view: md.relayout("left", view),
    "reshape": lambda view: md.reshape((3, 2), view),
    "pad": lambda view: md.pad(1, view),
    "fill": lambda view: md.fill(0, view),
    "tiles": lambda view: md.tiles((1, 2), view),
    "save": lambda view: md.save("numbers.npy", view),
    "flip": lambda view: md.flip(0, view),
    "permute_dims": lambda view: md.permute_dims((1, 0), view),
}


@pytest.mark.parametrize("name", SWAPPED)
def test_a_view_behind_an_argument_in_its_place_is_noticed(name):
    with pytest.raises(errors.OperandError, match=r"the view comes first$"):
        SWAPPED[name](md.MDView(list(range(6)), (2, 3)))


@pytest.mark.parametrize("make", [md.zeros, md.empty, md.full], ids=lambda make: make.__name__)
def test_extents_behind_an_argument_in_their_place_are_noticed(make):
    with pytest.raises(errors.ExtentsTypeError, match=r"extents come first$"):
        make("tiled(2, 2)", (4, 4))
