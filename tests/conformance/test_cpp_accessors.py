"""Accessors: which convert to which, alone and inside views, and what linear algebra's views load."""

import cpp_adapter as cpp
import cpp_answers as answers
import pytest

FACTS = cpp.facts("accessors")
SKIPPED = {"accessor_types", "default_wellformed"}


@pytest.mark.parametrize("group", sorted(set(cpp.groups("accessors")) - SKIPPED))
def test_accessor(group):
    cpp.check([fact for fact in FACTS if fact.group == group], answers.of_group("accessors", group))
