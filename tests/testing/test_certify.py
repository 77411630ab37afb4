"""The command `mdview certify`, and the kit at its edges: values without a hash, large spans, wrong engines."""

import sys
from pathlib import Path

import pytest
from planted import Dense, ExhaustiveClaimed

from mdview import Layout, LayoutRight, LayoutStride, Mapping
from mdview.cli import main
from mdview.errors import ExtentsError
from mdview.layouts import StrideRule
from mdview.testing import examine_layout

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def _beside_the_planted_bugs(monkeypatch):
    monkeypatch.chdir(HERE)


ACCEPTED = [
    (
        ["mdview:LayoutTiled(2, 3)", "mdview:CheckedAccessor", "--extents", "4,6"],
        0,
        ["accepted LayoutTiled", "accepted C"],
    ),
    (["planted:RaggedTile", "--extents", "2,2", "--extents", "3,3"], 1, ["REJECTED RaggedTile(tile=2)", "(3, 3)"]),
    (
        ["tiled(2, 3)", "transpose(planted:RaggedTile(2))", "--extents", "4,6"],
        1,
        ["accepted LayoutTiled(2,", "REJECTED LayoutTranspose"],
    ),
]


# Of the first three each of the 65 536 values is tried.
@pytest.mark.parametrize("dtype", ["int16", ">i2", "float16", "B", "complex64", "bool", "c"])
def test_accessors_are_tried_on_items_of_a_format(capsys, dtype):
    targets = ["mdview:DefaultAccessor", "mdview:ReadOnlyAccessor", "mdview.accessors:AlignedAccessor(8)"]
    assert main(["certify", *targets, "--dtype", dtype]) == 0
    status = main(["certify", "planted:Negating", "--dtype", dtype])
    assert status == (dtype == "c")  # which are no numbers
    assert capsys.readouterr().err == ""


def test_items_that_are_no_numbers_are_one_line_and_status_2(capsys):
    pytest.importorskip("numpy")
    assert main(["certify", "mdview:DefaultAccessor", "--dtype", "S4"]) == 2
    assert "not items of type |S4; give another format" in capsys.readouterr().err


def test_laws_that_follow_from_a_broken_one_are_not_asked(capsys):
    assert main(["certify", "planted:WrongStrides", "--extents", "2,3"]) == 1
    head, _, rest = capsys.readouterr().out.rstrip("\n").split("\n\n")
    assert head.endswith(": 1 of 24 laws on 1 cases broken")
    assert rest.startswith("not asked, as they follow from what is broken: numbers, unique, ")
    assert rest.endswith(", views read, views write")


@pytest.mark.parametrize(("arguments", "status", "words"), ACCEPTED)
def test_a_verdict_is_printed_with_its_counterexample(capsys, arguments, status, words):
    assert main(["certify", *arguments]) == status
    printed = capsys.readouterr()
    assert printed.err == ""
    assert all(word in printed.out for word in words)


NOT_FOUND = {
    "planted": "'planted'",
    "nowhere:Layout": "ModuleNotFoundError",
    "planted:Missing": "NameError",
    "planted:Tiles(1, 2)": "TypeError",
    "planted:SMALL": "'planted:SMALL'",
    "mdview:Layout": "TypeError",
    "tilde(2)": "tiled",
    "tiled(2, 3) (4, 6)": "layout",
    "transpose(nowhere:Layout)": "nowhere:Layout",
    "leaves_at_once:Layout": "SystemExit: 7",
    "leaves_later:leave()": "SystemExit: 7",
}


def test_a_target_that_cannot_be_made_is_one_line_and_does_not_keep_others_from_being_looked_at(
    capsys, tmp_path, monkeypatch
):
    (tmp_path / "leaves_at_once.py").write_text("raise SystemExit(7)")
    (tmp_path / "leaves_later.py").write_text("def leave(): raise SystemExit(7)")
    monkeypatch.syspath_prepend(tmp_path)
    assert main(["certify", "mdview:LayoutRight", *NOT_FOUND, "planted:RaggedTile", "--extents", "3,3"]) == 2
    printed = capsys.readouterr()
    verdicts = [text.split("(")[0] for text in printed.out.split("\n\n")]
    assert [text for text in verdicts if text.startswith(("accepted", "REJECTED"))] == [
        "accepted LayoutRight",
        "REJECTED RaggedTile",
    ]
    for line, words in zip(printed.err.splitlines(), NOT_FOUND.values(), strict=True):
        assert line.startswith("mdview: error: ")
        assert words in line


def test_extents_that_break_their_rule_are_status_2(capsys):
    assert main(["certify", "mdview:LayoutRight", "--extents=-1"]) == 2
    assert "-1" in capsys.readouterr().err


def broken(verdict):
    return {example.law.name: str(example) for example in verdict.broken}


def raising(self):
    raise ValueError("no")


def changed(base=Dense, **methods):
    """An instance of a class with other methods."""
    return type("Changed", (base,), {"__eq__": base.__eq__, "__hash__": base.__hash__} | methods)()


def looping(self, extents, index):
    return sum(index[1:], sum(extents[-1] for _ in range(index[0])) if len(index) > 1 else index[0])


def test_values_without_hash_or_with_a_wrong_repr_are_shown():
    for methods, law, words in (
        ({"__hash__": None}, "copies", "TypeError"),
        ({"__repr__": raising}, "repr", "ValueError: no"),
        ({"__repr__": lambda self: "LayoutRight()"}, "repr", "LayoutRight() != x"),
    ):
        assert words in broken(examine_layout(changed(**methods), (2,)))[law]
    assert examine_layout(changed(__repr__=raising), (2,)).subject == "<Changed, whose repr raises ValueError>"


def test_a_layout_whose_arithmetic_cannot_be_traced_is_accepted_with_the_reason():
    verdict = examine_layout(changed(offset=looping), (3,), (2, 3), (4, 5))
    assert verdict.is_accepted
    assert "i0" in str(verdict).splitlines()[1]
    assert examine_layout(Dense(), (2, 3)).notes == ()


def test_without_numpy_its_laws_hold(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    assert examine_layout(LayoutStride(), (2, 3)).is_accepted


@pytest.mark.parametrize(
    ("method", "answer", "law", "words"),
    [
        ("strides", (1, 1), "strides", "1 strides"),
        ("has_element", False, "elements", "an element: is_total is True"),
        ("valid_box", ((0, 1),), "elements", "valid_box is ((0, 1),)"),
        ("is_exhaustive", False, "exhaustive", "every offset below the span is some index"),
        ("offset_bounds", (0, 3), "numbers", "offset_bounds (0, 2)"),
        ("is_always_exhaustive", True, None, ""),
        ("is_total", False, None, ""),
    ],
)
def test_one_wrong_answer_breaks_one_law(method, answer, law, words):
    found = broken(examine_layout(changed(**{method: lambda *_: answer}), (3,)))
    found.pop("repr", None)  # which has no such class
    assert found == {} if law is None else words in found[law]


def test_padding_excuses_a_denial_and_no_claim():
    rule = {"stride_rule": lambda self: StrideRule("right", is_padded=True), "strides": lambda *_: (2,)}
    claimed = changed(ExhaustiveClaimed, **rule)
    assert "no index has offset 1" in broken(examine_layout(claimed, (2,)))["exhaustive"]
    denied = changed(ExhaustiveClaimed, is_exhaustive=lambda *_: False, **rule)
    assert "exhaustive" not in broken(examine_layout(denied, (1,), (2,)))


def test_a_mapping_that_answers_for_a_bad_index_is_found(monkeypatch):
    for answer, told in ((lambda self, *index: 0, "offset 0"), (lambda self, *index: 1 // 0, "ZeroDivisionError")):
        monkeypatch.setattr(Mapping, "__call__", answer)
        assert any(told in text for text in broken(examine_layout(LayoutStride(), (3,))).values())


def test_layouts_are_abstract_and_so_never_certified_as_a_class():
    with pytest.raises(TypeError):
        examine_layout(Layout)


def test_extents_that_laws_would_never_be_done_with_are_refused_and_long_spans_are_not():
    for extents in ((100_000, 100_000), (1 << 40,), (0, 1 << 62), (1,) * 100):
        with pytest.raises(ExtentsError, match="32768"):
            examine_layout(LayoutRight(), extents)
    for span in (1 << 16, 1 << 40, 1 << 61):
        assert examine_layout(LayoutStride((span, 1)), (3, 2)).is_accepted
