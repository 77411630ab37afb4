"""The questions that an implementation of mdspan and mdview are both asked, by feature: random and repeatable.

A `Query` is one call of a template of `answers.hpp` with the numbers it reads; it stands for one question, or, where
the template compares all types of a list with each other, for one question a pair. A question is a *kind* (the name of
a runner in `answers`) and what is given, in the encoding of `data/cpp/SCHEMA.md`.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from random import Random
from typing import Any, Final, final

from mdview.conformance import corpus, draws, spelling

Description = dict[str, Any]

RELAXED: Final = "stride_relaxed"
DENSE: Final = ("left", "right")
PLAIN: Final = ("left", "right", "stride")
EXTENDED: Final = (*PLAIN, RELAXED)
ELEMENTS: Final = ("int", "const int", "double", "const double")
FACTORS: Final = (3, 7, 11)
DRAWS: Final = 8


def layouts_of(offers: frozenset[str]) -> tuple[str, ...]:
    """Layouts of an implementation."""
    return (*PLAIN, *[RELAXED] * ("relaxed" in offers), *[each for each in draws.PADDED if "padded" in offers])


@final
@dataclass(frozen=True)
class Question:
    """One question to both sides."""

    kind: str
    given: Description


@final
@dataclass(frozen=True)
class Query:
    """A call of a template, the numbers it reads, and the questions that its lines of output answer."""

    template: str
    numbers: tuple[int, ...]
    questions: tuple[Question, ...]


def ask(template: str, numbers: list[int], kind: str, given: Description) -> Query:
    """Ask one question."""
    return Query(template, tuple(numbers), (Question(kind, given),))


def ask_pairs(template: str, kind: str, types: list[Description], spelt: Callable[[Description], str]) -> Query:
    """Ask about every pair of types."""
    pairs = [Question(kind, {"from": a, "to": b}) for a, b in product(types, repeat=2)]
    return Query(f"{template}<{', '.join(map(spelt, types))}>", (), tuple(pairs))


def distinct(make: Callable[[], Description], count: int) -> list[Description]:
    """Draw types until that many are different, or no new ones come up."""
    found: dict[str, Description] = {}
    for _ in range(DRAWS * count):
        drawn = make()
        found.setdefault(repr(drawn), drawn)
        if len(found) == count:
            break
    return list(found.values())


# --- extents ---------------------------------------------------------------------------------------------------------


def extents(rng: Random, _offers: frozenset[str]) -> Iterator[Query]:
    """Ask for extents: made from numbers, converted, compared, of types and of values."""
    types = distinct(lambda: draws.extents_type(rng), 24)
    yield ask_pairs("relations", "extents", types, spelling.extents)
    for kind in types:
        spelt = spelling.extents(kind)
        for _ in range(24):
            values = draws.filled(rng, kind["static"])
            dynamic = [v for v, s in zip(values, kind["static"], strict=True) if s is None]
            yield ask(f"extents_from_all<{spelt}>", values, "extents_from_values", {**kind, "values": values})
            yield ask(f"extents_from_dynamic<{spelt}>", dynamic, "extents_from_values", {**kind, "values": dynamic})
    for source in types:
        target = draws.related_extents_type(rng, source)
        spelt = f"<{spelling.extents(source)}, {spelling.extents(target)}>"
        for _ in range(24):
            values = draws.common_values(rng, source, target)
            given = {"from": {**source, "extents": values}, "to": target}
            yield ask(f"extents_convert{spelt}", values, "extents_convert", given)
            a, b = draws.filled(rng, source["static"]), draws.filled(rng, target["static"])
            b = rng.choice((values, b))
            given = {"a": {**source, "extents": a}, "b": {**target, "extents": b}}
            yield ask(f"extents_equal{spelt}", [*a, *b], "extents_equal", given)


# --- mappings --------------------------------------------------------------------------------------------------------


def mappings(rng: Random, offers: frozenset[str]) -> Iterator[Query]:
    """Ask for mappings: strides, span, traits and every offset."""
    layouts = layouts_of(offers)
    for kind in distinct(lambda: draws.mapping_type(rng, layouts), 72):
        spelt = spelling.mapping(kind)
        if kind["layout"] != RELAXED:
            yield ask(f"default_mapping<{spelt}>", [], "ctor_default", default(kind))
        for _ in range(96):
            m = draws.mapping(rng, kind)
            yield ask(f"mapping<{spelt}>", spelling.mapping_numbers(m), "mapping", m)
    if "relaxed" in offers:
        yield from static_strides(rng)


def default(kind: Description) -> Description:
    """Describe the mapping that a type makes without arguments."""
    return {**kind, "extents": [0 if s is None else s for s in kind["static"]]}


def static_strides(rng: Random) -> Iterator[Query]:
    """Ask for relaxed mappings some of whose strides are constants."""
    for _ in range(12):
        kind = draws.mapping_type(rng, (RELAXED,), rng.randint(1, 3))
        constants = [rng.choice((None, rng.randint(-4, 4))) for _ in kind["static"]]
        kind |= {"static_strides": constants, "index": "int32"}
        for _ in range(48):
            m = draws.mapping(rng, kind)
            yield ask(f"mapping<{spelling.mapping(kind)}>", spelling.mapping_numbers(m), "mapping", m)


# --- conversions and comparisons -------------------------------------------------------------------------------------


def relations(rng: Random, offers: frozenset[str]) -> Iterator[Query]:
    """Ask which types of mappings convert to which and compare with which."""
    layouts = layouts_of(offers)
    for rank in (0, 1, 2, 3):
        types = distinct(partial(relation_type, rng, layouts, rank), 24)
        yield ask_pairs("relations", "mapping_type", types, spelling.mapping)


def relation_type(rng: Random, layouts: tuple[str, ...], rank: int) -> Description:
    """Type of a mapping whose extents are from a small choice, so that many are related."""
    index = rng.choice(("int32", "int64", "uint8"))
    static = [rng.choice((None, None, 3 + r)) for r in range(rank)]
    layout = rng.choice(layouts)
    padding = {"padding": rng.choice((None, 2, 4))} if layout in draws.PADDED else {}
    return {"static": static, "index": index, "layout": layout, **padding}


def conversions(rng: Random, offers: frozenset[str]) -> Iterator[Query]:
    """Ask what mappings become when they are converted."""
    for source_layout, target_layout in product(layouts_of(offers), repeat=2):
        for rank in (0, 1, 2, 3):
            if not convertible(source_layout, target_layout, rank):
                continue
            for _ in range(2):
                source = draws.mapping_type(rng, (source_layout,), rank)
                target = {**draws.related_extents_type(rng, source), "layout": target_layout}
                target.pop("padding", None)  # a padded layout is a source alone
                if (source_layout, target_layout) == (RELAXED, "stride"):
                    target |= {"static": source["static"], "index": source["index"]}
                yield from converted(rng, source, target)


def convertible(source: str, target: str, rank: int) -> bool:
    """Tell whether mappings of two layouts convert at all."""
    if {source, target} & set(draws.PADDED):
        return target == "stride"
    if source == RELAXED:
        return target in {RELAXED, "stride"}
    if "stride" in {source, target} or target == RELAXED:
        return True
    return source == target or rank <= 1


def converted(rng: Random, source: Description, target: Description) -> Iterator[Query]:
    """Ask for conversions of values that meet the preconditions."""
    template = f"value_convert<{spelling.mapping(source)}, {spelling.mapping(target)}>"
    for _ in range(48):
        m = draws.mapping(rng, source, draws.common_values(rng, source, target))
        if source["layout"] == "stride" and target["layout"] in DENSE:
            m["strides"] = draws.dense(m["extents"], target["layout"])
        if (source["layout"], target["layout"]) == (RELAXED, "stride"):
            m |= {"strides": draws.strides(rng, m["extents"]), "offset": 0}
        yield ask(template, spelling.mapping_numbers(m), "value_convert", {"from": m, "to": target})


def comparisons(rng: Random, offers: frozenset[str]) -> Iterator[Query]:
    """Ask whether mappings are equal."""
    for first, second in product(layouts_of(offers), repeat=2):
        if {first, second} == set(DENSE) or ({first, second} & set(draws.PADDED) and first != second):
            continue
        for rank in (0, 1, 2, 3):
            a = draws.mapping_type(rng, (first,), rank)
            b = {**draws.related_extents_type(rng, a), "layout": second}  # with the padding of `a`, if any
            yield from compared(rng, a, b)


def compared(rng: Random, a: Description, b: Description) -> Iterator[Query]:
    """Ask about values, half of which have equal extents and some equal strides."""
    template = f"value_equal<{spelling.mapping(a)}, {spelling.mapping(b)}>"
    for _ in range(48):
        common = draws.common_values(rng, a, b)
        x = draws.mapping(rng, a, common)
        y = draws.mapping(rng, b, rng.choice((common, None)))
        if rng.random() < 0.5 and x["extents"] == y["extents"]:
            x, y = alike(x, y)
        numbers = [*spelling.mapping_numbers(x), *spelling.mapping_numbers(y)]
        yield ask(template, numbers, "value_equal", {"a": x, "b": y})


def alike(x: Description, y: Description) -> tuple[Description, Description]:
    """Give both the strides of the one whose layout leaves less open."""
    if x["layout"] in draws.PADDED:
        return x, {**y, **{key: x[key] for key in ("in_padding",) if key in x}}
    freedom = EXTENDED.index
    if freedom(x["layout"]) > freedom(y["layout"]):
        y, x = alike(y, x)
        return x, y
    if "strides" not in y:
        return x, y
    steps = x.get("strides") or draws.dense(x["extents"], x["layout"])
    if y["layout"] == "stride" and min(steps, default=1) < 1:
        return x, y
    return x, {**y, "strides": steps, **({"offset": x.get("offset", 0)} if "offset" in y else {})}


# --- views -----------------------------------------------------------------------------------------------------------


def views(rng: Random, offers: frozenset[str]) -> Iterator[Query]:
    """Ask for the elements of views, before and after stores."""
    layouts = layouts_of(offers)
    for kind in distinct(lambda: draws.mapping_type(rng, layouts), 36):
        typed = {**kind, "element": rng.choice(("int", "double"))}
        for _ in range(64):
            m = draws.mapping(rng, typed)
            factor = rng.choice(FACTORS)
            yield ask(
                f"view<{spelling.view(typed)}>", [*spelling.mapping_numbers(m), factor], "view", {**m, "factor": factor}
            )


def view_types(rng: Random, offers: frozenset[str]) -> Iterator[Query]:
    """Ask which types of views convert to which."""
    for rank in (1, 2):
        types = distinct(partial(view_type, rng, offers, rank), 24)
        yield ask_pairs("conversions", "mdspan_conv", types, spelling.view)


def view_type(rng: Random, offers: frozenset[str], rank: int) -> Description:
    """Type of a view, now and then aligned."""
    align: Description = rng.choice(({}, {}, {"align": 8}, {"align": 16}))
    align = align if "aligned" in offers else {}
    return {**relation_type(rng, layouts_of(offers), rank), "element": rng.choice(ELEMENTS), **align}


def accessors(_rng: Random, offers: frozenset[str]) -> Iterator[Query]:
    """Ask which accessors convert to which."""
    elements = (*ELEMENTS, "float", "Base", "const Base", "Derived")
    plain = [{"accessor": "default", "element": element} for element in elements]
    aligned = [{"accessor": "aligned", "element": element, "align": n} for element in elements for n in (8, 16, 64)]
    yield ask_pairs("conversions", "accessor_conv", plain + aligned * ("aligned" in offers), spelling.accessor)
    if "relaxed" in offers:
        wrapped = [{"accessor": name, "element": element} for name in spelling.WRAPPERS for element in ELEMENTS]
        yield ask_pairs("conversions", "accessor_conv_cccl", plain[:4] + wrapped, spelling.accessor)


# --- slices and linear algebra --------------------------------------------------------------------------------------


def slices(rng: Random, offers: frozenset[str]) -> Iterator[Query]:
    """Ask for subviews: mapping, offset, and which elements they show."""
    layouts, strided = layouts_of(offers - {"relaxed"}), bool(offers & {"strided_slice", "extent_slice"})
    for _ in range(96):
        kind = {**draws.mapping_type(rng, layouts, rng.choice((1, 2, 2, 3, 3, 4))), "index": "int32"}
        yield from sliced_alike(rng, kind, draws.slices_type(rng, len(kind["static"]), strided=strided))
    for layout, kinds in product(DENSE, ("fr", "rf", "if", "fi", "ffr", "rff")):
        kind = {"static": [None] * len(kinds), "index": "int32", "layout": layout}
        yield from sliced_alike(rng, kind, [{"k": k} for k in kinds])


def sliced_alike(rng: Random, kind: Description, chosen: list[Description]) -> Iterator[Query]:
    """Ask for subviews by slices of the same kinds."""
    static = [None if s is None else max(s, draws.least_extent(c)) for s, c in zip(kind["static"], chosen, strict=True)]
    for _ in range(96):
        yield sliced(rng, {**kind, "static": static}, chosen)


def sliced(rng: Random, kind: Description, chosen: list[Description]) -> Query:
    """Ask for one subview."""
    source = draws.mapping(rng, kind, draws.sliceable(rng, kind, chosen))
    values = [draws.slice_value(rng, c, e) for c, e in zip(chosen, source["extents"], strict=True)]
    template = f"submdspan<{', '.join([spelling.mapping(kind), *map(spelling.slice_type, values)])}>"
    numbers = [*spelling.mapping_numbers(source), *[n for s in values for n in spelling.slice_numbers(s)]]
    return ask(template, numbers, "submdspan", {"src": source, "slices": values})


def linear_algebra(rng: Random, _offers: frozenset[str]) -> Iterator[Query]:
    """Ask for transposed, scaled and conjugated views."""
    for layout, _ in product(PLAIN, range(3)):
        kind = draws.mapping_type(rng, (layout,), 2)
        for _ in range(24):
            m = draws.mapping(rng, kind)
            factor = rng.choice(FACTORS)
            template, numbers = f"transposed_mapping<{spelling.mapping(kind)}>", spelling.mapping_numbers(m)
            yield ask(template, numbers, "linalg_transposed_mapping", {"nested": m})
            yield on_view("transposed", "int", m, factor)
            yield on_view("scaled", "int", m, factor, rng.randint(-5, 5))
            yield on_view("conjugated", "lib::complex<double>", m, factor)
            yield on_view("conjugated_real", "double", m, factor)
            yield on_view("conjugate_transposed", "lib::complex<double>", m, factor)


def on_view(template: str, element: str, m: Description, factor: int, *more: int) -> Query:
    """Ask for one operation on a view."""
    spelt = f"{template}<{spelling.view({**m, 'element': element})}>"
    given = {"from": m, "element": element, "factor": factor, "more": more}
    return ask(spelt, [*spelling.mapping_numbers(m), factor, *more], f"live_{template}", given)


# --- preconditions ---------------------------------------------------------------------------------------------------


def preconditions(_rng: Random, offers: frozenset[str]) -> Iterator[Query]:
    """Ask which questions stop a program: those of the recorded facts, allowed and not."""
    for fact in corpus.facts("preconditions"):
        made = {what: make for what, make in PRECONDITIONS.items() if what == fact.given["what"]}
        needs = {NEEDED[word] for word in NEEDED if word in repr(fact.given)}
        if made and needs <= offers:
            template, numbers = made[fact.given["what"]](fact.given)
            yield ask(f"stops<&{template}>", [len(numbers), *numbers], "preconditions", fact.given)


NEEDED: Final = {"padded": "padded", "stride_relaxed": "relaxed", "slices": "submdspan", "'x'": "extent_slice"}
"""What a fact needs if a word is in it."""


def dynamic(given: Description, layout: str = "right") -> Description:
    """Describe a mapping whose extents are dynamic where nothing says that they are static."""
    return {"layout": layout, "static": [None] * len(given["extents"]), **given}


def _stride(given: Description) -> tuple[str, list[int]]:
    m = dynamic(given, "stride")
    return f"mapping<{spelling.mapping(m)}>", spelling.mapping_numbers(m)


def _call(given: Description) -> tuple[str, list[int]]:
    m = dynamic(given)
    return f"mapping_call<{spelling.mapping(m)}>", [*spelling.mapping_numbers(m), *given["index"]]


def _values(given: Description) -> tuple[str, list[int]]:
    every = len(given["values"]) == len(given["static"])
    return f"extents_from_{'all' if every else 'dynamic'}<{spelling.extents(given)}>", given["values"]


def _convert(given: Description) -> tuple[str, list[int]]:
    source, target = given["from"], given["to"]
    if "layout" in source:
        template = f"value_convert<{spelling.mapping(source)}, {spelling.mapping(target)}>"
        return template, spelling.mapping_numbers(source)
    return f"extents_convert<{spelling.extents(source)}, {spelling.extents(target)}>", source["extents"]


def _part(given: Description) -> tuple[str, list[int]]:
    m, slices = dynamic(given), given["slices"]
    template = f"submdspan<{', '.join([spelling.mapping(m), *map(spelling.slice_type, slices)])}>"
    return template, [*spelling.mapping_numbers(m), *[n for s in slices for n in spelling.slice_numbers(s)]]


PRECONDITIONS: Final[dict[str, Callable[[Description], tuple[str, list[int]]]]] = {
    "extents_from_values": _values,
    "extents_convert": _convert,
    "convert": _convert,
    "layout_stride_ctor": _stride,
    "mapping_call": _call,
    "submdspan": _part,
}

Feature = Callable[[Random, frozenset[str]], Iterator[Query]]

FEATURES: Final[dict[str, Feature]] = {
    "extents": extents,
    "mappings": mappings,
    "relations of mapping types": relations,
    "conversions of mappings": conversions,
    "comparisons of mappings": comparisons,
    "views": views,
    "relations of view types": view_types,
    "relations of accessors": accessors,
    "subviews": slices,
    "linear algebra": linear_algebra,
    "preconditions": preconditions,
}
"""What is asked, by feature."""

NEEDS: Final = {"subviews": "submdspan", "linear algebra": "linalg", "preconditions": "preconditions"}
"""What an implementation has to offer before some features are asked for."""


def drawn(feature: str, offers: frozenset[str], seed: str | None = None) -> list[Query]:
    """All questions of a feature, the same ones in every run; a seed, or the variable MDVIEW_SEED, asks others."""
    if feature in NEEDS and NEEDS[feature] not in offers:
        return []
    seed = os.environ.get("MDVIEW_SEED", "") if seed is None else seed
    return list(FEATURES[feature](Random(feature + seed), offers))  # noqa: S311 - repeatable, not secret
