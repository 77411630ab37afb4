"""Where an implementation departs from the C++26 draft, and so from mdview: what it answers instead.

Each departure is a model: from mdview's answer it makes the implementation's. A comparison holds only if the answers
are then the same, so a departure that is repaired upstream, or that is described inexactly, fails.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

from mdview.conformance import answers, questions
from mdview.conformance.corpus import Question

Answer = dict[str, Any]
Model = Callable[[Question, Answer], Answer]

BOTH = ("libc++", "CCCL")


@dataclass(frozen=True)
class Departure:
    """What implementations answer otherwise, what mdview does, and the model of their answer."""

    name: str
    implementations: tuple[str, ...]
    features: tuple[str, ...]
    theirs: str
    mdviews: str
    instead: Model


# --- traits ----------------------------------------------------------------------------------------------------------


def exhaustive_by_largest_stride(question, answer):
    """LWG 4266 not applied: over an empty space the largest stride decides, and no type is always exhaustive."""
    layout, extents, strides = answer.get("layout"), answer.get("extents"), answer.get("strides")
    if layout == "transpose":
        layout, extents, strides = question.source["layout"], extents[::-1], strides[::-1]
    if layout != "stride" or "exhaustive" not in answer:
        return answer
    found = {**answer, "always_exhaustive": False}
    return {**found, "exhaustive": _older_rule(extents, strides)} if 0 in extents else found


def _older_rule(extents, strides):
    if len(extents) == 1:
        return strides[0] == 1
    largest = strides.index(max(strides))
    return all(e != 0 for r, e in enumerate(extents) if r != largest)


def relaxed_traits_are_constants(question, answer):
    """Nothing is unique, exhaustive or always strided; what has an offset is not strided."""
    layout = answer.get("layout", question.given.get("layout"))
    if layout != questions.RELAXED or "unique" not in answer:
        return answer
    offset = answer.get("offset", question.given.get("offset"))
    never = ("unique", "exhaustive", "always_unique", "always_exhaustive", "always_strided")
    return {**answer, **{trait: False for trait in never if trait in answer}, "strided": offset == 0}


# --- conversions -----------------------------------------------------------------------------------------------------


def rank_0_stride_is_implicit(question, answer):
    """LWG 4272 not applied: at rank 0 a strided mapping becomes left or right of any index type."""
    source, target = question.given["from"], question.given["to"]
    if "layout" not in source or source["static"] or (source["layout"], target["layout"]) not in STRIDE_TO_DENSE:
        return answer
    return {**answer, "conv": "implicit"}


STRIDE_TO_DENSE = {("stride", layout) for layout in questions.DENSE}


def no_comparison_through_conversion(question, answer):
    """Left does not compare with right where all extents are static, although one side may convert to the other."""
    source, target = question.given["from"], question.given["to"]
    if None in source["static"] + target["static"] or {source.get("layout"), target.get("layout")} != set(
        questions.DENSE
    ):
        return answer
    return {**answer, "eq": False}


def aligned_to_default_reversed(question, answer):
    """The conversion of aligned to default accessors asks whether the target's elements convert to the source's."""
    source, target = question.given["from"], question.given["to"]
    if not source.get("align") or target.get("align") or "restrict" in target.get("accessor", "default"):
        return answer
    swapped = {
        "from": {**source, "element": _constness(source["element"], target["element"])},
        "to": {**target, "element": _constness(target["element"], source["element"])},
    }
    kind = answers.view_kind if "layout" in source else answers.answered_accessor
    return {**answer, **answers.relation(kind, swapped)}


def _constness(element, like):
    return ("const " if like.startswith("const ") else "") + element.removeprefix("const ")


# --- subviews --------------------------------------------------------------------------------------------------------


def keeps_layout(question):
    """Tell whether CCCL keeps the layout: all slices but the last are full and that is one of stride 1."""
    source, slices = question.given["src"], question.given["slices"]
    if source["layout"] == "stride" or all(s["k"] == "i" for s in slices):
        return True
    return all(s["k"] == "f" for s in slices[:-1]) and slices[-1]["k"] in {"f", "r"}


def strided_instead(question, answer):
    """Return the same elements as layout_stride."""
    source = answers.mapping(question.given["src"])
    strides = [
        step * (s["t"] if s["k"] == "s" and s["t"] < s["e"] else 1)
        for step, s in zip(source.strides, question.given["slices"], strict=True)
        if s["k"] != "i"
    ]
    dense = answer["span"] == prod(answer["extents"])
    always = 0 in answer["static_extents"]
    return {
        **_unpadded(answer),
        "layout": "stride",
        "strides": strides,
        "exhaustive": dense,
        "always_exhaustive": always,
    }


def _unpadded(answer):
    return {key: value for key, value in answer.items() if key != "padding"}


def no_padded_results(question, answer):
    """Return layout_stride where the draft has a padded layout."""
    if "padded" not in answer["layout"] or keeps_layout(question):
        return answer
    return strided_instead(question, answer)


def dense_not_kept(question, answer):
    """Return layout_stride where slices keep left or right."""
    if answer["layout"] not in questions.DENSE or keeps_layout(question):
        return answer
    return strided_instead(question, answer)


def right_is_repacked(question, answer):
    """Return layout_right of the smaller extents, which has other elements."""
    if answer["layout"] != "right_padded" or not keeps_layout(question):
        return answer
    extents = answer["extents"]
    size = prod(extents)
    return {
        **_unpadded(answer),
        "layout": "right",
        "strides": questions.dense(extents, "right"),
        "span": size,
        "exhaustive": True,
        "always_exhaustive": True,
        "offsets": list(range(size)),
    }


def past_the_end_by_result_rank(question, answer):
    """Look for slices at the end of their dimension among as many dimensions as the result has."""
    source, slices = question.given["src"], question.given["slices"]
    firsts = [s.get("v", s.get("b", s.get("o", 0))) for s in slices]
    seen = list(zip(firsts, source["extents"], strict=True))[: len(answer["extents"])]
    if any(first == extent for first, extent in seen):
        return answer
    steps = answers.mapping(source).strides
    offset = sum(first * step for first, step in zip(firsts, steps, strict=True))
    return {**answer, "offset": offset, "shift": offset}


MODELS = (
    Departure(
        "LWG 4272",
        BOTH,
        ("relations of mapping types",),
        "LWG 4272 is not applied: at rank 0, `layout_stride` converts implicitly to `layout_left` and `layout_right` "
        "of any index type.",
        "applies it: implicitly only where the extents convert implicitly",
        rank_0_stride_is_implicit,
    ),
    Departure(
        "left with right",
        ("CCCL",),
        ("relations of mapping types",),
        "`layout_left` and `layout_right` of static extents do not compare up to rank 1 where one of them converts "
        "implicitly to the other; of dynamic extents they do.",
        "`comparable` says yes, as libc++ does",
        no_comparison_through_conversion,
    ),
    Departure(
        "aligned to default, reversed",
        ("CCCL",),
        ("relations of accessors", "relations of view types"),
        "`aligned_accessor<T>` converts to `default_accessor<const T>` not at all, and one of `const T` converts to "
        "`default_accessor<T>`: the elements are asked in the wrong direction.",
        "adds `const` and never takes it away",
        aligned_to_default_reversed,
    ),
    Departure(
        "no padded results",
        ("CCCL",),
        ("subviews",),
        "`submdspan` has no padded layouts; the result is `layout_stride` with the same elements.",
        "returns `LayoutLeftPadded` or `LayoutRightPadded`",
        no_padded_results,
    ),
    Departure(
        "layout not kept",
        ("CCCL",),
        ("subviews",),
        "`submdspan` keeps left and right only where all slices but the last are full; where integers are beside "
        "them, as in `(int, full)` of right, the result is `layout_stride` with the same elements.",
        "returns `LayoutLeft` or `LayoutRight`",
        dense_not_kept,
    ),
    Departure(
        "wrong elements",
        ("CCCL",),
        ("subviews",),
        "`submdspan` of `layout_right` with a range in the last dimension, as in `(full, 1:3)`, is `layout_right` of "
        "the smaller extents: it reads elements outside the slice (NVIDIA/cccl#11520).",
        "returns `LayoutRightPadded` with the strides of the source",
        right_is_repacked,
    ),
    Departure(
        "past the end",
        ("CCCL",),
        ("subviews",),
        "Where a slice begins at the end of its dimension the offset is to be `required_span_size()`; only the first "
        "dimensions of the source, as many as the result has, are looked at.",
        "looks at every dimension that is not an integer",
        past_the_end_by_result_rank,
    ),
    Departure(
        "LWG 4266",
        BOTH,
        ("mappings", "conversions of mappings", "subviews", "linear algebra"),
        "LWG 4266 is not applied: `layout_stride` over an empty index space is exhaustive only if the empty dimension "
        "has the largest stride, and no type is always exhaustive.",
        "applies it: an empty index space is exhaustive, and rank 0 or a static extent 0 makes it always so",
        exhaustive_by_largest_stride,
    ),
    Departure(
        "constant traits",
        ("CCCL",),
        ("mappings", "conversions of mappings", "views"),
        "`layout_stride_relaxed` says that it is neither unique nor exhaustive, always, and that it is strided only "
        "where the offset is 0.",
        "computes the traits of `LayoutStrideRelaxed` exactly",
        relaxed_traits_are_constants,
    ),
)
"""All departures, in the order in which they change an answer."""


@dataclass(frozen=True)
class IllFormed:
    """What an implementation does not compile, and what it does compile instead."""

    name: str
    implementation: str
    theirs: str
    mdviews: str
    broken: str
    sound: str


RANK_1 = "md::layout_left::mapping<md::extents<std::int32_t, D>>"

ILL_FORMED = (
    IllFormed(
        "static strided_slice",
        "CCCL",
        "A `strided_slice` whose extent or stride is a compile-time constant does not compile.",
        "takes `dim(n)` in every part of a slice",
        f"submdspan<{RANK_1}, md::strided_slice<int, lib::integral_constant<int, 6>, lib::integral_constant<int, 2>>>",
        f"submdspan<{RANK_1}, md::strided_slice<int, int, int>>",
    ),
)
"""Programs that fail to compile; each is tried."""


def of(implementation, feature):
    """Departures of an implementation that show in a feature."""
    return tuple([each for each in MODELS if implementation in each.implementations and feature in each.features])
