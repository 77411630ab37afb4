"""The kit at its edges: values without hash or repr, large spans, missing partners, engines that are wrong."""

import sys

import pytest
from planted import Dense, ExhaustiveClaimed, Negating

from mdview import Layout, LayoutRight, LayoutStride, Mapping
from mdview.errors import ExtentsError
from mdview.layouts import StrideRule
from mdview.testing import examine_accessor, examine_layout


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


def test_a_hash_that_changes_is_found():
    class Restless(Negating):
        count = 0

        def load(self, data, offset):
            type(self).count += 1
            return -data[offset]

        def __hash__(self):
            return type(self).count

    assert "hash" in broken(examine_accessor(Restless()))["immutable"]


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
