"""The API pages: each public name is on one of them, with a signature that is the real one."""

import ast
import inspect
import re
from collections import Counter
from enum import Enum
from importlib import import_module
from pathlib import Path

import pytest

import mdview

PAGES = sorted((Path(__file__).parents[1] / "docs" / "api").glob("*.md"))
MODULES = ["mdview", *[f"mdview.{name}" for name in (*mdview._SUBMODULES, *mdview._PARTNERS)]]
WITHOUT_NAMES = {"mdview.interop"}
"""Public packages whose names are those of `mdview` and of their own submodules."""
DIRECTIVE = re.compile(
    r"^\.\. (?:(?P<module>currentmodule|automodule)|auto(?P<kind>\w+)|py:(?P<plain>data|class))"
    r":: (?P<what>.+(?:\n {5,}\w+)*)$",
    re.MULTILINE,
)


def entries(page):
    """What a page describes: its directive, the module, and the name with its signature."""
    module = None
    for found in DIRECTIVE.finditer(page.read_text(encoding="utf-8")):
        if found["module"]:
            module = found["what"]
        if found["module"] == "automodule":
            yield from (("class", module, name) for name in sorted(public_names(module)))
        elif not found["module"]:
            for written in found["what"].split("\n"):
                yield found["kind"] or found["plain"], module, written.strip()


def public_names(module):
    """The names that a module offers: those of its list, or what it or a module in it defines."""
    loaded = import_module(module)
    listed = getattr(loaded, "__all__", None)
    if listed is not None:
        return set(listed)
    return {
        name
        for name, thing in vars(loaded).items()
        if not name.startswith("_") and (inspect.isclass(thing) or inspect.isfunction(thing))
        if thing.__module__ == module or thing.__module__.startswith(f"{module}.")
    }


def unlisted(module):
    """The names of a module that are not names of `mdview`, too."""
    if module == "mdview":
        return set(mdview._MODULES)  # those that a star import leaves out, too
    loaded = import_module(module)
    return {name for name in public_names(module) if getattr(mdview, name, None) is not getattr(loaded, name)}


WRITTEN = [(page.name, *entry) for page in PAGES for entry in entries(page)]


def is_called(module, name):
    """Whether a name is called as it is written: nobody calls the class of an enumeration or a protocol so."""
    thing = getattr(import_module(module), name)
    return not (isinstance(thing, type) and (issubclass(thing, Enum) or getattr(thing, "_is_protocol", False)))


SIGNATURES = [entry[2:] for entry in WRITTEN if "(" in entry[3] and is_called(entry[2], entry[3].partition("(")[0])]


@pytest.mark.parametrize("module", [name for name in MODULES if name not in WITHOUT_NAMES])
def test_every_public_name_is_on_exactly_one_page(module):
    times = Counter(what.partition("(")[0] for _, _, of, what in WRITTEN if of == module)
    assert dict(times) == dict.fromkeys(unlisted(module), 1)


def test_every_module_of_the_pages_is_public():
    assert {module for _, _, module, _ in WRITTEN} == set(MODULES) - WITHOUT_NAMES


def test_a_written_signature_is_the_real_one():
    for module, what in SIGNATURES:
        thing = getattr(import_module(module), what.partition("(")[0])
        assert written_parameters(what) == parameters(thing), what


def written_parameters(what):
    scope = {"LayoutRight": str, "DefaultAccessor": str, "doubles": None, "frozenset": frozenset}
    exec(f"def {what}: ...", scope)
    return parameters(scope[what.partition("(")[0]])


def parameters(thing):
    """Names and kinds in their order, and which may be left out; `rest` only takes what is refused."""
    return [
        (each.name, each.kind, each.default is not inspect.Parameter.empty)
        for each in inspect.signature(thing).parameters.values()
        if each.name != "rest"
    ]


def test_a_default_that_is_a_plain_value_is_the_real_one():
    for module, what in SIGNATURES:
        signature = inspect.signature(getattr(import_module(module), what.partition("(")[0]))
        for name, node in written_defaults(what):
            real = signature.parameters[name].default
            if real is not None and isinstance(node, ast.Constant) and node.value is not Ellipsis:
                assert node.value == real, what


def written_defaults(what):
    given = ast.parse(f"def {what}: ...").body[0].args
    positional = [*given.posonlyargs, *given.args]
    behind = positional[len(positional) - len(given.defaults) :]
    yield from ((each.arg, node) for each, node in zip(behind, given.defaults, strict=True))
    yield from ((each.arg, node) for each, node in zip(given.kwonlyargs, given.kw_defaults, strict=True) if node)


def test_functions_and_classes_are_written_with_their_signature():
    calls = [
        what for _, kind, module, what in WRITTEN if kind == "function" or (kind == "class" and module == "mdview")
    ]
    assert [what for what in calls if "(" not in what] == ["Dim"]


def test_each_layout_has_a_picture_of_itself():
    described = (PAGES[0].parent / "layouts.md").read_text(encoding="utf-8").split(".. autoclass:: ")[1:]
    drawn = {
        entry.partition("(")[0]: re.findall(r"picture:: (.+)\n(?: +:after: (.+)\n)?", entry) for entry in described
    }
    for name, pictures in drawn.items():
        if name == "LayoutWrapper":  # abstract
            continue
        [(first, after)] = pictures
        assert type(mdview.parse(after or first).layout).__name__ == name
