"""The facts not asked are few, and each departure is a real one."""

import cpp_adapter as cpp
import pytest
import skips

MOST = 0.02
FACTS = [fact for file in cpp.FILES for fact in cpp.facts(file)]


def share_skipped(facts):
    return sum(skips.reason_to_skip(fact) is not None for fact in facts) / len(facts)


@pytest.mark.parametrize("file", cpp.FILES)
def test_few_facts_of_a_file_are_skipped(file):
    assert share_skipped(cpp.facts(file)) < MOST


def test_few_facts_are_skipped_in_total():
    assert share_skipped(FACTS) < MOST


@pytest.mark.parametrize("entry", [*skips.SKIPS, *skips.DEPARTURES], ids=lambda entry: entry.reason)
def test_every_entry_concerns_some_fact(entry):
    assert any(entry.applies(fact) for fact in FACTS)


@pytest.mark.parametrize("departure", skips.DEPARTURES, ids=lambda departure: departure.reason)
def test_a_departure_changes_the_answer(departure):
    concerned = [fact for fact in FACTS if departure.applies(fact)]
    assert all(departure.instead(fact.expected) != fact.expected for fact in concerned)


def test_a_wrong_answer_is_reported_with_its_fact():
    fact = next(fact for fact in cpp.facts("mappings") if not fact.undefined)
    with pytest.raises(AssertionError, match=fact.id):
        cpp.check([fact], lambda _: {**fact.expected, "span": -1})
    with pytest.raises(AssertionError, match="absent"):
        cpp.check([fact], lambda _: {})
