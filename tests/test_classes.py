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
NAMES = [module.name for module in WALK if module.name != "mdview.__main__"]
MODULES = [module for module in map(imported, NAMES) if module is not None]
CLASSES = sorted(
    {
        value
        for module in MODULES
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == module.__name__
    },
    key=lambda cls: (cls.__module__, cls.__qualname__),
)
ABSTRACT = {
    "mdview.layouts.base.Layout": "users derive their layouts from it",
    "mdview.layouts.strided.StridedLayout": "the abstract class of the regular layouts",
    "mdview.layouts.padding.PaddedLayout": "what the two padded layouts share",
    "mdview.layouts.wrapper.LayoutWrapper": "the abstract class of the layouts around another one",
    "mdview.accessors.base.Accessor": "users derive their accessors from it; load is not defined",
    "mdview.accessors.base.Writable": "users derive their accessors from it; store is not defined",
    "mdview.expressions.evaluation.Evaluable": "what every expression answers",
    "mdview.expressions.nodes.Node": "the abstract class of the parts of an expression",
    "mdview.expressions.operators.Operators": "the operators of numbers that are not known yet",
    "mdview.accessors.loading.Loading": "the operators of references",
    "mdview.accessors.base.Plain": "the abstract class of the accessors to elements as they are",
    "mdview.accessors.base.Wrapper": "the abstract class of the accessors around another one",
    "mdview.accessors.hints.Hint": "the abstract class of the hints",
    "mdview.engines.scalar.pieces.Pieces": "what the two ways to cut parts have in common",
    "mdview.engines.scalar.late_plans.Source": "what parts are derived from: the plans",
    "mdview.views.base.ViewBase": "the parts of every view",
    "mdview.views.access.ViewAccess": "what all views do alike with their elements",
    "mdview.views.view.MDView": "the classes compiled for its views derive from it",
}


def full_name(cls):
    return f"{cls.__module__}.{cls.__qualname__}"


@pytest.mark.parametrize("cls", CLASSES, ids=full_name)
def test_each_class_is_abstract_or_final(cls):
    is_open = issubclass(cls, Exception) or getattr(cls, "_is_protocol", False) or full_name(cls) in ABSTRACT
    if issubclass(cls, Enum) or cls.__name__.startswith("_"):
        return  # an enum with members cannot be derived from, and nobody derives from what is private
    assert is_open != bool(vars(cls).get("__final__")), f"{full_name(cls)}: abstract or @final, and not both"


def test_the_list_of_abstract_classes_is_up_to_date():
    assert set(ABSTRACT) <= {full_name(cls) for cls in CLASSES}


@pytest.mark.parametrize("cls", [mdview.Layout, mdview.StridedLayout])
def test_an_abstract_layout_cannot_be_instantiated(cls):
    with pytest.raises(TypeError, match=f"Can't instantiate abstract class {cls.__name__}"):
        cls()


@pytest.mark.parametrize("cls", [cls for cls in CLASSES if Protocol in cls.__mro__], ids=full_name)
def test_a_protocol_cannot_be_instantiated(cls):
    with pytest.raises(TypeError, match="Protocols cannot be instantiated"):
        cls()


def test_an_accessor_without_load_or_store_says_what_is_missing():
    class Half(mdview.Writable):
        pass

    with pytest.raises(NotImplementedError, match=r"Half must define load\(data, offset\)"):
        Half().load([], 0)
    with pytest.raises(NotImplementedError, match=r"Half must define store\(data, offset, value\)"):
        Half().store([], 0, 1)


def test_the_package_shows_its_public_names_its_modules_and_nothing_else():
    shown = {name for name in dir(mdview) if not name.startswith("_")}
    modules = {name for name in shown if isinstance(getattr(mdview, name), types.ModuleType)}
    assert {getattr(mdview, name).__name__ for name in modules} <= {f"mdview.{name}" for name in modules}
    assert shown - modules == {*mdview.__all__, *mdview._UNSTARRED}
    assert sorted(set(mdview.__all__)) == sorted(mdview.__all__)


def test_a_name_that_the_package_does_not_have_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nonsense"):
        mdview.nonsense  # noqa: B018 - the access is the test


@pytest.mark.parametrize("name", mdview.__all__)
def test_each_public_name_is_documented(name):
    value = getattr(mdview, name)
    is_alias = get_origin(value) is not None or value in {int, tuple, mdview.ALL}
    assert is_alias or inspect.getdoc(value)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_each_module_says_what_it_is_about(module):
    assert module.__doc__
    assert len(module.__doc__.splitlines()[0]) <= 120


@pytest.mark.parametrize("cls", CLASSES, ids=full_name)
def test_each_public_method_is_documented(cls):
    if cls.__name__.startswith("_") or getattr(cls, "_is_protocol", False):
        pytest.skip("not public, or documented as a whole")
    methods = {name: member for name, member in vars(cls).items() if not name.startswith("_")}
    described = [name for name, member in methods.items() if callable(member) or isinstance(member, property)]
    assert [name for name in described if not inspect.getdoc(getattr(cls, name))] == []
