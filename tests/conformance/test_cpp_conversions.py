"""Conversions and comparisons of extents and mappings, of types and of values."""

import cpp_adapter as cpp
import cpp_answers as answers
import pytest

FACTS = cpp.facts("conversions")


@pytest.mark.parametrize("group", cpp.groups("conversions"))
def test_conversion(group):
    cpp.check([fact for fact in FACTS if fact.group == group], answers.of_group("conversions", group))
