"""Accessors: which convert to which, alone and inside views, and what linear algebra's views load."""

import cpp_adapter as cpp
import cpp_answers as answers
import pytest

FACTS = cpp.facts("accessors")
ASKED = sorted({fact.group for fact in FACTS if cpp.reason_to_skip(fact) is None})


@pytest.mark.parametrize("group", ASKED)
def test_accessor(group):
    cpp.check([fact for fact in FACTS if fact.group == group], answers.of_group("accessors", group))
