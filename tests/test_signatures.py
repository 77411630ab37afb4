"""Public classes and functions say what they take: `inspect.signature`, `help` and the docs show real parameters."""

import ast
import inspect
import pydoc
import re
import typing
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from typing import final

import pytest

import mdview
from mdview import Accessor, Layout, LayoutWrapper, StridedLayout, Writable
from mdview.base.values import value
from mdview.testing.samples.accessors import ACCESSORS
from mdview.testing.samples.layouts import LAYOUTS

SUBMODULES = ["testing", "numba", "symbolic", "lazy", "interop", "interop.cpp", "polymorphic"]
MODULES = [mdview, *[import_module(f"mdview.{name}") for name in SUBMODULES]]


def names_of(module):
    own = [name for name, found in vars(module).items() if getattr(found, "__module__", "") == module.__name__]
    return [name for name in getattr(module, "__all__", own) if not name.startswith("_")]


PUBLIC = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in MODULES
    for name in names_of(module)
    if inspect.isclass(getattr(module, name)) or inspect.isfunction(getattr(module, name))
}
PUBLIC = {
    name: found
    for name, found in PUBLIC.items()  # a protocol makes nothing, and so takes nothing
    if found.__module__.startswith("mdview.") and not getattr(found, "_is_protocol", False)
}
CLASSES = {
    name: found
    for name, found in PUBLIC.items()
    if inspect.isclass(found) and not issubclass(found, Enum | Exception) and typing.get_origin(found) is None
}
VARIABLE = {
    "mdview.to_zarr": "options are those of zarr.create_array, which change with its version",
    "mdview.numba.jit": "options are those of numba.njit, which change with its version",
}


def parameters_of(found):
    return list(inspect.signature(found).parameters.values())


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_hides_no_parameter_behind_any_arguments(name):
    kinds = {parameter.name: parameter.kind for parameter in parameters_of(PUBLIC[name])}
    assert "args" not in kinds
    assert ("kwargs" not in kinds and inspect.Parameter.VAR_KEYWORD not in kinds.values()) or name in VARIABLE


@pytest.mark.parametrize("name", CLASSES)
def test_help_shows_the_parameters_of_a_class(name):
    cls = CLASSES[name]
    text = pydoc.plain(pydoc.render_doc(cls))
    shown = [line for line in text.splitlines() if "*args" in line]
    cpython = "__init_subclass__", " builtins."
    assert [line for line in shown if not any(part in line for part in cpython)] == []
    for parameter in parameters_of(cls):
        assert parameter.name in text


@pytest.mark.parametrize("name", CLASSES)
def test_the_parameters_of_a_class_are_documented(name):
    cls = CLASSES[name]
    told = f"{inspect.getdoc(cls)} {inspect.getdoc(cls.__init__)}"
    assert [p.name for p in parameters_of(cls) if not re.search(rf"\b{p.name}\b", told)] == []


def called_with(text):
    """Return the arguments of a call that is written down, those without a name and those with one."""
    call = ast.parse(text, mode="eval").body
    return [ast.unparse(given) for given in call.args], {named.arg: ast.unparse(named.value) for named in call.keywords}


@pytest.mark.parametrize("name", [name for name in LAYOUTS if LAYOUTS[name]((4, 4)) is not None])
def test_the_signature_takes_what_makes_each_sample_of_a_layout(name):
    layout = LAYOUTS[name]((4, 4))
    given, named = called_with(repr(layout))
    inspect.signature(type(layout)).bind(*given, **named)


@pytest.mark.parametrize("name", ACCESSORS)
def test_the_signature_takes_what_makes_each_sample_of_an_accessor(name):
    accessor = ACCESSORS[name]()
    fields = {field: getattr(accessor, field) for field in getattr(type(accessor), "__match_args__", ())}
    bound = inspect.signature(type(accessor)).bind(**fields)
    assert type(accessor)(*bound.args, **bound.kwargs) == accessor


def test_a_value_shows_the_types_and_defaults_of_its_fields():
    assert (
        str(inspect.signature(mdview.ExtentSlice)) == "(offset: 'int', extent: 'int', stride: 'int' = dim(1)) -> 'None'"
    )
    assert str(inspect.signature(mdview.LayoutRight)) == "() -> 'None'"
    assert typing.get_type_hints(mdview.ExtentSlice.__init__) == {
        "offset": int,
        "extent": int,
        "stride": int,
        "return": type(None),
    }


def test_the_signature_is_what_a_call_takes():
    with pytest.raises(TypeError, match="missing a required argument: 'extent'"):
        inspect.signature(mdview.ExtentSlice).bind(1)
    with pytest.raises(TypeError, match="misses field 'extent'"):
        mdview.ExtentSlice(1)


def test_a_class_with_its_own_constructor_shows_that():
    @value
    class Named:
        name: str

        def __init__(self, first: str, last: str) -> None:
            object.__setattr__(self, "name", f"{first} {last}")

    assert list(inspect.signature(Named).parameters) == ["first", "last"]
    assert list(inspect.signature(mdview.LayoutTiled).parameters) == ["tile", "outer", "inner"]


def test_a_class_derived_from_a_value_shows_its_own_constructor():
    @value
    class Point:
        x: int

    class Named(Point):
        def __init__(self, name):
            super().__init__(len(name))

    assert list(inspect.signature(Point).parameters) == ["x"]
    assert list(inspect.signature(Named).parameters) == ["name"]


@pytest.mark.parametrize("base", [Layout, StridedLayout, LayoutWrapper, Accessor, Writable])
def test_a_users_class_shows_its_own_parameters(base):
    @final
    @dataclass(frozen=True)
    class Data(base):
        lower: int
        upper: int = 2

    class Written(base):
        def __init__(self, factor, *, bias=0):
            self.factor, self.bias = factor, bias

    class Bare(base):
        pass

    assert str(inspect.signature(Data)).startswith("(lower: int, upper: int = 2)")
    assert str(inspect.signature(Written)) == "(factor, *, bias=0)"
    assert str(inspect.signature(Bare)) == "()"
