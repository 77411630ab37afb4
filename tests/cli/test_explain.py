"""`mdview explain`: facts and sentences of expressions."""

import pytest

from mdview import Mapping, explain, parse
from mdview.cli import main


def test_an_explanation_has_the_text_the_facts_and_the_sentences(capsys):
    assert main(["explain", "tiled(2,3)(4,6) [1:3 , ::2]"]) == 0
    printed = capsys.readouterr()
    mapping = parse("tiled(2, 3) (4, 6) [1:3, ::2]")
    first, *lines = printed.out.splitlines()
    facts = dict(line.strip().split(":", 1) for line in lines[: lines.index("")])
    assert first == "tiled(2, 3) (4, 6) [1:3, ::2]"
    assert facts["mapping"].strip() == repr(mapping)
    assert facts["shape"].strip() == "(2, 3)"
    assert facts["span"].strip() == f"{mapping.required_span_size} elements"
    assert [line.strip() for line in lines[lines.index("") + 1 :]] == explain(mapping).splitlines()
    assert printed.err == ""


def test_the_offset_in_c(capsys):
    assert main(["explain", "morton (8, 8)", "--c", "y, x"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith(parse("morton (8, 8)").to_c(("y", "x")))
    assert main(["explain", "right ()", "--c", ""]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith(f" {Mapping(()).to_c(())}")


@pytest.mark.parametrize(
    ("names", "message"), [("i", "rank 2 takes 2 names, got 1"), ("i,int", "keyword of C"), ("i,i", "i")]
)
def test_names_that_c_cannot_have_are_one_line(names, message, capsys):
    assert main(["explain", "right (4, 6)", "--c", names]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("mdview: error: right (4, 6): ")
    assert message in printed.err
    assert len(printed.err.splitlines()) == 1


def test_one_wrong_expression_does_not_keep_the_others_from_being_explained(capsys):
    assert main(["explain", "right (2,)", "right (2,) [7]", "left (3,)"]) == 2
    printed = capsys.readouterr()
    assert printed.out.count("  mapping:") == 2
    assert "\n\nleft (3,)\n" in printed.out
    assert printed.err.splitlines()[1:] == ["    right (2,) [7]", "                ^"]


@pytest.mark.parametrize(
    "text", ["right ()", "right (0, 3)", "tiled(2, 2) (4, 6) pad(1)", "right (1000000, 1000000) [::7]"]
)
def test_any_mapping_is_explained(text, capsys):
    assert main(["explain", text]) == 0
    assert capsys.readouterr().err == ""
