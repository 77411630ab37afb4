"""The command of the suite: its reports, its exit status, and its errors."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from recorded import DATA

import mdview
from mdview.conformance import CannotRunError, Report, Tally, __main__, ask_cpp
from mdview.conformance.corpus import Compared, Question, tally

RIGHT, LEFT = (
    {"layout": layout, "static": [None], "extents": [extent]} for layout, extent in (("right", 3), ("left", 12))
)


@pytest.fixture
def report():
    """The report of an implementation with a wrong span, in two answers, and a wrong trait of one layout."""
    questions = [Question("mapping", kind) for kind in (LEFT, LEFT, RIGHT, RIGHT | {"extents": [10]}, RIGHT)]
    answers = [
        ({"span": 12, "unique": True}, its) for its in ({"span": 12, "unique": True}, {"span": 12, "unique": False})
    ]
    answers += [({"span": 3, "unique": True}, {"span": span, "unique": True}) for span in (4, 5, 3)]
    compared = [Compared(question, *pair) for question, pair in zip(questions, answers, strict=True)]
    return Report(
        "a library", [tally("mappings", compared, lambda pair: repr(pair.question.given)), tally("views", [], repr)]
    )


def test_answers_that_differ_in_the_same_parts_are_one_departure(report):
    mappings, views = report.rows
    assert (mappings.asked, mappings.agreed, mappings.departed, views.offered) == (5, 2, 3, False)
    assert [(each.title, each.answers) for each in mappings.departures] == [("unique of left", 1), ("span of right", 2)]
    span = mappings.departures[1]
    assert (span.expected, span.got, span.program) == ({"span": 3}, {"span": 4}, repr(RIGHT))
    assert span.clause == "[mdspan.layout.right.obs]"


def test_a_report_is_a_table_and_a_section_for_each_departure(report):
    text = report.to_markdown()
    assert "| mappings | 5 | 2 | 3 |\n| views | not offered |  |  |\n| all | 5 | 2 | 3 |" in text
    assert (
        "## mappings: span of right (2 answers)\n\n[mdspan.layout.right.obs]. Expected: span 3; here: span 4." in text
    )
    assert f"```cpp\n{RIGHT!r}\n```" in text


@pytest.mark.parametrize(("is_right", "status"), [(True, 0), (False, 1)])
def test_the_command_writes_the_report_and_its_status_tells_departures(
    report, tmp_path, capsys, monkeypatch, is_right, status
):
    report = Report("a library", [Tally("mappings", 2, 2)]) if is_right else report
    monkeypatch.setattr(__main__, "ask_cpp", lambda **options: report)
    assert __main__.main(["cpp", "--markdown", str(tmp_path / "report.md")]) == status
    assert capsys.readouterr().out == (tmp_path / "report.md").read_text() == report.to_markdown()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--only", "all"], "no feature 'all': --only takes extents"),
        (["--compiler", "no-such-compiler"], "no compiler 'no-such-compiler'"),
        (["--compiler", sys.executable, "--include", "nowhere"], "no folder nowhere"),
        (["--compiler", sys.executable], "no `<mdspan>`: g.. 15 or later, or --include"),
        (["--compiler", sys.executable, "--namespace", "Kokkos"], "no `<mdspan/mdspan.hpp>`: --include takes"),
    ],
)
def test_what_cannot_be_asked_is_one_line_and_leaves_nothing(tmp_path, capsys, monkeypatch, arguments, says):
    monkeypatch.chdir(tmp_path)
    assert __main__.main(["cpp", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    with pytest.raises(AssertionError, match=says):
        raise AssertionError(line)
    assert not [*tmp_path.iterdir()]


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
