"""mdview's answers to the questions that implementations of C++ mdspan were asked: a runner for each kind of question.

`ANSWERS` has, for each file of facts, the runner of each group. A runner gets what is given and returns the keys that
`data/cpp/SCHEMA.md` names, perhaps among others.
"""

from array import array
from collections.abc import Callable
from ctypes import addressof, c_char
from typing import Any

from mdview import CheckedAccessor, DefaultAccessor, Dim, Mapping, MDView, dim, subview
from mdview.accessors import AlignedAccessor
from mdview.conformance import answers as cpp
from mdview.conversions import Conversion, ExtentsKind, MappingKind, conversion, convert, kind_of, mandates
from mdview.errors import AccessorError, ReadOnlyError
from mdview.index.slices import ALL, canonical_slice
from mdview.mappings import submapping
from mdview.operations import conjugated, scaled, transposed

Runner = Callable[[dict[str, Any]], dict[str, Any]]

# --- mappings and subviews


def sliced(given):
    source = cpp.mapping(given["src"])
    mapping, offset = submapping(source, *[cpp.slice_spec(s) for s in given["slices"]])
    told = cpp.record(mapping)
    return {key: told[key] for key in PART if key in told} | {"offset": offset}


PART = ("layout", "padding", "static_extents", "extents", "strides", "span", "exhaustive")
"""What the facts tell about the mapping of a part."""


def canonical(given):
    (extent,) = cpp.extents(given["static"], given["extents"])
    found = canonical_slice(extent, cpp.slice_spec(given["slice"]))
    if found is ALL:
        return {"k": "full"}
    if isinstance(found, int):
        return {"k": "index", "value": flagged(found)}
    parts = {"offset": found.offset, "extent": found.extent, "stride": found.stride}
    return {"k": "extent_slice", **{name: flagged(value) for name, value in parts.items()}}


def flagged(value):
    return [int(value), type(value) is Dim]


# --- conversions and comparisons


def relation(kind):
    """How types convert and compare, and whether a conversion is there that does not compile."""

    def answer(given):
        broken = mandates(kind(given["from"]), kind(given["to"]))
        return cpp.relation(kind, given) | ({} if broken is None else {"mandates": "ill_formed"})

    return answer


# --- preconditions


def extents_from_values(given):
    cpp.extents_from(given["static"], given["values"])


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
    cpp.mapping(given)


def convert_values(given):
    source = cpp.mapping(given["from"])
    convert(source, cpp.answered_target(source, given))


def mapping_call(given):
    cpp.mapping(given)(*given["index"])


SOME_EXTENTS = (3, 4)
"""Where a question of rank 2 names none."""


def stride_rank(given):
    Mapping(SOME_EXTENTS, cpp.layout(given)).stride(given["r"])


def extent_rank(given):
    Mapping(SOME_EXTENTS).extent(given["r"])


def mdspan_subscript(given):
    """Nothing wraps in C++, so the access is the one that refuses negative indices."""
    extents = tuple(given["extents"])
    view = MDView(list(range(Mapping(extents).size)), extents, accessor=CheckedAccessor())
    view[tuple(given["index"])]


def sliced_only(given):
    submapping(cpp.mapping({"layout": "right", **given}), *[cpp.slice_spec(s) for s in given["slices"]])


PRECONDITIONS = {
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
    "submdspan": sliced_only,
}


def validity(given):
    """What is not refused is valid; the adapter compares the class of what is raised."""
    PRECONDITIONS[given["what"]](given)
    return {"valid": True}


# --- accessors and linear algebra

FORMATS = {"char": "b", "short": "h", "int": "i", "unsigned": "I", "float": "f", "double": "d"}


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
    part = subview(aligned_view(given["element"], given["align"], SOME_EXTENTS), ALL, ALL)
    return {"is_default": part.accessor == DefaultAccessor()}


def mdspan_default_constructible(given):
    """A null view, with the layout of the type: its dynamic extents are 0, the static ones what they are."""
    static = tuple([0 if s is None else dim(s) for s in given["static"]])
    view = MDView.from_mapping(None, Mapping(static, cpp.layout(given)))
    return {"ok": view.data is None and view.static_extents == tuple(given["static"])}


def mdspan_from_ints(given):
    """Whether so many integers make extents of a type is a question of types."""
    integers, wanted = ExtentsKind((None,) * given["n_ints"]), ExtentsKind(tuple(given["static"]))
    return {"ok": conversion(integers, wanted) is not Conversion.NONE}


def linalg_transposed(given):
    source = cpp.mapping(given["from"])
    view = transposed(MDView.from_mapping([0] * source.required_span_size, source))
    assert view.mapping == transposed(source)
    return cpp.record(view.mapping)


def linalg_scaled(given):
    view = scaled(given["factor"], MDView(list(given["data"]), tuple(given["extents"])))
    return {
        "values": cpp.element_values(view),
        "const_element": kind_of(view).accessor.const,
        "reference_is_value": isinstance(view[(0,) * view.rank], int),
        "assignable": assignable(view),
    }


def linalg_scaled_nested(given):
    view = MDView(list(given["data"]), tuple(given["extents"]))
    for factor in reversed(given["factors"]):
        view = scaled(factor, view)
    return {"values": cpp.element_values(view), "nesting": nesting(kind_of(view.accessor))}


def linalg_conjugated(given):
    view = MDView([complex(*pair) for pair in given["data"]], tuple(given["extents"]))
    result = conjugated(view)
    return {
        "values": cpp.element_values(result),
        "const_element": kind_of(result).accessor.const,
        "double_conj_unwraps_to_nested": conjugated(result).accessor == view.accessor,
    }


def linalg_conjugated_real(_given):
    view = MDView(array("d", [1, 2, 3]), (3,))
    result = conjugated(view)
    return {"values": cpp.element_values(result), "same_accessor": result.accessor == view.accessor}


def assignable(view):
    try:
        view[(0,) * view.rank] = 1
    except ReadOnlyError:
        return False
    return True


def nesting(kind):
    return kind.policy if kind.inner is None else f"{kind.policy}<{nesting(kind.inner)}>"


# --- all of them


def of_group(file, group):
    """Runner of a group of facts."""
    runners = ANSWERS[file]
    return runners if callable(runners) else runners[group]


def subviews_or_slices(given):
    return canonical(given) if given["grp"] == "canonical_slices" else sliced(given)


ANSWERS = {
    "mappings": cpp.ANSWERS["mapping"],
    "submdspan": subviews_or_slices,
    "conversions": {
        "extents": relation(cpp.answered_extents),
        "mapping": relation(cpp.mapping_kind),
        **{kind: cpp.ANSWERS[kind] for kind in ("value_convert", "value_equal", "extents_equal")},
    },
    "preconditions": validity,
    "accessors": {
        **{kind: cpp.ANSWERS[kind] for kind in ("accessor_conv", "accessor_conv_cccl", "mdspan_conv")},
        "aligned_wellformed": aligned_wellformed,
        "submdspan_accessor": submdspan_accessor,
        "mdspan_default_constructible": mdspan_default_constructible,
        "mdspan_from_ints": mdspan_from_ints,
        "linalg_transposed_mapping": cpp.transposed_mapping,
        "linalg_transposed": linalg_transposed,
        "linalg_scaled": linalg_scaled,
        "linalg_scaled_nested": linalg_scaled_nested,
        "linalg_conjugated": linalg_conjugated,
        "linalg_conjugated_real": linalg_conjugated_real,
    },
}
"""For each file of facts its runner, or one for each group that is asked."""
