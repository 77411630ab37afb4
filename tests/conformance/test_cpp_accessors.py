"""Accessors: which convert to which, alone and inside views, and what linear algebra's views load."""

from array import array
from ctypes import addressof, c_char

import cpp_adapter as cpp
import pytest

from mdview.accessors.base import Writable
from mdview.accessors.default import DefaultAccessor
from mdview.accessors.hints import AlignedAccessor
from mdview.conversions import conversion, convert, kind_of
from mdview.errors import AccessorError, MDViewError, ReadOnlyError
from mdview.layouts.transpose import LayoutTranspose
from mdview.linalg import conjugate_transposed, conjugated, scaled, transposed
from mdview.mapping import Mapping
from mdview.slices import ALL
from mdview.subviews import subview
from mdview.view import MDView

FACTS = cpp.facts("accessors")
FORMATS = {"char": "b", "short": "h", "int": "i", "unsigned": "I", "float": "f", "double": "d"}


def accessor_conv(given):
    return {"conv": conversion(cpp.accessor_kind(given["from"]), cpp.accessor_kind(given["to"])).value}


def mdspan_conv(given):
    return {"conv": conversion(cpp.view_kind(given["from"]), cpp.view_kind(given["to"])).value}


def aligned_view(element, alignment, extents):
    """View of memory that begins at a multiple of the alignment, under an accessor that promises it."""
    size = Mapping(extents).size * array(FORMATS[element]).itemsize
    memory = bytearray(size + alignment)
    start = -addressof(c_char.from_buffer(memory)) % alignment
    data = memoryview(memory)[start : start + size].cast(FORMATS[element])
    return MDView(data, extents, accessor=AlignedAccessor(alignment))


def aligned_wellformed(given):
    try:
        aligned_view(given["element"], given["align"], (4,))
    except AccessorError:
        return {"ill_formed": True}
    return {"ok": True}


def submdspan_accessor(given):
    part = subview(aligned_view(given["element"], given["align"], (3, 4)), ALL, ALL)
    return {"is_default": part.accessor == DefaultAccessor()}


def mdspan_default_constructible(given):
    default = cpp.mapping({"static": given["static"], "layout": given["layout"]})
    view = MDView(None, default.extents, default.layout)
    return {"ok": view.data is None and view.extents == default.extents}


def mdspan_from_ints(given):
    static, count = given["static"], given["n_ints"]
    ints = [7] * count if count == static.count(None) else [s or 7 for s in static][:count]
    try:
        extents = convert(cpp.all_extents(static, ints), cpp.pattern(static))
        view = MDView([0] * Mapping(extents).size, extents)
    except MDViewError:
        return {"ok": False}
    return {"ok": view.static_extents == tuple(static)}


def linalg_transposed_mapping(given):
    nested = cpp.mapping(given["nested"])
    return cpp.record(Mapping(nested.extents[::-1], LayoutTranspose(nested.layout)))


def linalg_transposed(given):
    source = cpp.mapping(given["from"])
    view = transposed(MDView.from_mapping([0] * source.required_span_size, source))
    assert view.mapping == transposed(source)
    return cpp.record(view.mapping)


def linalg_scaled(given):
    view = scaled(given["factor"], MDView(list(given["data"]), tuple(given["extents"])))
    return {
        "values": cpp.values(view),
        "const_element": kind_of(view).accessor.const,
        "reference_is_value": isinstance(view[(0,) * view.rank], int),
        "assignable": assignable(view),
    }


def linalg_scaled_nested(given):
    view = MDView(list(given["data"]), tuple(given["extents"]))
    for factor in reversed(given["factors"]):
        view = scaled(factor, view)
    return {"values": cpp.values(view), "nesting": nesting(kind_of(view.accessor))}


def linalg_conjugated(given):
    view = MDView([complex(*pair) for pair in given["data"]], tuple(given["extents"]))
    result = conjugated(view)
    return {
        "values": pairs(result),
        "const_element": kind_of(result).accessor.const,
        "double_conj_unwraps_to_nested": conjugated(result).accessor == view.accessor,
    }


def linalg_conjugated_real(_given):
    view = MDView(array("d", [1, 2, 3]), (3,))
    result = conjugated(view)
    return {"values": cpp.values(result), "same_accessor": result.accessor == view.accessor}


def linalg_conjugate_transposed(given):
    view = MDView([complex(*pair) for pair in given["data"]], tuple(given["extents"]))
    result = conjugate_transposed(view)
    return {**cpp.record(result.mapping), "values": pairs(result), "const_element": kind_of(result).accessor.const}


def pairs(view):
    return [[number.real, number.imag] for number in cpp.values(view)]


def assignable(view):
    try:
        view[(0,) * view.rank] = 1
    except ReadOnlyError:
        return isinstance(view.accessor, Writable)
    return True


def nesting(kind):
    return kind.policy if kind.inner is None else f"{kind.policy}<{nesting(kind.inner)}>"


ANSWERS = {
    "accessor_conv": accessor_conv,
    "accessor_conv_cccl": accessor_conv,
    "mdspan_conv": mdspan_conv,
    "aligned_wellformed": aligned_wellformed,
    "submdspan_accessor": submdspan_accessor,
    "mdspan_default_constructible": mdspan_default_constructible,
    "mdspan_from_ints": mdspan_from_ints,
    "linalg_transposed_mapping": linalg_transposed_mapping,
    "linalg_transposed": linalg_transposed,
    "linalg_scaled": linalg_scaled,
    "linalg_scaled_nested": linalg_scaled_nested,
    "linalg_conjugated": linalg_conjugated,
    "linalg_conjugated_real": linalg_conjugated_real,
    "linalg_conjugate_transposed": linalg_conjugate_transposed,
}
SKIPPED = {"accessor_types", "default_wellformed"}


@pytest.mark.parametrize("group", sorted(set(cpp.groups("accessors")) - SKIPPED))
def test_accessor(group):
    cpp.check([fact for fact in FACTS if fact.group == group], ANSWERS[group])
