"""The commands of the suite: what they say of sound and of wrong libraries, and of what cannot be asked."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from recorded import DATA

import mdview
from mdview.conformance import CannotRunError, ask_cpp, ask_python
from mdview.conformance.__main__ import main
from mdview.conformance.python_libraries import FAMILIES, template

TENSOR_LAYOUTS = """
import tensor_layouts as tl

NAMES = {"composition": "compose"}


def algebra(operation, *operands):
    layouts = [tl.Layout(*each) if isinstance(each, tuple) else each for each in operands]
    try:
        found = layouts[0] if operation == "eval" else getattr(tl, NAMES.get(operation, operation))(*layouts)
    except tl.LayoutError as error:
        raise NotImplementedError from error
    return [found(k) for k in range(tl.size(found))]
"""
WRONG = """
from right import adapter as right


class adapter(right):
    def elements(array):
        return right.elements(array)[::-1]

    def facts(array):
        return right.facts(array) | {"is_contiguous_c": True}

    def buffer(array):
        return array.copy()[..., None]

    def dlpack(array):
        return array.T.copy()

    def algebra(operation, *operands):
        return [0, 1, 2]
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with the adapters, as somebody who runs the command has it."""
    for name, text in {"right": template(), "tensors": TENSOR_LAYOUTS, "wrong": WRONG, "empty": ""}.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in ("right", "tensors", "wrong", "empty"):
        sys.modules.pop(name, None)


def counts(report):
    return {row.feature: (row.asked, row.departed) for row in report.rows if row.offered}


def test_numpy_agrees_with_every_fact(here):
    found = counts(ask_python("right:adapter"))
    assert found.keys() == FAMILIES.keys() - {"algebra"}
    assert all(asked >= 60 and departed == 0 for asked, departed in found.values())


@pytest.mark.skipif(find_spec("tensor_layouts") is None, reason="tensor-layouts is not installed")
def test_tensor_layouts_is_asked_for_its_algebra(here):
    ((asked, departed),) = counts(ask_python("tensors")).values()
    assert asked > 250
    assert departed / asked < 0.05


def test_each_family_notices_a_wrong_adapter(here):
    report = ask_python("wrong:adapter")
    assert report.status == 1
    assert {row.feature for row in report.rows if row.departures} == set(FAMILIES)
    for row in report.rows:
        for each in row.departures:
            assert each.program.startswith("print(adapter.")
            assert each.clause.startswith("Fact ")


def test_families_can_be_chosen(here):
    assert counts(ask_python("right:adapter", only=["elements"])) == {"elements": (147, 0)}


def test_reports_are_written_as_text_and_markdown(here, capsys):
    report = ask_python("wrong:adapter", only=["elements"])
    (row,) = report.rows
    assert (row.asked, row.departed) == (147, sum(each.answers for each in row.departures))
    assert main(["python", "wrong:adapter", "--only", "elements", "--markdown", "r.md"]) == 1
    assert f"| elements | 147 | {row.agreed} | {row.departed} |" in Path("r.md").read_text()
    assert "print(adapter.elements(adapter.array(" in capsys.readouterr().out
    assert main(["python", "right:adapter", "--only", "elements"]) == 0


def test_the_template_is_an_adapter(capsys):
    assert main(["python", "--template"]) == 0
    assert capsys.readouterr().out == template()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["python"], "no adapter '' .*: mymodule:adapter, and --template prints one"),
        (["python", "nowhere:adapter"], "no adapter 'nowhere:adapter'"),
        (["python", "right:nothing"], "no adapter 'right:nothing'"),
        (["python", "empty"], r"empty has no elements\(\) or"),
        pytest.param(
            ["python", "tensors", "--only", "facts"],
            r"tensors has no facts\(\)",
            marks=pytest.mark.skipif(find_spec("tensor_layouts") is None, reason="tensor-layouts is not installed"),
        ),
        (["python", "right:adapter", "--only", "all"], "no feature 'all': --only takes elements"),
        (["cpp", "--compiler", "no-such-compiler"], "no compiler 'no-such-compiler'"),
        (["cpp", "--compiler", sys.executable, "--include", "nowhere"], "no folder nowhere"),
        (["cpp", "--compiler", sys.executable], "no `<mdspan>`: g.. 15 or later, or --include"),
        (["cpp", "--compiler", sys.executable, "--namespace", "Kokkos"], "no `<mdspan/mdspan.hpp>`: --include takes"),
    ],
)
def test_what_cannot_be_asked_is_one_line_and_leaves_nothing(here, capsys, arguments, says):
    before = {*here.iterdir()}
    assert main(arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    with pytest.raises(AssertionError, match=says):
        raise AssertionError(line)
    assert {*here.iterdir()} - before <= {here / "__pycache__"}


def test_an_adapter_without_a_function_that_a_family_needs_is_refused(here):
    (here / "empty.py").write_text("def elements(array): ...\n")
    with pytest.raises(CannotRunError, match=r"empty has no memory\(\), which elements needs: --template"):
        ask_python("empty")


def test_a_compiler_is_python_s_errors_too():
    with pytest.raises(CannotRunError, match="no compiler"):
        ask_cpp("no-such-compiler")


def test_importing_mdview_loads_none_of_it():
    code = "import sys, mdview; assert not [name for name in sys.modules if 'conformance' in name]"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(mdview.__file__).parents[1])


def test_the_corpus_is_what_its_schema_says():
    """Each file has facts or cases, and each fact of C++ what the schema requires."""
    schema = json.loads((DATA / "corpus.schema.json").read_text(encoding="utf-8"))
    required = set(schema["$defs"]["fact"]["required"])
    for path in DATA.glob("*/*.json"):
        content = json.loads(path.read_text(encoding="utf-8"))
        assert ("facts" in content) != ("cases" in content), path
        assert all(required <= fact.keys() for fact in content.get("facts", ())), path
        assert (path.parent / "SCHEMA.md").exists() or path.name in (DATA / "PROVENANCE.md").read_text(encoding="utf-8")
    assert f"## {schema['version']}" in (DATA / "CHANGELOG.md").read_text(encoding="utf-8")
