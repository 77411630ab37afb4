"""Mappings: strides, span, traits and every offset, as C++ implementations have them."""

import cpp_adapter as cpp
import cpp_answers as answers
import pytest

FACTS = cpp.facts("mappings")


@pytest.mark.parametrize("group", cpp.groups("mappings"))
def test_mapping(group):
    cpp.check([fact for fact in FACTS if fact.group == group], answers.mapping)


def test_layout_stride_without_strides_is_the_default_mapping():
    defaults = [fact for fact in FACTS if fact.group == "ctor_default" and fact.given["layout"] == "stride"]
    assert defaults
    assert all("in_strides" not in fact.given for fact in defaults)
