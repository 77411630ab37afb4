"""mdview's answers to the kinds of questions that implementations of mdspan are asked."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from itertools import product
from typing import Any, Final

from mdview import Mapping, MDView, subview
from mdview.conformance import objects
from mdview.conversions import Conversion, MappingKind, comparable, conversion, convert, kind_of, mandates
from mdview.errors import ConversionError, MDViewError
from mdview.index.extents import static_extents
from mdview.layouts import LayoutTranspose
from mdview.mappings import submapping
from mdview.operations import conjugate_transposed, conjugated, scaled, transposed
from mdview.polymorphic import fill_dimensions

Given = dict[str, Any]
Answer = dict[str, Any]
Runner = Callable[[Given], Answer]

FIRST_IMAGINARY: Final = 3
FIRST_STORED: Final = 1000


def mapping(given: Given) -> Answer:
    """All of a mapping."""
    return objects.record(objects.mapping(given))


def of_types(source: Any, target: Any) -> Answer:
    """Conversion and comparison of two types."""
    broken = mandates(source, target)
    return {
        "conv": conversion(source, target).value,
        "eq": comparable(source, target),
        **({} if broken is None else {"mandates": "ill_formed"}),
    }


def extents_types(given: Given) -> Answer:
    """Relation of two types of extents."""
    return of_types(objects.extents_kind(given["from"]), objects.extents_kind(given["to"]))


def mapping_types(given: Given) -> Answer:
    """Relation of two types of mappings."""
    return of_types(objects.mapping_kind(given["from"]), objects.mapping_kind(given["to"]))


def value_convert(given: Given) -> Answer:
    """A mapping that is converted."""
    source = objects.mapping(given["from"])
    target = target_kind(source, given)
    if conversion(source, target) is Conversion.NONE:
        return {"ill_formed": refused(source, target)}
    return objects.record(convert(source, target))


def target_kind(source: Mapping[Any, Any], given: Given) -> MappingKind[Any]:
    """Kind to convert to; where both sides have one index type, it is that of mdview's values on both."""
    of_source, of_target = [given[side].get("index", "int32") for side in ("from", "to")]
    index = kind_of(source).extents.index_type if of_source == of_target else of_target
    return objects.mapping_kind(given["to"] | {"index": index})


def refused(source: Mapping[Any, Any], target: MappingKind[Any]) -> bool:
    """Tell whether `convert` does as `conversion` says."""
    try:
        convert(source, target)
    except ConversionError:
        return True
    return False


def value_equal(given: Given) -> Answer:
    """Equality of mappings, both ways."""
    a, b = objects.mapping(given["a"]), objects.mapping(given["b"])
    return {"equal": a == b, "equal_rev": b == a}


def extents_equal(given: Given) -> Answer:
    """Equality of extents."""
    a, b = (objects.extents(side["static"], side["extents"]) for side in (given["a"], given["b"]))
    return {"equal": a == b}


def extents_from(static: list[int | None], values: list[int]) -> tuple[int, ...]:
    """C++ takes all extents, which `convert` checks, or the dynamic ones alone, as views of P0009r00 do."""
    if len(values) == static.count(None) < len(static):
        return fill_dimensions(static, *values)
    return convert(tuple(values), objects.pattern(static))


def accessor_conv(given: Given) -> Answer:
    """Conversion of accessors."""
    return {"conv": conversion(objects.accessor_kind(given["from"]), objects.accessor_kind(given["to"])).value}


def mdspan_conv(given: Given) -> Answer:
    """Conversion of types of views."""
    return {"conv": conversion(objects.view_kind(given["from"]), objects.view_kind(given["to"])).value}


def linalg_transposed_mapping(given: Given) -> Answer:
    """The mapping of a transposed layout."""
    nested = objects.mapping(given["nested"])
    return objects.record(Mapping(nested.extents[::-1], LayoutTranspose(nested.layout)))


def pairs(view: Any) -> list[list[float]]:
    """Real and imaginary parts of the elements of a view."""
    return [[number.real, number.imag] for number in objects.values(view)]


def ranks(found: tuple[int, ...]) -> dict[str, Any]:
    """Everything that extents tell."""
    static = static_extents(found)
    return {
        "static_extents": list(static),
        "extents": [int(e) for e in found],
        "rank": len(found),
        "rank_dynamic": static.count(None),
    }


def extents_from_values(given: Given) -> Answer:
    """Extents of a type, made from numbers."""
    return ranks(extents_from(given["static"], given["values"]))


def extents_convert(given: Given) -> Answer:
    """Extents that are converted."""
    source = given["from"]
    return ranks(convert(objects.extents(source["static"], source["extents"]), objects.pattern(given["to"]["static"])))


def submdspan(given: Given) -> Answer:
    """A part of a mapping and its offset, and how far the same part of a view lies from where the view begins."""
    source = objects.mapping(given["src"])
    slices = [objects.slice_spec(s) for s in given["slices"]]
    mapping, offset = submapping(source, *slices)
    view = MDView.from_mapping([0] * source.required_span_size, source)
    return {**objects.record(mapping), "offset": offset, "shift": subview(view, *slices).origin}


def data(given: Given, span: int) -> list[Any]:
    """Elements of a view, as `fill` of `answers.hpp` makes them."""
    elements = [(k * given["factor"] + 7) % 101 for k in range(span)]
    if "complex" in given.get("element", ""):
        return [complex(element, k + FIRST_IMAGINARY) for k, element in enumerate(elements)]
    return elements


def view(given: Given) -> Answer:
    """Elements of a view, before and after stores."""
    m = objects.mapping(given)
    v = MDView.from_mapping(data(given, m.required_span_size), m)
    told = {
        **ranks(v.extents),
        "size": v.size,
        "empty": v.size == 0,
        "strides": v.strides,
        "unique": v.is_unique,
        "strided": v.is_strided,
        "elements": objects.values(v),
    }
    for k, index in enumerate(product(*map(range, v.extents))):
        v[index] = FIRST_STORED + k
    return {**told, "stored": list(v.data)}


def matrix(given: Given) -> MDView[Any, Any, Any, Any]:
    """View of the elements that a question of linear algebra is about."""
    m = objects.mapping(given["from"])
    return MDView.from_mapping(data(given, m.required_span_size), m)


def on_transposed(given: Given) -> Answer:
    """A transposed view."""
    result = transposed(matrix(given))
    return {**objects.record(result.mapping), "values": objects.values(result)}


def on_scaled(given: Given) -> Answer:
    """A scaled view, and one that is scaled twice."""
    (factor,) = given["more"]
    once = scaled(factor, matrix(given))
    return {
        "values": objects.values(once),
        "twice": objects.values(scaled(factor, once)),
        "const_element": kind_of(once).accessor.const,
        "reference_is_value": all(isinstance(element, int) for element in objects.values(once)),
    }


def on_conjugated(given: Given) -> Answer:
    """A conjugated view."""
    source = matrix(given)
    result = conjugated(source)
    return {
        "values": pairs(result),
        "const_element": kind_of(result).accessor.const,
        "double_conj_unwraps_to_nested": conjugated(result).accessor == source.accessor,
    }


def on_conjugated_real(given: Given) -> Answer:
    """A conjugated view of real numbers, which is itself."""
    m = objects.mapping(given["from"])
    source = MDView.from_mapping(memoryview(array("d", data(given, m.required_span_size))), m)
    result = conjugated(source)
    return {"values": objects.values(result), "same_accessor": result.accessor == source.accessor}


def on_conjugate_transposed(given: Given) -> Answer:
    """A transposed and conjugated view."""
    result = conjugate_transposed(matrix(given))
    return {
        **objects.record(result.mapping),
        "values": pairs(result),
        "const_element": kind_of(result).accessor.const,
    }


def precondition(given: Given) -> Answer:
    """Whether a program stops: where the draft forbids what it does."""
    return {"stops": not given["valid"]}


ANSWERS: Final[dict[str, Runner]] = {
    "extents": extents_types,
    "extents_from_values": extents_from_values,
    "extents_convert": extents_convert,
    "extents_equal": extents_equal,
    "ctor_default": mapping,
    "mapping": mapping,
    "mapping_type": mapping_types,
    "value_convert": value_convert,
    "value_equal": value_equal,
    "view": view,
    "mdspan_conv": mdspan_conv,
    "accessor_conv": accessor_conv,
    "accessor_conv_cccl": accessor_conv,
    "submdspan": submdspan,
    "preconditions": precondition,
    "linalg_transposed_mapping": linalg_transposed_mapping,
    "live_transposed": on_transposed,
    "live_scaled": on_scaled,
    "live_conjugated": on_conjugated,
    "live_conjugated_real": on_conjugated_real,
    "live_conjugate_transposed": on_conjugate_transposed,
}
"""For each kind of question its runner."""


def answer(kind: str, given: Given) -> Answer:
    """Answer of mdview to a question; an error is an answer, too."""
    try:
        told = ANSWERS[kind](given)
    except MDViewError as error:
        return {"raises": f"{type(error).__name__}: {error}"}
    return {key: value for key, value in told.items() if key != "mandates"}  # which no trait of C++ tells
