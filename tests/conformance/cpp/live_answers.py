"""mdview's answers to the kinds of questions that compilers are asked here: those of the facts, and a few more."""

from itertools import product
from typing import Any

import cpp_adapter as cpp
import cpp_answers as answers

from mdview import MDView, subview
from mdview.conversions import convert, kind_of
from mdview.index.extents import static_extents
from mdview.mappings import submapping
from mdview.operations import conjugate_transposed, conjugated, scaled, transposed

FIRST_IMAGINARY = 3
FIRST_STORED = 1000


def ranks(found: tuple[int, ...]) -> dict[str, Any]:
    """Everything that extents tell."""
    static = static_extents(found)
    return {
        "static_extents": list(static),
        "extents": [int(e) for e in found],
        "rank": len(found),
        "rank_dynamic": static.count(None),
    }


def extents_from_values(given):
    return ranks(answers.extents_from(given["static"], given["values"]))


def extents_convert(given):
    source = given["from"]
    return ranks(convert(cpp.extents(source["static"], source["extents"]), cpp.pattern(given["to"]["static"])))


def submdspan(given):
    """A part of a mapping and its offset, and how far the same part of a view lies from where the view begins."""
    source = cpp.mapping(given["src"])
    slices = [cpp.slice_spec(s) for s in given["slices"]]
    mapping, offset = submapping(source, *slices)
    view = MDView.from_mapping([0] * source.required_span_size, source)
    return {**cpp.record(mapping), "offset": offset, "shift": subview(view, *slices).origin}


def data(given, span):
    """Elements of a view, as `fill` of `answers.hpp` makes them."""
    elements = [(k * given["factor"] + 7) % 101 for k in range(span)]
    if "complex" in given.get("element", ""):
        return [complex(element, k + FIRST_IMAGINARY) for k, element in enumerate(elements)]
    return elements


def view(given):
    m = cpp.mapping(given)
    v = MDView.from_mapping(data(given, m.required_span_size), m)
    told = {
        **ranks(v.extents),
        "size": v.size,
        "empty": v.size == 0,
        "strides": v.strides,
        "unique": v.is_unique,
        "strided": v.is_strided,
        "elements": cpp.values(v),
    }
    for k, index in enumerate(product(*map(range, v.extents))):
        v[index] = FIRST_STORED + k
    return {**told, "stored": list(v.data)}


def matrix(given):
    m = cpp.mapping(given["from"])
    return MDView.from_mapping(data(given, m.required_span_size), m)


def on_transposed(given):
    result = transposed(matrix(given))
    return {**cpp.record(result.mapping), "values": cpp.values(result)}


def on_scaled(given):
    (factor,) = given["more"]
    once = scaled(factor, matrix(given))
    return {
        "values": cpp.values(once),
        "twice": cpp.values(scaled(factor, once)),
        "const_element": kind_of(once).accessor.const,
        "reference_is_value": all(isinstance(element, int) for element in cpp.values(once)),
    }


def on_conjugated(given):
    source = matrix(given)
    result = conjugated(source)
    return {
        "values": answers.pairs(result),
        "const_element": kind_of(result).accessor.const,
        "double_conj_unwraps_to_nested": conjugated(result).accessor == source.accessor,
    }


def on_conjugated_real(given):
    m = cpp.mapping(given["from"])
    source = MDView.from_mapping(memoryview(answers.array("d", data(given, m.required_span_size))), m)
    result = conjugated(source)
    return {"values": cpp.values(result), "same_accessor": result.accessor == source.accessor}


def on_conjugate_transposed(given):
    result = conjugate_transposed(matrix(given))
    return {
        **cpp.record(result.mapping),
        "values": answers.pairs(result),
        "const_element": kind_of(result).accessor.const,
    }


ANSWERS: dict[str, answers.Runner] = {
    "extents": answers.extents_types,
    "extents_from_values": extents_from_values,
    "extents_convert": extents_convert,
    "extents_equal": answers.extents_equal,
    "ctor_default": answers.mapping,
    "mapping": answers.mapping,
    "mapping_type": answers.mapping_types,
    "value_convert": answers.value_convert,
    "value_equal": answers.value_equal,
    "view": view,
    "mdspan_conv": answers.mdspan_conv,
    "accessor_conv": answers.accessor_conv,
    "accessor_conv_cccl": answers.accessor_conv,
    "submdspan": submdspan,
    "linalg_transposed_mapping": answers.linalg_transposed_mapping,
    "live_transposed": on_transposed,
    "live_scaled": on_scaled,
    "live_conjugated": on_conjugated,
    "live_conjugated_real": on_conjugated_real,
    "live_conjugate_transposed": on_conjugate_transposed,
}
"""For each kind of question its runner."""
