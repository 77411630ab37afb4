"""Conversions and comparisons of extents and mappings, of types and of values."""

import cpp_adapter as cpp
import pytest

from mdview.conversions import Conversion, comparable, conversion, convert, mandates
from mdview.errors import ConversionError

FACTS = cpp.facts("conversions")


def of_types(source, target):
    broken = mandates(source, target)
    return {
        "conv": conversion(source, target).value,
        "eq": comparable(source, target),
        **({} if broken is None else {"mandates": "ill_formed"}),
    }


def extents(given):
    return of_types(cpp.extents_kind(given["from"]), cpp.extents_kind(given["to"]))


def mapping(given):
    return of_types(cpp.mapping_kind(given["from"]), cpp.mapping_kind(given["to"]))


def value_convert(given):
    source, target = cpp.mapping(given["from"]), cpp.mapping_kind(with_wide_index(given["to"]))
    if conversion(source, target) is Conversion.NONE:
        with pytest.raises(ConversionError):
            convert(source, target)
        return {"ill_formed": True}
    return cpp.record(convert(source, target))


def value_equal(given):
    a, b = cpp.mapping(given["a"]), cpp.mapping(given["b"])
    return {"equal": a == b, "equal_rev": b == a}


def extents_equal(given):
    a, b = (cpp.extents(side["static"], side["extents"]) for side in (given["a"], given["b"]))
    return {"equal": a == b}


def with_wide_index(description):
    """Values of mdview count with Python's integers; where a fact names no index type, none is meant."""
    return {"index": "int64", **description}


ANSWERS = {
    "extents": extents,
    "mapping": mapping,
    "value_convert": value_convert,
    "value_equal": value_equal,
    "extents_equal": extents_equal,
}


@pytest.mark.parametrize("group", cpp.groups("conversions"))
def test_conversion(group):
    cpp.check([fact for fact in FACTS if fact.group == group], ANSWERS[group])


def test_mandates_are_broken_exactly_where_the_facts_say_so():
    types = [fact for fact in FACTS if fact.group == "mapping"]
    wrong = [fact.id for fact in types if ("mandates" in mapping(fact.given)) != ("mandates" in fact.expected)]
    assert not wrong
