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
from samples.accessors import ACCESSORS
from samples.layouts import LAYOUTS

import mdview
from mdview import Accessor, Layout, Writable
from mdview.layouts import LayoutWrapper, StridedLayout

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


def test_a_public_name_hides_no_parameter_behind_any_arguments():
    for name, found in PUBLIC.items():
        kinds = {parameter.name: parameter.kind for parameter in parameters_of(found)}
        assert "args" not in kinds, name
        hidden = "kwargs" in kinds or inspect.Parameter.VAR_KEYWORD in kinds.values()
        assert not hidden or name in VARIABLE, name


def test_help_shows_the_parameters_of_a_class_and_its_text_tells_of_them():
    cpython = "__init_subclass__", " builtins."
    for cls in CLASSES.values():
        text = pydoc.plain(pydoc.render_doc(cls))
        shown = [line for line in text.splitlines() if "*args" in line]
        assert [line for line in shown if not any(part in line for part in cpython)] == []
        told = f"{inspect.getdoc(cls)} {inspect.getdoc(cls.__init__)}"
        for parameter in parameters_of(cls):
            assert parameter.name in text, cls
            assert re.search(rf"\b{parameter.name}\b", told), (cls, parameter.name)


def called_with(text):
    """Return the arguments of a call that is written down, those without a name and those with one."""
    call = ast.parse(text, mode="eval").body
    return [ast.unparse(given) for given in call.args], {named.arg: ast.unparse(named.value) for named in call.keywords}


def test_the_signature_takes_what_makes_each_sample():
    for make in LAYOUTS.values():
        layout = make((4, 4))
        if layout is not None:
            given, named = called_with(repr(layout))
            inspect.signature(type(layout)).bind(*given, **named)
    for make in ACCESSORS.values():
        accessor = make()
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
    with pytest.raises(TypeError, match="extent"):
        inspect.signature(mdview.ExtentSlice).bind(1)
    with pytest.raises(TypeError, match="extent"):
        mdview.ExtentSlice(1)
    assert list(inspect.signature(mdview.LayoutTiled).parameters) == ["tile", "outer", "inner"]


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
