"""Answers of mdview to each kind of question about mdspan, preconditions included, and the C++ code of a question.

A description becomes objects of mdview, or types and numbers of C++, so both sides answer the same question. In C++ a
question is the call of a template of `answers.hpp`; `data/questions.json` has the call for each kind.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Any, Final

import mdview as md
from mdview import Mapping, MDView, conversions, dim
from mdview.conformance.corpus import FORMS, Description, Question
from mdview.conversions import AccessorKind, ExtentsKind, MappingKind, ViewKind
from mdview.errors import ConversionError, MDViewError
from mdview.index.extents import static_extents
from mdview.layouts import LayoutTranspose
from mdview.mappings import submapping
from mdview.operations import conjugate_transposed, conjugated, scaled, transposed
from mdview.polymorphic import fill_dimensions

Runner = Callable[[Description], Description]

LAYOUTS: Final[dict[str, Any]] = {
    "stride_relaxed": md.LayoutStrideRelaxed,
    **{member.short_name: member for member in (md.LayoutLeft, md.LayoutRight, md.LayoutStride, LayoutTranspose)},
    **{member.short_name: member for member in (md.LayoutLeftPadded, md.LayoutRightPadded)},
}
NAMES: Final[dict[Any, str]] = {layout: name for name, layout in LAYOUTS.items()}
TRAITS: Final = ("unique", "exhaustive", "strided", "always_unique", "always_exhaustive", "always_strided")
SPACES: Final = {"host": "host", "device": "device", "managed": "managed", "shared_memory": "shared"}
SLICES: Final = {"i": "v", "f": "", "r": "be", "s": "oet", "x": "ont", "g": "bet"}
"""The keys of the numbers in the description of a slice, by the kind of the slice; each key is a letter."""
FIRST_IMAGINARY: Final = 3
FIRST_STORED: Final = 1000

# --- objects of descriptions -----------------------------------------------------------------------------------------


def extents(static: list[int | None], values: list[int]) -> tuple[int, ...]:
    """Return the extents ``values``; an extent is dynamic if the entry of ``static`` for its dimension is None."""
    return tuple([v if s is None else dim(s) for s, v in zip(static, values, strict=True)])


def pattern(static: list[int | None]) -> tuple[int | None, ...]:
    """Return the extents of a type: a `Dim` for each static extent, None for each dynamic extent."""
    return tuple([None if s is None else dim(s) for s in static])


def layout(description: Description) -> Any:
    """Return the layout of a mapping; a static padding takes precedence over the padding of the constructor."""
    name, padding = description["layout"], description.get("padding")
    strides: Any = description.get("strides", description.get("in_strides"))
    first: Any = description.get("offset", description.get("in_offset", 0))
    if name == "stride":
        return md.LayoutStride(strides)
    if name == "stride_relaxed":
        return md.LayoutStrideRelaxed(strides, first)
    argument = [description["in_padding"]] if "in_padding" in description else []
    return LAYOUTS[name](*argument if padding is None else [dim(padding)])


def mapping(description: Description) -> Mapping[Any, Any]:
    """Return the mapping of a description; the extents are dynamic by default."""
    values = description["extents"]
    return Mapping(extents(description.get("static", [None] * len(values)), values), layout(description))


def slice_numbers(s: Description) -> list[tuple[int | None, bool]]:
    """Return the numbers of a slice, each with a flag that is True for a compile-time constant.

    A missing number is None, with the flag True.
    """
    flags = [s.get("s" if key == "v" else f"s{key}", key not in s) for key in SLICES[s["k"]]]
    return [(s.get(key), bool(flag)) for key, flag in zip(SLICES[s["k"]], flags, strict=True)]


def slice_spec(s: Description) -> Any:
    """Return the slice of one dimension."""
    numbers = [dim(1 if n is None else n) if is_static else n for n, is_static in slice_numbers(s)]
    makers: dict[str, Any] = {"s": md.StridedSlice, "x": md.ExtentSlice, "g": md.RangeSlice, "f": lambda: md.ALL}
    return numbers[0] if s["k"] == "i" else makers.get(s["k"], lambda *pair: pair)(*numbers)


def answered_extents(description: Description) -> ExtentsKind:
    """Return the type of extents of a description."""
    return ExtentsKind(tuple(description["static"]), description.get("index", "int32"))


def mapping_kind(description: Description) -> MappingKind[Any]:
    """Return the type of a mapping of a description."""
    return MappingKind(LAYOUTS[description["layout"]], answered_extents(description), description.get("padding"))


def answered_accessor(description: Description) -> AccessorKind:
    """Return the type of an accessor.

    mdview represents CCCL's accessors for memory spaces by one policy with a parameter.
    """
    policy = description.get("accessor", "aligned" if description.get("align") else "default")
    name = "memory_space" if policy in SPACES else policy
    element, align = description["element"].removeprefix("const "), description.get("align")
    is_const = element != description["element"]
    return AccessorKind(policy=name, element=element, const=is_const, alignment=align, space=SPACES.get(policy))


def view_kind(description: Description) -> ViewKind:
    """Return the type of a view of a description."""
    return ViewKind(mapping_kind(description), answered_accessor(description))


# --- descriptions of objects -----------------------------------------------------------------------------------------


def record(m: Mapping[Any, Any]) -> Description:
    """Return the description of a mapping in the encoding of the facts; extents are plain integers."""
    name = NAMES[type(m.layout)]
    padding = int(m.layout.padding) if type(getattr(m.layout, "padding", None)) is md.Dim else None
    return {
        "layout": name,
        **({"padding": padding} if name.endswith("padded") else {}),
        **({"offset": m.origin} if name == "stride_relaxed" else {}),
        "static_extents": m.static_extents,
        "extents": [int(e) for e in m.extents],
        "strides": m.strides,
        "span": m.required_span_size,
        "offsets": list(m.offsets()),
        **{trait: getattr(m, f"is_{trait}") for trait in TRAITS},
    }


def ranks(dims: tuple[int, ...]) -> Description:
    """Return the description of extents in the encoding of the facts."""
    static = list(static_extents(dims))
    values = [int(e) for e in dims]
    return {"static_extents": static, "extents": values, "rank": len(dims), "rank_dynamic": static.count(None)}


def element_values(view: Any) -> list[Any]:
    """Return the elements of a view, last index fastest; a complex number is a list of real and imaginary part."""
    elements = [view[index] for index in product(*map(range, view.extents))]
    return [[number.real, number.imag] if isinstance(number, complex) else number for number in elements]


def filled(case: Description) -> MDView[Any, Any, Any, Any]:
    """Return a view with the elements that `fill` of `answers.hpp` stores."""
    m = mapping(case)
    elements: list[Any] = [(k * case["factor"] + 7) % 101 for k in range(m.required_span_size)]
    if "complex" in case["element"]:
        elements = [complex(element, k + FIRST_IMAGINARY) for k, element in enumerate(elements)]
    return MDView.from_mapping(array("d", elements) if case["element"] == "double" else elements, m)


# --- answers ---------------------------------------------------------------------------------------------------------


def relation(kind: Callable[[Description], Any], case: Description) -> Description:
    """Return the kind of the conversion between two types, and for extents and mappings whether they are comparable."""
    source, target = kind(case["from"]), kind(case["to"])
    told = {"conv": conversions.conversion(source, target).value}
    return told | ({"eq": conversions.comparable(source, target)} if kind in {answered_extents, mapping_kind} else {})


def value_convert(case: Description) -> Description:
    """Return the description of a converted mapping, or an answer that there is no conversion between the types."""
    source = mapping(case["from"])
    target = answered_target(source, case)
    try:
        return record(conversions.convert(source, target))
    except ConversionError:
        if conversions.conversion(source, target) is not conversions.Conversion.NONE:
            raise
        return {"ill_formed": True}


def answered_target(source: Mapping[Any, Any], case: Description) -> MappingKind[Any]:
    """Return the target type; if its index type is that of the source, it is replaced by the index type of mdview."""
    of_source, of_target = [case[side].get("index", "int32") for side in ("from", "to")]
    index = conversions.kind_of(source).extents.index_type if of_source == of_target else of_target
    return mapping_kind(case["to"] | {"index": index})


def value_equal(case: Description) -> Description:
    """Return the answers to ``a == b`` and ``b == a`` for two mappings."""
    a, b = mapping(case["a"]), mapping(case["b"])
    return {"equal": a == b, "equal_rev": b == a}


def extents_equal(case: Description) -> Description:
    """Return whether two extents are equal."""
    a, b = (extents(side["static"], side["extents"]) for side in (case["a"], case["b"]))
    return {"equal": a == b}


def extents_from(static: list[int | None], values: list[int]) -> tuple[int, ...]:
    """Return extents from the arguments of a C++ constructor: either all extents, or the dynamic extents alone."""
    if len(values) == static.count(None) < len(static):
        return fill_dimensions(static, *values)
    return conversions.convert(tuple(values), pattern(static))


def extents_convert(case: Description) -> Description:
    """Return the description of converted extents."""
    source = case["from"]
    return ranks(conversions.convert(extents(source["static"], source["extents"]), pattern(case["to"]["static"])))


def submdspan(case: Description) -> Description:
    """Return the description of a part of a mapping, its offset, and the origin of the same part of a view."""
    source, slices = mapping(case["src"]), [slice_spec(s) for s in case["slices"]]
    part, offset = submapping(source, *slices)
    view = MDView.from_mapping([0] * source.required_span_size, source)
    return {**record(part), "offset": offset, "shift": md.subview(view, *slices).origin}


def view(case: Description) -> Description:
    """Return the facts about a view, its elements, and its data after a store at each index."""
    v = filled(case)
    told = {"size": v.size, "empty": v.size == 0, "strides": v.strides, "unique": v.is_unique, "strided": v.is_strided}
    told |= {**ranks(v.extents), "elements": element_values(v)}
    for k, index in enumerate(product(*map(range, v.extents))):
        v[index] = FIRST_STORED + k
    return {**told, "stored": list(v.data)}


def transposed_mapping(case: Description) -> Description:
    """Return the description of the mapping of a transposed layout."""
    nested = mapping(case["nested"])
    return record(Mapping(nested.extents[::-1], LayoutTranspose(nested.layout)))


def linear_algebra(operation: Callable[..., Any], case: Description) -> Description:
    """Return mapping and elements of the result of an operation of linear algebra."""
    factors = [case["by"]] if "by" in case else []
    result = operation(*factors, filled(case))
    is_const = conversions.kind_of(result).accessor.const
    return {**record(result.mapping), "values": element_values(result), "const_element": is_const}


LINEAR_ALGEBRA: Final = (transposed, scaled, conjugated, conjugate_transposed)
ANSWERS: Final[dict[str, Runner]] = {
    **{run.__name__: run for run in (extents_convert, extents_equal, value_convert, value_equal, submdspan, view)},
    **{name: lambda case: record(mapping(case)) for name in ("mapping", "ctor_default")},
    **{name: partial(relation, answered_accessor) for name in ("accessor_conv", "accessor_conv_cccl")},
    **{verb.__name__: partial(linear_algebra, verb) for verb in LINEAR_ALGEBRA},
    "linalg_transposed_mapping": transposed_mapping,
    "extents": partial(relation, answered_extents),
    "extents_from_values": lambda case: ranks(extents_from(case["static"], case["values"])),
    "mapping_type": partial(relation, mapping_kind),
    "mdspan_conv": partial(relation, view_kind),
    "preconditions": lambda case: {"stops": not case["valid"]},
}
"""The function that answers a question, by the kind of the question."""


def answer(question: Question) -> Description:
    """Return mdview's answer to a question; an error is an answer, too."""
    try:
        return ANSWERS[question.kind](question.given)
    except MDViewError as error:
        return {"raises": f"{type(error).__name__}: {error}"}


# --- questions in C++ -----------------------------------------------------------------------------------------------

PRECONDITIONS: Final[dict[str, str]] = FORMS["preconditions"]
"""The kind of question with the same operation, by the name of each fact about preconditions."""
WRAPPERS: Final = ("restrict", "host", "device", "managed", "shared_memory")
"""Policies of CCCL, each of which is an accessor that wraps another accessor."""


def spelt(d: Description) -> dict[str, str]:
    """Return C++ code by name: the types of an object, its accessor and its view, and the constructor arguments."""
    index, numbers = f"std::{d.get('index', 'int32')}_t", ["D" if s is None else s for s in d.get("static", ())]
    texts = {"type": f"md::extents<{series([index, *numbers])}>"}
    more = [d[key] for key in ("offset", "in_padding") if key in d]
    texts["numbers"] = series([*d.get("extents", ()), *d.get("strides", ()), *more], " ")
    texts["accessor"] = spelt_accessor(d)
    if "layout" in d:
        steps = ["cuda::dynamic_stride" if s is None else s for s in d.get("static_strides", ())]
        strides = f", cuda::strides<{series(['std::int32_t', *steps])}>" if steps else ""
        texts["view"] = f"md::mdspan<{d.get('element')}, {texts['type']}, {spelt_layout(d)}, {spelt_accessor(d)}>"
        texts["type"] = f"{spelt_layout(d)}::mapping<{texts['type']}{strides}>"
    return texts


def spelt_layout(d: Description) -> str:
    """Return the C++ type of a layout."""
    name, padding = d["layout"], d.get("padding")
    if name in {"left_padded", "right_padded"}:
        return f"padded::layout_{name}<{'D' if padding is None else padding}>"
    return f"{'cuda' if name == 'stride_relaxed' else 'md'}::layout_{name}"


def spelt_accessor(d: Description) -> str:
    """Return the C++ type of an accessor."""
    element, policy = d.get("element"), d.get("accessor")
    if d.get("align"):
        return f"md::aligned_accessor<{element}, {d['align']}>"
    default = f"md::default_accessor<{element}>"
    return f"cuda::{policy}_accessor<{default}>" if policy in WRAPPERS else default


def spelt_slices(specs: Sequence[Description]) -> dict[str, str]:
    """Return, as texts, the C++ types of slices, and the numbers of the slices that are not constants."""
    numbers = list(map(slice_numbers, specs))
    types = [[f"lib::integral_constant<int, {n}>" if fixed else "int" for n, fixed in row] for row in numbers]
    texts = [FORMS["slices"][s["k"]].format(series(row)) for s, row in zip(specs, types, strict=True)]
    return {"type": series(texts), "numbers": series([n for row in numbers for n, fixed in row if not fixed], " ")}


def series(entries: Sequence[object], between: str = ", ") -> str:
    """Return the texts of entries, joined by a separator."""
    return between.join(map(str, entries))


def call(question: Question) -> tuple[str, str]:
    """Return the call of a template that asks a question, and the numbers that the template reads."""
    if question.kind == "preconditions":
        template, numbers = call(constructed(question.given))
        return f"stops<&{template}>", f"{len(numbers.split())} {numbers}"
    form, case = FORMS["kinds"][question.kind], question.given
    if "pairs" in form:
        return call_pairs(question.kind, [case["from"], case["to"]], form["pairs"]), ""
    names = {key: spelt(part) if isinstance(part, dict) else part for key, part in case.items()}
    names |= {key: series(case[key], " ") for key in ("values", "index") if isinstance(case.get(key), list)}
    names |= {
        "n": len(case.get("values", ())),
        "m": spelt({**case, **question.source}),
        "slices": spelt_slices(case.get("slices", ())),
    }
    return form["call"].format(**names), form["reads"].format(**names)


def call_pairs(kind: str, types: Sequence[Description], template: str = "") -> str:
    """Return the call of a template that asks about every pair of types."""
    form = FORMS["kinds"][kind]
    return f"{template or 'each_' + form['pairs']}<{series([spelt(side)[form['of']] for side in types])}>"


def constructed(case: Description) -> Question:
    """Return the question whose operation has the precondition of a fact.

    By default a mapping has the layout "right" and dynamic extents.
    """
    kind = PRECONDITIONS[case["what"]]
    if kind == "value_convert" and "layout" not in case["from"]:
        kind = "extents_convert"
    if "extents" in case:
        layout = "stride" if case["what"] == "layout_stride_ctor" else "right"
        case = {"layout": layout, "static": [None] * len(case["extents"]), **case}
    return Question(kind, case)
