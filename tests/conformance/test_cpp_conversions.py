"""Conversions and comparisons of extents and mappings, of types and of values."""

import cpp_adapter as cpp
import cpp_answers as answers
import pytest

FACTS = cpp.facts("conversions")


@pytest.mark.parametrize("group", cpp.groups("conversions"))
def test_conversion(group):
    cpp.check([fact for fact in FACTS if fact.group == group], answers.of_group("conversions", group))


def test_mandates_are_broken_exactly_where_the_facts_say_so():
    types = [fact for fact in FACTS if fact.group == "mapping"]
    wrong = [f.id for f in types if ("mandates" in answers.mapping_types(f.given)) != ("mandates" in f.expected)]
    assert not wrong
