"""The consumer matrix: what takes a view shares its memory, copies it, or is refused, each as the rules say."""

from importlib.util import find_spec

import pytest
from consumers import CONSUMERS
from expectations import expected
from running import outcomes
from variants import VARIANTS


@pytest.mark.parametrize("name", CONSUMERS)
def test_a_consumer_does_as_its_rules_say(name):
    consumer = CONSUMERS[name]
    if find_spec(consumer.package) is None:
        pytest.skip(f"{consumer.package} is not installed")
    found = outcomes(name)
    rules = {each: expected(consumer, variant) for each, variant in VARIANTS.items()}
    assert [(each, found[each], rule) for each, rule in rules.items() if not rule.holds(found[each])] == []


def test_each_rule_decides_somewhere():
    for consumer in CONSUMERS.values():
        used = [consumer.decided(variant) for variant in VARIANTS.values()]
        assert all(rule in used for rule in consumer.rules if rule.kinds)
