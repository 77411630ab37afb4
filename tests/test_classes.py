"""Every class is abstract or final, every public name is documented, and the package shows what it means to show."""

import importlib
import inspect
import pkgutil
import types
from enum import Enum
from typing import Protocol, get_origin

import pytest

import mdview
from mdview.errors import MissingExtraError


def imported(name):
    """The module, or None where the partner that it is for is not installed."""
    try:
        return importlib.import_module(name)
    except MissingExtraError:
        return None


WALK = pkgutil.walk_packages(mdview.__path__, "mdview.", onerror=lambda _: None)
MODULES = [found for module in WALK if module.name != "mdview.__main__" and (found := imported(module.name))]
CLASSES = {
    value
    for module in MODULES
    for value in vars(module).values()
    if isinstance(value, type) and value.__module__ == module.__name__
}
OPEN = {
    *(
        mdview.Layout,
        mdview.layouts.StridedLayout,
        mdview.layouts.LayoutWrapper,
        mdview.Accessor,
        mdview.Writable,
    ),  # users derive
    *(mdview.ElementwiseAccessor, mdview.ElementwiseWritable),
    *[cls for cls in CLASSES if cls.__qualname__ == "Fields"],  # of which types are made at run time
    *[base for cls in CLASSES for base in cls.__mro__[1:]],
}
"""What classes are derived from."""


def test_each_class_is_abstract_or_final():
    """An enum with members cannot be derived from, and nobody derives from what is private."""
    wrong = [
        cls
        for cls in CLASSES
        if not (issubclass(cls, Enum) or cls.__name__.startswith("_"))
        if bool(vars(cls).get("__final__"))
        == (issubclass(cls, Exception) or getattr(cls, "_is_protocol", False) or cls in OPEN)
    ]
    assert wrong == []


def test_what_is_abstract_is_not_instantiated_and_views_have_no_subclasses():
    view = mdview.MDView([1, 2], (2,))
    for base in (mdview.MDView, mdview.MDView[int], type(view), type(view.T), type(mdview.pad(view, 1))):
        with pytest.raises(mdview.errors.OperandError, match=r"Own .* MDView"):
            types.new_class("Own", (base,))
    for cls in (mdview.Layout, mdview.layouts.StridedLayout, *[cls for cls in CLASSES if Protocol in cls.__mro__]):
        with pytest.raises(TypeError):
            cls()


def test_an_accessor_without_load_or_store_says_what_is_missing():
    half = type("Half", (mdview.Writable,), {})()
    for call, missing in ((lambda: half.load([], 0), "load"), (lambda: half.store([], 0, 1), "store")):
        with pytest.raises(NotImplementedError, match=rf"Half .* {missing}\("):
            call()


def test_the_package_shows_its_public_names_its_modules_and_nothing_else():
    shown = {name for name in dir(mdview) if not name.startswith("_")}
    modules = {name for name in shown if isinstance(getattr(mdview, name), types.ModuleType)}
    assert {getattr(mdview, name).__name__ for name in modules} <= {f"mdview.{name}" for name in modules}
    assert shown - modules == {*mdview.__all__, *mdview._UNSTARRED}
    assert sorted(set(mdview.__all__)) == sorted(mdview.__all__)


def test_what_is_public_is_documented_and_each_module_says_what_it_is_about():
    values = {name: getattr(mdview, name) for name in mdview.__all__}
    aliases = {name for name, value in values.items() if get_origin(value) or value in {int, tuple, mdview.ALL}}
    missing = [name for name, value in values.items() if name not in aliases and not inspect.getdoc(value)]
    missing += [one.__name__ for one in MODULES if not one.__doc__ or len(one.__doc__.splitlines()[0]) > 120]
    for cls in CLASSES:
        if cls.__name__.startswith("_") or getattr(cls, "_is_protocol", False):
            continue
        methods = {name: each for name, each in vars(cls).items() if not name.startswith("_")}
        described = [name for name, each in methods.items() if callable(each) or isinstance(each, property)]
        missing += [f"{cls.__name__}.{name}" for name in described if not inspect.getdoc(getattr(cls, name))]
    assert missing == []
