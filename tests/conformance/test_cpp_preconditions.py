"""Preconditions: what the draft forbids raises, what it allows does not."""

import cpp_adapter as cpp
import cpp_answers as answers
import pytest

FACTS = cpp.facts("preconditions")


@pytest.mark.parametrize("group", cpp.groups("preconditions"))
def test_precondition(group):
    cpp.check([fact for fact in FACTS if fact.group == group], answers.validity)
