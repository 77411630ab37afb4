"""Preconditions: what the draft forbids raises, what it allows does not."""

import cpp_adapter as cpp
import pytest

from mdview.accessors.checked import CheckedAccessor
from mdview.conversions import ExtentsKind, MappingKind, convert
from mdview.errors import MDViewError
from mdview.extents import as_extents
from mdview.mapping import Mapping
from mdview.subviews import submapping
from mdview.view import MDView

FACTS = cpp.facts("preconditions")


def extents_from_values(given):
    convert(cpp.all_extents(given["static"], given["values"]), cpp.pattern(given["static"]))


def extents_convert(given):
    source = given["from"]
    convert(cpp.extents(source["static"], source["extents"]), cpp.pattern(given["to"]["static"]))


def extents_index_narrowing(given):
    convert((given["value"],), ExtentsKind((None,), given["index"]))


def size_representable(given):
    source = cpp.mapping(given)
    convert(source, MappingKind(type(source.layout), ExtentsKind((None,) * source.rank, given["index"])))


def construct(given):
    layout = {"layout_stride_ctor": "stride", "layout_stride_relaxed_ctor": "stride_relaxed"}[given["what"]]
    cpp.mapping({**given, "layout": layout})


def padded_ctor(given):
    source = Mapping(as_extents(given["extents"]), cpp.layout({**given, "padding": None}))
    target = {**given, "static": [None] * source.rank, "index": "int64"}
    convert(source, cpp.mapping_kind(target))


def convert_values(given):
    convert(cpp.mapping(given["from"]), cpp.mapping_kind({"index": "int64", **given["to"]}))


def mapping_call(given):
    cpp.mapping(given)(*given["index"])


def stride_rank(given):
    Mapping((3, 4), cpp.layout(given)).stride(given["r"])


def extent_rank(given):
    Mapping((3, 4)).extent(given["r"])


def mdspan_subscript(given):
    extents = tuple(given["extents"])
    view = MDView(list(range(Mapping(extents).size)), extents, accessor=CheckedAccessor())
    view[tuple(given["index"])]


def submdspan(given):
    submapping(cpp.mapping({"layout": "right", **given}), *[cpp.slice_spec(s) for s in given["slices"]])


ACTIONS = {
    "extents_from_values": extents_from_values,
    "extents_convert": extents_convert,
    "extents_index_narrowing": extents_index_narrowing,
    "size_representable": size_representable,
    "layout_stride_ctor": construct,
    "layout_stride_relaxed_ctor": construct,
    "padded_ctor": padded_ctor,
    "convert": convert_values,
    "mapping_call": mapping_call,
    "stride_rank": stride_rank,
    "extent_rank": extent_rank,
    "mdspan_subscript": mdspan_subscript,
    "submdspan": submdspan,
}


def validity(given):
    try:
        ACTIONS[given["what"]](given)
    except MDViewError:
        return {"valid": False}
    return {"valid": True}


@pytest.mark.parametrize("group", cpp.groups("preconditions"))
def test_precondition(group):
    cpp.check([fact for fact in FACTS if fact.group == group], validity)
