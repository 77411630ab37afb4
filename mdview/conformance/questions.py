"""Random, repeatable questions about mdspan, drawn by feature, for C++ implementations and for mdview.

Types are drawn first, then many values of each type: a type costs compile time, a value does not.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from random import Random
from typing import Final, NamedTuple, final

from mdview import LayoutLeft, LayoutRight
from mdview.conformance import answers
from mdview.conformance.corpus import Description, Question, facts_of_file

INDEX_TYPES: Final = ("int8", "int16", "int32", "int64", "uint8", "uint32", "uint64")
RANKS: Final = (0, 1, 1, 2, 2, 2, 3, 3, 4)
LARGEST: Final = (0, 9, 6, 4, 3)
"""The largest extent by rank: all offsets stay below 127, so that they fit 8-bit index types."""
MOST_8_BIT: Final = 127
RELAXED: Final = "stride_relaxed"
DENSE: Final = ("left", "right")
PLAIN: Final = (*DENSE, "stride")
PADDED: Final = ("left_padded", "right_padded")
ELEMENTS: Final = ("int", "const int", "double", "const double")
FACTORS: Final = (3, 7, 11)
DRAWS: Final = 8
STRIDED: Final = {"strided_slice": "s", "extent_slice": "x"}
"""The kind of the slice with strides, by the feature that offers it: in drafts before 2026, and in C++26."""


@final
class Query(NamedTuple):
    """A call of a template of `answers.hpp`, the numbers that it reads, and the questions that its output answers."""

    template: str
    numbers: str
    questions: tuple[Question, ...]


def ask(kind: str, case: Description) -> Query:
    """Return the query of one question."""
    question = Question(kind, case)
    return Query(*answers.call(question), (question,))


def ask_pairs(kind: str, types: Sequence[Description]) -> Query:
    """Return the query of the questions about every pair of types."""
    pairs = [Question(kind, {"from": a, "to": b}) for a, b in product(types, repeat=2)]
    return Query(answers.call_pairs(kind, types), "", tuple(pairs))


def distinct(count: int, make: Callable[..., Description], *args: object) -> list[Description]:
    """Return up to ``count`` different types out of ``DRAWS * count`` types that ``make`` draws."""
    drawn = [make(*args) for _ in range(DRAWS * count)]
    return list({repr(description): description for description in drawn}.values())[:count]


# --- extents ---------------------------------------------------------------------------------------------------------


def extent(rng: Random, rank: int) -> int:
    """Return a random extent; 0 and 1 are frequent."""
    return rng.choice((0, 1)) if rng.random() < 0.15 else rng.randint(1, LARGEST[rank])


def filled(rng: Random, static: Sequence[int | None]) -> list[int]:
    """Return random extents of a pattern, which contains a number for a static extent and None for a dynamic extent."""
    return [extent(rng, len(static)) if s is None else s for s in static]


def extents_type(rng: Random, rank: int | None = None) -> Description:
    """Return a random type of extents."""
    rank = rng.choice(RANKS) if rank is None else rank
    share = rng.choice((0, 0, 0.4, 0.7, 1))
    static = [extent(rng, rank) if rng.random() < share else None for _ in range(rank)]
    return {"static": static, "index": rng.choice(INDEX_TYPES)}


def related_type(rng: Random, other: Description) -> Description:
    """Return a random type to which some values of ``other`` convert.

    Some static extents become dynamic, and some dynamic extents become static.
    """
    values = filled(rng, other["static"])
    static = [rng.choice((s, None, v)) for s, v in zip(other["static"], values, strict=True)]
    return {**other, "static": static, "index": rng.choice((other["index"], "int32", "int64"))}


def common_values(rng: Random, a: Description, b: Description) -> list[int]:
    """Return random extents that belong to both types."""
    return filled(rng, [s if t is None else t for s, t in zip(a["static"], b["static"], strict=True)])


def extents(rng: Random, _offers: frozenset[str]) -> Iterator[Query]:
    """Yield queries about extents: relations of types; construction, conversion and equality of values."""
    types = distinct(24, extents_type, rng)
    yield ask_pairs("extents", types)
    for kind, _ in product(types, range(24)):
        values = filled(rng, kind["static"])
        dynamic = [v for v, s in zip(values, kind["static"], strict=True) if s is None]
        yield from [ask("extents_from_values", {**kind, "values": numbers}) for numbers in (values, dynamic)]
    for source in types:
        target = related_type(rng, source)
        for _ in range(24):
            values = common_values(rng, source, target)
            yield ask("extents_convert", {"from": {**source, "extents": values}, "to": target})
            a, b = filled(rng, source["static"]), filled(rng, target["static"])
            sides = {**source, "extents": a}, {**target, "extents": rng.choice((values, b))}
            yield ask("extents_equal", dict(zip("ab", sides, strict=True)))


# --- mappings --------------------------------------------------------------------------------------------------------


def layouts_of(offers: frozenset[str]) -> tuple[str, ...]:
    """Return the layouts of an implementation that has the optional features ``offers``."""
    return PLAIN + (RELAXED,) * ("relaxed" in offers) + PADDED * ("padded" in offers)


def mapping_type(rng: Random, layouts: Sequence[str], rank: int | None = None) -> Description:
    """Return a random type of a mapping."""
    form = {"layout": rng.choice(layouts), **extents_type(rng, rank)}
    if form["layout"] == RELAXED:
        form["index"] = rng.choice(("int16", "int32", "int64"))
    return form | ({"index": "int32", "padding": rng.choice((None, 1, 2, 4))} if form["layout"] in PADDED else {})


def mapping(rng: Random, of: Description, extents: list[int] | None = None) -> Description:
    """Return a random mapping of a type."""
    values = filled(rng, of["static"]) if extents is None else extents
    case = {**of, "extents": values}
    if of["layout"] == "stride":
        case["strides"] = strides(rng, values)
    if of["layout"] == RELAXED:
        steps = [rng.randint(-6, 6) if s is None else s for s in of.get("static_strides", [None] * len(values))]
        reach = sum(-s * max(e - 1, 0) for e, s in zip(values, steps, strict=True) if s < 0)
        case |= {"strides": steps, "offset": reach + rng.choice((0, 0, 1, 3))}
    if of["layout"] in PADDED and of["padding"] is None:
        case["in_padding"] = rng.randint(1, 5)
    return case


def strides(rng: Random, extents: list[int]) -> list[int]:
    """Return random positive strides in any order of the dimensions; they have gaps if the offsets stay small.

    A stride exceeds the largest offset of the smaller strides. Sometimes it exceeds this offset by 1 only, as strides
    (4, 3) over extents (5, 2) do; a slice can have such strides.
    """
    result = [1] * len(extents)
    gaps, close = rng.choice((0, 0, 1, 2)), rng.random() < 0.2
    step, reach = rng.choice((1, 1, 1, 2)), 0
    for r in rng.sample(range(len(extents)), len(extents)):
        result[r] = step
        reach += step * max(extents[r] - 1, 0)
        step = (reach + 1 if close else step * max(extents[r], 1)) + rng.randint(0, gaps)
    return result if step < MOST_8_BIT else dense(extents, rng.choice(DENSE))


def dense(extents: list[int], layout: str) -> list[int]:
    """Return the strides of layout left or right."""
    return list((LayoutLeft() if layout == "left" else LayoutRight()).strides(extents))


def mappings(rng: Random, offers: frozenset[str]) -> Iterator[Query]:
    """Yield queries about mappings: strides, span, traits and every offset; relaxed strides also as constants."""
    for kind in distinct(72, mapping_type, rng, layouts_of(offers)):
        if kind["layout"] != RELAXED:
            yield ask("ctor_default", {**kind, "extents": [s or 0 for s in kind["static"]]})
        yield from [ask("mapping", mapping(rng, kind)) for _ in range(96)]
    for _ in range(12 * ("relaxed" in offers)):
        kind = mapping_type(rng, (RELAXED,), rng.randint(1, 3))
        constants = [rng.choice((None, rng.randint(-4, 4))) for _ in kind["static"]]
        kind |= {"static_strides": constants, "index": "int32"}
        yield from [ask("mapping", mapping(rng, kind)) for _ in range(48)]


# --- conversions and comparisons -------------------------------------------------------------------------------------


def relation_type(rng: Random, layouts: Sequence[str], rank: int) -> Description:
    """Return a random type of a mapping with extents from a small choice, so that many types are related."""
    index = rng.choice(("int32", "int64", "uint8"))
    static = [rng.choice((None, None, 3 + r)) for r in range(rank)]
    form = {"static": static, "index": index, "layout": rng.choice(layouts)}
    return form | ({"padding": rng.choice((None, 2, 4))} if form["layout"] in PADDED else {})


def relations_of_mapping_types(rng: Random, offers: frozenset[str]) -> Iterator[Query]:
    """Yield queries about each pair of types of mappings: conversion and comparison."""
    for rank in range(4):
        yield ask_pairs("mapping_type", distinct(24, relation_type, rng, layouts_of(offers), rank))


def related_types(
    rng: Random, offers: frozenset[str], count: int, wanted: Callable[[str, str, int], bool]
) -> Iterator[tuple[Description, Description]]:
    """Yield ``count`` pairs of types with convertible extents for each rank and each ``wanted`` pair of layouts."""
    for first, second, rank in product(layouts_of(offers), layouts_of(offers), range(4)):
        for _ in range(count * wanted(first, second, rank)):
            source = mapping_type(rng, (first,), rank)
            yield source, {**related_type(rng, source), "layout": second}


def conversions_of_mappings(rng: Random, offers: frozenset[str]) -> Iterator[Query]:
    """Yield queries for the results of conversions of mappings."""
    for source, target in related_types(rng, offers, 2, convertible):
        target.pop("padding", None)  # a padded layout is a source only
        if (source["layout"], target["layout"]) == (RELAXED, "stride"):
            target |= {"static": source["static"], "index": source["index"]}
        yield from [converted(rng, source, target) for _ in range(48)]


def convertible(source: str, target: str, rank: int) -> bool:
    """Tell whether mappings of one layout convert to mappings of another layout, for equal extents."""
    if {source, target} & set(PADDED):
        return target == "stride"
    if source == RELAXED:
        return target in {RELAXED, "stride"}
    return "stride" in {source, target} or target in {RELAXED, source} or rank <= 1


def converted(rng: Random, source: Description, target: Description) -> Query:
    """Return the query for the conversion of a random mapping that meets the preconditions."""
    m = mapping(rng, source, common_values(rng, source, target))
    if source["layout"] == "stride" and target["layout"] in DENSE:
        m["strides"] = dense(m["extents"], target["layout"])
    if (source["layout"], target["layout"]) == (RELAXED, "stride"):
        m |= {"strides": strides(rng, m["extents"]), "offset": 0}
    return ask("value_convert", {"from": m, "to": target})


def comparisons_of_mappings(rng: Random, offers: frozenset[str]) -> Iterator[Query]:
    """Yield queries about the equality of mappings; two types with padded layouts have the same static padding."""
    for a, b in related_types(rng, offers, 1, compares):
        yield from [compared(rng, a, b) for _ in range(48)]


def compares(first: str, second: str, _rank: int) -> bool:
    """Tell whether mappings of two layouts can be compared."""
    return {first, second} != set(DENSE) and (first == second or not {first, second} & set(PADDED))


def compared(rng: Random, a: Description, b: Description) -> Query:
    """Return the query about the equality of two random mappings.

    Half of the pairs have equal extents, and some pairs have equal strides, too.
    """
    common = common_values(rng, a, b)
    x, y = mapping(rng, a, common), mapping(rng, b, rng.choice((common, None)))
    alike = x["extents"] == y["extents"] and 0 not in y["extents"] and x["layout"] in {*PLAIN, y["layout"]}
    if rng.random() < 0.5 and alike:
        shared = {"offset": 0, "strides": dense(x["extents"], x["layout"]), **x}
        y |= {key: shared[key] for key in ("strides", "offset", "in_padding") if key in y and key in shared}
    return ask("value_equal", {"a": x, "b": y})


# --- views -----------------------------------------------------------------------------------------------------------


def views(rng: Random, offers: frozenset[str]) -> Iterator[Query]:
    """Yield queries for the elements of views, before and after stores."""
    for kind in distinct(36, mapping_type, rng, layouts_of(offers)):
        typed = {**kind, "element": rng.choice(("int", "double"))}
        yield from [ask("view", {**mapping(rng, typed), "factor": rng.choice(FACTORS)}) for _ in range(64)]


def relations_of_view_types(rng: Random, offers: frozenset[str]) -> Iterator[Query]:
    """Yield queries about the conversion between each pair of types of views."""
    for rank in (1, 2):
        yield ask_pairs("mdspan_conv", distinct(24, view_type, rng, offers, rank))


def view_type(rng: Random, offers: frozenset[str], rank: int) -> Description:
    """Return a random type of a view, sometimes with an aligned accessor."""
    align: Description = rng.choice(({}, {}, {"align": 8}, {"align": 16}))
    form = {**relation_type(rng, layouts_of(offers), rank), "element": rng.choice(ELEMENTS)}
    return form | align if "aligned" in offers else form


def relations_of_accessors(_rng: Random, offers: frozenset[str]) -> Iterator[Query]:
    """Yield queries about the conversion between each pair of types of accessors."""
    elements = (*ELEMENTS, "float", "Base", "const Base", "Derived")
    plain = [{"accessor": "default", "element": element} for element in elements]
    aligned = [{"accessor": "aligned", "element": element, "align": n} for element in elements for n in (8, 16, 64)]
    yield ask_pairs("accessor_conv", plain + aligned * ("aligned" in offers))
    if "relaxed" in offers:
        wrapped = [{"accessor": name, "element": element} for name in answers.WRAPPERS for element in ELEMENTS]
        yield ask_pairs("accessor_conv_cccl", plain[:4] + wrapped)


def subviews(rng: Random, offers: frozenset[str]) -> Iterator[Query]:
    """Yield queries for the mappings and offsets of subviews."""
    strided = next((letter for name, letter in STRIDED.items() if name in offers), "r")
    for _ in range(96):
        kind = mapping_type(rng, layouts_of(offers - {"relaxed"}), rng.choice((1, 2, 2, 3, 3, 4))) | {"index": "int32"}
        letters = rng.choice(("firr", "ffffr", "ffir", "irs", "firs")).replace("s", strided)
        yield from sliced_alike(rng, kind, [slice_type(rng, rng.choice(letters)) for _ in kind["static"]])
    for layout, kinds in product(DENSE, ("fr", "rf", "if", "fi", "ffr", "rff")):
        kind = {"static": [None] * len(kinds), "index": "int32", "layout": layout}
        yield from sliced_alike(rng, kind, [{"k": k} for k in kinds])


def slice_type(rng: Random, kind: str) -> Description:
    """Return a random slice without values, except for the numbers that are compile-time constants."""
    if kind == "i" and rng.random() < 0.3:
        return {"k": "i", "s": 1, "v": rng.randint(0, 1)}
    if kind != "r":
        return {"k": kind}
    begin = rng.randint(0, 1)
    fixed = rng.choice(((), (), (), ("b",), ("e",), ("b", "e")))
    numbers = {key: begin if key == "b" else begin + rng.randint(0, 2) for key in fixed}
    return {"k": "r", **{f"s{key}": 1 for key in fixed}, **numbers}


def sliced_alike(rng: Random, kind: Description, chosen: list[Description]) -> Iterator[Query]:
    """Yield queries for subviews by slices of the kinds ``chosen``, over extents large enough for constant slices."""
    least = [s["v"] + 1 if "v" in s else max(s.get("b", 0), s.get("e", 0), int(s["k"] == "i")) for s in chosen]
    static = [None if s is None else max(s, n) for s, n in zip(kind["static"], least, strict=True)]
    for _ in range(96):
        values = list(map(max, filled(rng, static), least))
        source = mapping(rng, {**kind, "static": static}, values)
        slices = [slice_value(rng, s, e) for s, e in zip(chosen, values, strict=True)]
        yield ask("submdspan", {"src": source, "slices": slices})


def slice_value(rng: Random, kind: Description, extent: int) -> Description:
    """Return a random slice of a kind, within an extent."""
    if kind["k"] == "f":
        return kind
    if kind["k"] == "i":
        return {"v": rng.randrange(extent), **kind}
    if kind["k"] == "r":
        begin = kind.get("b", rng.randint(0, kind.get("e", extent)))
        return {**kind, "b": begin, "e": kind.get("e", rng.randint(begin, extent))}
    offset = rng.randint(0, extent)
    length, step = rng.randint(0, extent - offset), rng.randint(1, 4)
    return {**kind, "o": offset, "t": step, **({"e": length} if kind["k"] == "s" else {"n": -(-length // step)})}


def linear_algebra(rng: Random, _offers: frozenset[str]) -> Iterator[Query]:
    """Yield queries for transposed, scaled and conjugated views."""
    for layout, _ in product(PLAIN, range(3)):
        kind = mapping_type(rng, (layout,), 2)
        for _ in range(24):
            m = mapping(rng, kind)
            case = {**m, "element": "int", "factor": rng.choice(FACTORS)}
            yield ask("linalg_transposed_mapping", {"nested": m})
            yield ask("transposed", case)
            yield ask("scaled", {**case, "by": rng.randint(-5, 5)})
            yield ask("conjugated", {**case, "element": "double"})
            for operation in ("conjugated", "conjugate_transposed"):
                yield ask(operation, {**case, "element": "lib::complex<double>"})


# --- features --------------------------------------------------------------------------------------------------------


def preconditions(_rng: Random, _offers: frozenset[str]) -> Iterator[Query]:
    """Yield the queries of the recorded facts about preconditions; a violated precondition stops the program."""
    facts = [fact for fact in facts_of_file("preconditions") if fact.group in answers.PRECONDITIONS]
    yield from [ask("preconditions", fact.given) for fact in facts]


FEATURES: Final[dict[str, Callable[[Random, frozenset[str]], Iterator[Query]]]] = {
    ask_about.__name__.replace("_", " "): ask_about
    for ask_about in (
        *(extents, mappings, relations_of_mapping_types, conversions_of_mappings, comparisons_of_mappings, views),
        *(relations_of_view_types, relations_of_accessors, subviews, linear_algebra, preconditions),
    )
}
"""The function that yields the queries of each feature."""
OFFERS: Final = ("padded", "relaxed", "extent_slice", "strided_slice", "submdspan", "linalg", "preconditions")
"""The optional features of an implementation that enable further questions."""


def drawn(feature: str, offers: frozenset[str], seed: str | None = None) -> list[Query]:
    """Return the queries of a feature, except queries that need an optional feature that is not in ``offers``.

    The seed, by default the environment variable MDVIEW_SEED, determines the queries.
    """
    seed = os.environ.get("MDVIEW_SEED", "") if seed is None else seed
    queries = FEATURES[feature](Random(feature + seed), offers)  # noqa: S311 - repeatable, not secret
    lacking = ["stops<" if offer == "preconditions" else offer for offer in OFFERS if offer not in offers]
    return [query for query in queries if not any(word in query.template for word in lacking)]
