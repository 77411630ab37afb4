"""The questions that an implementation of mdspan and mdview are both asked, by feature: random and repeatable.

An `Ask` is one call of a template of `answers.hpp` with the numbers it reads; it stands for one question, or, where the
template compares all types of a list with each other, for one question a pair. A question is a *kind* (the name of a
runner in `cpp_answers`) and what is given, in the encoding of `data/cpp/SCHEMA.md`.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

import draws
import spelling

Description = dict[str, Any]

RELAXED = "stride_relaxed"
DENSE = ("left", "right")
PLAIN = ("left", "right", "stride")
EXTENDED = (*PLAIN, RELAXED)
ELEMENTS = ("int", "const int", "double", "const double")
FACTORS = (3, 7, 11)
DRAWS = 8


@dataclass(frozen=True)
class Question:
    """One question to both sides."""

    kind: str
    given: Description


@dataclass(frozen=True)
class Ask:
    """A call of a template, the numbers it reads, and the questions that its lines of output answer."""

    template: str
    numbers: tuple[int, ...]
    questions: tuple[Question, ...]


def ask(template: str, numbers: list[int], kind: str, given: Description) -> Ask:
    """Ask one question."""
    return Ask(template, tuple(numbers), (Question(kind, given),))


def ask_pairs(template: str, kind: str, types: list[Description], spelt: Callable[[Description], str]) -> Ask:
    """Ask about every pair of types."""
    pairs = [Question(kind, {"from": a, "to": b}) for a, b in product(types, repeat=2)]
    return Ask(f"{template}<{', '.join(map(spelt, types))}>", (), tuple(pairs))


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


def extents(rng: Random, _layouts: tuple[str, ...]) -> Iterator[Ask]:
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


def mappings(rng: Random, layouts: tuple[str, ...]) -> Iterator[Ask]:
    """Ask for mappings: strides, span, traits and every offset."""
    for kind in distinct(lambda: draws.mapping_type(rng, layouts), 72):
        spelt = spelling.mapping(kind)
        if kind["layout"] != RELAXED:
            yield ask(f"default_mapping<{spelt}>", [], "ctor_default", default(kind))
        for _ in range(96):
            m = draws.mapping(rng, kind)
            yield ask(f"mapping<{spelt}>", spelling.mapping_numbers(m), "mapping", m)
    if RELAXED in layouts:
        yield from static_strides(rng)


def default(kind: Description) -> Description:
    """Describe the mapping that a type makes without arguments."""
    return {**kind, "extents": [0 if s is None else s for s in kind["static"]]}


def static_strides(rng: Random) -> Iterator[Ask]:
    """Ask for relaxed mappings some of whose strides are constants."""
    for _ in range(12):
        kind = draws.mapping_type(rng, (RELAXED,), rng.randint(1, 3))
        constants = [rng.choice((None, rng.randint(-4, 4))) for _ in kind["static"]]
        kind |= {"static_strides": constants, "index": "int32"}
        for _ in range(48):
            m = draws.mapping(rng, kind)
            yield ask(f"mapping<{spelling.mapping(kind)}>", spelling.mapping_numbers(m), "mapping", m)


# --- conversions and comparisons -------------------------------------------------------------------------------------


def relations(rng: Random, layouts: tuple[str, ...]) -> Iterator[Ask]:
    """Ask which types of mappings convert to which and compare with which."""
    for rank in (0, 1, 2, 3):
        types = distinct(lambda r=rank: relation_type(rng, layouts, r), 24)
        yield ask_pairs("relations", "mapping_type", types, spelling.mapping)


def relation_type(rng: Random, layouts: tuple[str, ...], rank: int) -> Description:
    """Type of a mapping whose extents are from a small choice, so that many are related."""
    index = rng.choice(("int32", "int64", "uint8"))
    static = [rng.choice((None, None, 3 + r)) for r in range(rank)]
    return {"static": static, "index": index, "layout": rng.choice(layouts)}


def conversions(rng: Random, layouts: tuple[str, ...]) -> Iterator[Ask]:
    """Ask what mappings become when they are converted."""
    for source_layout, target_layout in product(layouts, repeat=2):
        for rank in (0, 1, 2, 3):
            if not convertible(source_layout, target_layout, rank):
                continue
            for _ in range(2):
                source = draws.mapping_type(rng, (source_layout,), rank)
                target = {**draws.related_extents_type(rng, source), "layout": target_layout}
                if (source_layout, target_layout) == (RELAXED, "stride"):
                    target |= {"static": source["static"], "index": source["index"]}
                yield from converted(rng, source, target)


def convertible(source: str, target: str, rank: int) -> bool:
    """Tell whether mappings of two layouts convert at all."""
    if source == RELAXED:
        return target in {RELAXED, "stride"}
    if "stride" in {source, target} or target == RELAXED:
        return True
    return source == target or rank <= 1


def converted(rng: Random, source: Description, target: Description) -> Iterator[Ask]:
    """Ask for conversions of values that meet the preconditions."""
    template = f"value_convert<{spelling.mapping(source)}, {spelling.mapping(target)}>"
    for _ in range(48):
        m = draws.mapping(rng, source, draws.common_values(rng, source, target))
        if source["layout"] == "stride" and target["layout"] in DENSE:
            m["strides"] = draws.dense(m["extents"], target["layout"])
        if (source["layout"], target["layout"]) == (RELAXED, "stride"):
            m |= {"strides": draws.strides(rng, m["extents"]), "offset": 0}
        yield ask(template, spelling.mapping_numbers(m), "value_convert", {"from": m, "to": target})


def comparisons(rng: Random, layouts: tuple[str, ...]) -> Iterator[Ask]:
    """Ask whether mappings are equal."""
    for first, second in product(layouts, repeat=2):
        if {first, second} == set(DENSE):
            continue
        for rank in (0, 1, 2, 3):
            a = draws.mapping_type(rng, (first,), rank)
            b = {**draws.related_extents_type(rng, a), "layout": second}
            yield from compared(rng, a, b)


def compared(rng: Random, a: Description, b: Description) -> Iterator[Ask]:
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


def views(rng: Random, layouts: tuple[str, ...]) -> Iterator[Ask]:
    """Ask for the elements of views, before and after stores."""
    for kind in distinct(lambda: draws.mapping_type(rng, layouts), 36):
        typed = {**kind, "element": rng.choice(("int", "double"))}
        for _ in range(64):
            m = draws.mapping(rng, typed)
            factor = rng.choice(FACTORS)
            yield ask(
                f"view<{spelling.view(typed)}>", [*spelling.mapping_numbers(m), factor], "view", {**m, "factor": factor}
            )


def view_types(rng: Random, layouts: tuple[str, ...]) -> Iterator[Ask]:
    """Ask which types of views convert to which."""
    for rank in (1, 2):
        types = distinct(lambda r=rank: view_type(rng, layouts, r), 24)
        yield ask_pairs("conversions", "mdspan_conv", types, spelling.view)


def view_type(rng: Random, layouts: tuple[str, ...], rank: int) -> Description:
    """Type of a view, now and then aligned."""
    align = rng.choice(({}, {}, {"align": 8}, {"align": 16}))
    return {**relation_type(rng, layouts, rank), "element": rng.choice(ELEMENTS), **align}


def accessors(_rng: Random, layouts: tuple[str, ...]) -> Iterator[Ask]:
    """Ask which accessors convert to which."""
    elements = (*ELEMENTS, "float", "Base", "const Base", "Derived")
    plain = [{"accessor": "default", "element": element} for element in elements]
    aligned = [{"accessor": "aligned", "element": element, "align": n} for element in elements for n in (8, 16, 64)]
    yield ask_pairs("conversions", "accessor_conv", plain + aligned, spelling.accessor)
    if RELAXED in layouts:
        wrapped = [{"accessor": name, "element": element} for name in spelling.WRAPPERS for element in ELEMENTS]
        yield ask_pairs("conversions", "accessor_conv_cccl", plain[:4] + wrapped, spelling.accessor)


# --- slices and linear algebra, which CCCL has -----------------------------------------------------------------------


def slices(rng: Random, _layouts: tuple[str, ...]) -> Iterator[Ask]:
    """Ask for subviews: mapping, offset, and which elements they show."""
    for _ in range(96):
        kind = {**draws.mapping_type(rng, PLAIN, rng.choice((1, 2, 2, 3, 3, 4))), "index": "int32"}
        yield from sliced_alike(rng, kind, draws.slices_type(rng, len(kind["static"])))
    for layout, kinds in product(DENSE, ("fr", "rf", "if", "fi", "ffr", "rff")):
        kind = {"static": [None] * len(kinds), "index": "int32", "layout": layout}
        yield from sliced_alike(rng, kind, [{"k": k} for k in kinds])


def sliced_alike(rng: Random, kind: Description, chosen: list[Description]) -> Iterator[Ask]:
    """Ask for subviews by slices of the same kinds."""
    static = [None if s is None else max(s, draws.least_extent(c)) for s, c in zip(kind["static"], chosen, strict=True)]
    for _ in range(96):
        yield sliced(rng, {**kind, "static": static}, chosen)


def sliced(rng: Random, kind: Description, chosen: list[Description]) -> Ask:
    """Ask for one subview."""
    source = draws.mapping(rng, kind, draws.sliceable(rng, kind, chosen))
    values = [draws.slice_value(rng, c, e) for c, e in zip(chosen, source["extents"], strict=True)]
    template = f"submdspan<{', '.join([spelling.mapping(kind), *map(spelling.slice_type, values)])}>"
    numbers = [*spelling.mapping_numbers(source), *[n for s in values for n in spelling.slice_numbers(s)]]
    return ask(template, numbers, "submdspan", {"src": source, "slices": values})


def linear_algebra(rng: Random, _layouts: tuple[str, ...]) -> Iterator[Ask]:
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
            yield on_view("conjugated", "md::complex<double>", m, factor)
            yield on_view("conjugated_real", "double", m, factor)
            yield on_view("conjugate_transposed", "md::complex<double>", m, factor)


def on_view(template: str, element: str, m: Description, factor: int, *more: int) -> Ask:
    """Ask for one operation on a view."""
    spelt = f"{template}<{spelling.view({**m, 'element': element})}>"
    given = {"from": m, "element": element, "factor": factor, "more": more}
    return ask(spelt, [*spelling.mapping_numbers(m), factor, *more], f"live_{template}", given)


Feature = Callable[[Random, tuple[str, ...]], Iterator[Ask]]

STANDARD: dict[str, Feature] = {
    "extents": extents,
    "mappings": mappings,
    "relations of mapping types": relations,
    "conversions of mappings": conversions,
    "comparisons of mappings": comparisons,
    "views": views,
    "relations of view types": view_types,
    "relations of accessors": accessors,
}
EXTENSIONS: dict[str, Feature] = {"subviews": slices, "linear algebra": linear_algebra}


def drawn(feature: str, make: Feature, layouts: tuple[str, ...]) -> list[Ask]:
    """All questions of a feature, the same ones in every run; the variable MDVIEW_SEED asks others."""
    seed = feature + os.environ.get("MDVIEW_SEED", "")
    return list(make(Random(seed), layouts))  # noqa: S311 - repeatable, not secret
