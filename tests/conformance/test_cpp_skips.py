"""The facts not asked are few, and each departure is a real one."""

import cpp_adapter as cpp
import pytest
import rules
import skips

MOST = 0.02
FACTS = [fact for file in cpp.FILES for fact in cpp.facts(file)]


def share_skipped(facts):
    return sum(cpp.reason_to_skip(fact) is not None for fact in facts) / len(facts)


@pytest.mark.parametrize("file", cpp.FILES)
def test_few_facts_of_a_file_are_skipped(file):
    assert share_skipped(cpp.facts(file)) < MOST


def test_few_facts_are_skipped_in_total():
    assert share_skipped(FACTS) < MOST


def test_every_rule_concerns_some_fact():
    assert rules.idle([*skips.SKIPS, *skips.DEPARTURES], FACTS) == []


def test_a_departure_is_another_answer_than_the_fact():
    assert rules.agreeing(skips.DEPARTURES, FACTS, cpp.told) == []


def test_every_precondition_has_its_exception():
    broken = {fact.group for fact in cpp.facts("preconditions") if not fact.expected["valid"]}
    assert broken == set(skips.REFUSALS)


def test_a_wrong_answer_is_reported_with_its_fact():
    fact = next(fact for fact in cpp.facts("mappings") if not fact.undefined)
    for answer in ({**fact.expected, "span": -1}, {**fact.expected, "more": 0}, {}):
        with pytest.raises(AssertionError, match=fact.id):
            cpp.check([fact], lambda _, answer=answer: answer)
