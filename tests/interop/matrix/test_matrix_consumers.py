"""The consumer matrix: what takes a view shares its memory, copies it, or is refused, each as the rules say."""

from importlib.util import find_spec

import pytest
from consumers import CONSUMERS
from expectations import RULES, expected
from running import outcomes
from variants import VARIANTS


@pytest.mark.parametrize("name", CONSUMERS)
def test_a_consumer_does_as_its_rules_say(name):
    if find_spec(CONSUMERS[name].package) is None:
        pytest.skip(f"{CONSUMERS[name].package} is not installed")
    found = outcomes(name)
    unlike = {
        each: (found[each], expected(name, variant))
        for each, variant in VARIANTS.items()
        if not expected(name, variant).holds(found[each])
    }
    assert unlike == {}


def test_each_consumer_has_rules_and_each_rule_decides_somewhere():
    assert list(RULES) == list(CONSUMERS)
    for rules in RULES.values():
        used = {
            next(k for k, each in enumerate(rules) if not each.kinds or each.speaks_of(v)) for v in VARIANTS.values()
        }
        assert used >= set(range(len(rules) - 1))
