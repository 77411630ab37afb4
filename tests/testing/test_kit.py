"""The kit at its edges: values without hash or repr, large spans, missing partners, odd offsets."""

import sys

import pytest
from planted import Dense, Negating

from mdview import Layout, LayoutRight, LayoutStride, Mapping, MDView
from mdview.errors import ExtentsError, MissingExtraError
from mdview.testing import examine_accessor, examine_layout, view_laws
from mdview.testing.bound import Bound


def broken(verdict):
    return {example.law.name: str(example) for example in verdict.broken}


def test_a_value_without_hash_is_shown():
    class Unhashable(Dense):
        __hash__ = None

        def __eq__(self, other):
            return type(other) is type(self)

    assert "TypeError: unhashable type" in broken(examine_layout(Unhashable(), (2,)))["copies"]


def test_a_layout_whose_arithmetic_cannot_be_traced_is_accepted_with_the_reason():
    class Looping(Dense):
        def offset(self, extents, index):
            return sum(index[1:], sum(extents[-1] for _ in range(index[0])) if len(index) > 1 else index[0])

    verdict = examine_layout(Looping(), (3,), (2, 3), (4, 5))
    assert verdict.is_accepted
    assert str(verdict).splitlines()[1:] == [
        (
            "note: engines call the layout at each element, as its arithmetic over (2, 3) cannot be traced: "
            "it asks for the number i0, which is a symbol and has no number"
        )
    ]
    assert examine_layout(Dense(), (2, 3)).notes == ()


def test_a_value_whose_repr_raises_is_shown_by_its_class():
    class Shy(Dense):
        def __repr__(self):
            raise ValueError("no")

    verdict = examine_layout(Shy(), (2,))
    assert verdict.subject == "<Shy, whose repr raises ValueError>"
    assert "ValueError: no" in broken(verdict)["repr"]


def test_a_repr_of_something_else_is_shown():
    class Mask(Dense):
        def __repr__(self):
            return "LayoutRight()"

    assert "LayoutRight() != x" in broken(examine_layout(Mask(), (2,)))["repr"]


def test_a_hash_that_differs_between_equals_is_found_beside_another():
    class Numbered(Dense):
        def __init__(self, number):
            self.number = number

        def __eq__(self, other):
            return isinstance(other, Numbered)

        def __hash__(self):
            return self.number

        def __repr__(self):
            return f"Numbered({self.number})"

    first, second = Numbered(1), Numbered(2)
    assert "1 and 2" in broken(examine_layout(first, (2,), others=[second]))["hash"]


def test_a_hash_that_changes_is_found():
    class Restless(Negating):
        count = 0

        def load(self, data, offset):
            type(self).count += 1
            return -data[offset]

        def __hash__(self):
            return type(self).count

    assert "hash" in broken(examine_accessor(Restless()))["immutable"]


def test_a_large_span_is_looked_at_without_data_of_its_own():
    layout = LayoutStride((view_laws.LARGEST_COPY, 1))
    assert examine_layout(layout, (3, 2)).is_accepted


def test_laws_on_numpy_hold_where_there_is_none(monkeypatch):
    def missing():
        raise MissingExtraError("no NumPy")

    monkeypatch.setattr(view_laws, "import_numpy", missing)
    assert view_laws.numpy_agrees.check(Bound(LayoutStride(), (2, 3))) is None


def test_strategies_without_hypothesis_name_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    monkeypatch.delitem(sys.modules, "mdview.testing.strategies", raising=False)
    with pytest.raises(MissingExtraError, match=r"install the extra: pip install 'mdview-layouts\[testing\]'"):
        import mdview.testing.strategies  # noqa: F401, PLC0415 - the import is the test


class Answering(Dense):
    """Gives one wrong answer, named by the method."""

    def __init__(self, method, answer):
        self.method, self.answer = method, answer
        setattr(self, method, lambda *_: answer)

    def __eq__(self, other):
        return isinstance(other, Answering) and (other.method, repr(other.answer)) == (self.method, repr(self.answer))

    def __hash__(self):
        return hash(self.method)

    def __repr__(self):
        return f"Answering({self.method!r}, {self.answer!r})"


@pytest.mark.parametrize(
    ("method", "answer", "law", "words"),
    [
        ("strides", (1, 1), "strides", "1 strides"),
        ("has_element", False, "elements", "an element: is_total is True"),
        ("valid_box", ((0, 1),), "elements", "valid_box is ((0, 1),)"),
        ("is_exhaustive", False, "exhaustive", "all 3 offsets are hit"),
        ("offset_bounds", (0, 3), "offset_bounds", "offset_bounds (0, 2)"),
        ("is_always_exhaustive", True, None, ""),
        ("is_total", False, None, ""),
    ],
)
def test_one_wrong_answer_breaks_one_law(method, answer, law, words):
    found = broken(examine_layout(Answering(method, answer), (3,)))
    if law is None:
        assert found == {}
    else:
        assert words in found[law]


def test_a_mapping_that_answers_for_a_bad_index_would_be_found(monkeypatch):
    from mdview.testing.layout_laws import bad_indices_are_refused  # noqa: PLC0415 - for this test only

    case = Bound(LayoutStride(), (3,))
    monkeypatch.setattr(Mapping, "__call__", lambda self, *index: 0)
    assert bad_indices_are_refused.check(case).got == "offset 0"
    monkeypatch.setattr(Mapping, "__call__", lambda self, *index: 1 // 0)
    assert bad_indices_are_refused.check(case).got.startswith("ZeroDivisionError")


@pytest.mark.parametrize("law", view_laws.VIEW_LAWS, ids=lambda law: law.name)
def test_an_engine_that_is_off_by_one_would_be_found(law, monkeypatch):
    made = MDView.from_mapping

    def shifted(data, mapping, *rest, origin=0):
        return made(data, mapping, *rest, origin=origin - 1)

    monkeypatch.setattr(MDView, "from_mapping", shifted)
    finding = law.check(Bound(LayoutStride(), (2, 3)))
    assert (finding is None) == (law is view_laws.views_refuse)


def test_a_view_that_takes_any_index_would_be_found(monkeypatch):
    class Anything:
        def __getitem__(self, index):
            return 7

        def __setitem__(self, index, value):
            return None

    monkeypatch.setattr(view_laws, "_view", lambda case: (Anything(), [1]))
    assert view_laws.views_refuse.check(Bound(LayoutStride(), (2, 3))).got == "element 7"


def test_layouts_are_abstract_and_so_never_certified_as_a_class():
    with pytest.raises(TypeError, match="a layout is an instance of a Layout"):
        examine_layout(Layout)


@pytest.mark.parametrize("extents", [(100_000, 100_000), (1 << 40,), (0, 1 << 62), (1,) * 100])
def test_extents_that_laws_would_never_be_done_with_are_refused(extents):
    with pytest.raises(ExtentsError, match=r"32768 at most; extents .* have more: give smaller ones"):
        examine_layout(LayoutRight(), extents)


@pytest.mark.parametrize("span", [1 << 40, 1 << 61])
def test_a_long_span_of_few_elements_is_looked_at(span):
    assert examine_layout(LayoutStride((span, 1)), (2, 3)).is_accepted
