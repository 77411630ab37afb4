"""Facts of C++ implementations: mappings, subviews, conversions, accessors and preconditions, and those not asked."""

from itertools import product

import cpp_adapter
import cpp_answers as answers
import pytest
import rules
import skips

from mdview import MDView, subview
from mdview.conformance import answers as cpp
from mdview.conformance import corpus as recorded

MOST = 0.02
skipped = cpp_adapter.reason_to_skip
FACTS = {file: recorded.facts_of_file(file) for file in recorded.FILES}
EVERY = [fact for facts in FACTS.values() for fact in facts]
GROUPS = sorted({(file, fact.group) for file, facts in FACTS.items() for fact in facts if not skipped(fact)})
SLICES = [group for file, group in GROUPS if file == "submdspan" and group != "canonical_slices"]


def of_group(file, group):
    return [fact for fact in FACTS[file] if fact.group == group]


@pytest.mark.parametrize(("file", "group"), GROUPS)
def test_answers_are_those_of_cpp(file, group):
    cpp_adapter.check(of_group(file, group), answers.of_group(file, group))


def test_layout_stride_without_strides_is_the_default_mapping():
    defaults = [fact for fact in of_group("mappings", "ctor_default") if fact.given["layout"] == "stride"]
    assert defaults
    assert all("in_strides" not in fact.given for fact in defaults)


@pytest.mark.parametrize("group", SLICES)
def test_view_shows_the_elements_that_the_slices_name(group):
    """Sources are filled with their own offsets, so an element says where it lies."""
    for fact in of_group("submdspan", group):
        source = cpp.mapping(fact.given["src"])
        part = subview(
            MDView.from_mapping(list(range(source.required_span_size)), source),
            *[cpp.slice_spec(s) for s in fact.given["slices"]],
        )
        assert cpp.element_values(part) == places(fact.expected), fact.id


def places(out):
    """Offsets of a strided result, last index fastest."""
    return [
        out["offset"] + sum(i * s for i, s in zip(index, out["strides"], strict=True))
        for index in product(*map(range, out["extents"]))
    ]


@pytest.mark.parametrize("facts", [*FACTS.values(), EVERY], ids=[*FACTS, "all"])
def test_few_facts_are_skipped(facts):
    assert sum(skipped(fact) is not None for fact in facts) / len(facts) < MOST


def test_every_rule_concerns_some_fact():
    assert rules.idle([*skips.SKIPS, *skips.DEPARTURES], EVERY) == []


def test_a_departure_is_another_answer_than_the_fact():
    assert rules.agreeing(skips.DEPARTURES, EVERY, cpp_adapter.told) == []


def test_every_precondition_has_its_exception():
    broken = {fact.group for fact in FACTS["preconditions"] if not fact.expected["valid"]}
    assert broken == set(skips.REFUSALS)


def test_a_wrong_answer_is_reported_with_its_fact():
    fact = next(fact for fact in FACTS["mappings"] if not fact.undefined)
    for answer in ({**fact.expected, "span": -1}, {**fact.expected, "more": 0}, {}):
        with pytest.raises(AssertionError, match=fact.id):
            cpp_adapter.check([fact], lambda _, answer=answer: answer)
