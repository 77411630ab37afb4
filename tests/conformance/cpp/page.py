"""The text of `docs/conformance.md`: what was asked, who agrees, and who departs, counted in a run.

`docs/generate_conformance.py` writes it. It takes all facts of `data/cpp` and all live comparisons.
"""

import re
from collections import Counter
from pathlib import Path

import algebra_rules
import cpp_adapter
import cpp_answers as answers
import departures
import explained
import implementations
import skips
import systems_adapter as systems
import systems_rules
from recorded import cases

from mdview.conformance import corpus as recorded

NONE = "–"  # noqa: RUF001 - a dash, as tables have it

TEXT = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")
"""The page, with places for what is counted."""


KINDS = {
    "extents": r"extents.*",
    "mappings": "mapping|ctor_default",
    "relations of mapping types": "mapping_type",
    "conversions of mappings": "value_convert",
    "comparisons of mappings": "value_equal",
    "views": "mdspan_default_constructible|mdspan_from_ints|submdspan_accessor",
    "relations of view types": "mdspan_conv",
    "relations of accessors": "accessor_.*|.*_wellformed",
    "subviews": "submdspan",
    "linear algebra": "linalg_.*",
    "preconditions": "preconditions",
}
"""For each feature of the live comparison the kinds of questions that facts answer."""


def facts_of(feature):
    """Return the facts about a feature."""
    every = [fact for file in recorded.FILES for fact in recorded.facts_of_file(file)]
    return [fact for fact in every if re.fullmatch(KINDS[feature], fact.question.kind)]


REASONS = {
    "LWG4266": "`is_exhaustive` of `layout_stride` over an empty index space by the older rule",
    "WRONG-elements-cccl-11520": "a repacked `layout_right`, which reads other elements than the slice names",
    "array-element-accepted": "`default_accessor` of a C++ array is accepted",
    "cccl-aligned-to-default-reversed-const": "from aligned to default accessors, `const` is asked the wrong way round",
    "cccl-static-strided_slice": "a `strided_slice` with compile-time parts does not compile",
    "eq-through-implicit-conversion": "`==` through an implicit conversion is not found",
    "gcc16-rank0-bug": "`submdspan` of rank 0 does not compile",
    "kokkos25-static-padding-bug": "a wrong static padding is deduced, and an assertion stops it",
    "layout-not-preserved": "a subview is `layout_stride` although left or right applies",
    "mandates": "a conversion that the draft allows resolves and then fails to compile",
    "no-padded-result": "a subview is `layout_stride` although a padded layout applies",
    "no-such-conversion": "left to right-padded, and the reverse, does not compile at rank 1",
    "padded-always-exhaustive-static-0": "a dynamic padding over a static extent 0 is always exhaustive",
    "padded-explicit-rule": "between padded layouts, other conversions are implicit and explicit than in the draft",
    "padded-span": "the span counts the last padding",
    "padded-span-empty": "the span of an empty padded mapping is not 0",
    "padded-span-not-last-offset-plus-1": "the span is the padded stride times the product of the other extents",
    "padded-to-stride-implicit": "padded to `layout_stride` is explicit",
    "padding-0": "a padding of 0 does not leave the stride at the extent",
    "past-the-end-offset": "a slice at the end of its dimension does not have the offset `required_span_size()`",
    "rank<=1-other-side-to-padded": "left to right-padded, and the reverse, does not convert up to rank 1",
    "static-padding-0-not-deduced": "no static padding is deduced from a static extent 0",
    "static-padding-0-rejected": "a static padding of 0 does not compile",
    "stride-of-0-or-1-element-slice": "the stride of a slice multiplies although it selects no second element",
    "unit-stride-strided_slice-not-recognised": "a compile-time stride 1 does not keep the layout",
}
"""What each tag of the facts says that an implementation does; mdview answers as the draft has it."""


def table(head, rows):
    """Return a table in Markdown."""
    columns = list(head)
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def text():
    """Return the whole page."""
    return TEXT.format(
        implementations=_implementations(),
        facts=_facts(),
        skips=_skips(),
        agreement=_agreement(),
        live=_live(),
        tags=_tags(),
        own=_own(),
        systems=_systems(),
        skipped=_not_asked(),
        departing=_departing(),
    )


def versions():
    """Return how the page names each implementation; skips the test where one is missing."""
    for each in implementations.IMPLEMENTATIONS.values():
        each.compiler()
    libcxx, cccl = implementations.LIBCXX, implementations.CCCL
    return {
        libcxx.name: f"libc++ {implementations.libcxx_version()} of `{libcxx.package}` {libcxx.version}",
        cccl.name: f"CCCL of `{cccl.package}` {cccl.version}",
    }


def _implementations():
    answered = {name: sum(_compared(name).values()) for name in implementations.IMPLEMENTATIONS}
    return "\n".join(f"- {version}: {answered[name]:,} answers" for name, version in versions().items())


def _compared(name):
    found = {each: explained.live(name, each) for each in implementations.IMPLEMENTATIONS[name].features}
    assert not any(result.differences for result in found.values()), "the page says that no difference is unexplained"
    return {feature: result.answers for feature, result in found.items()}


def _facts():
    rows = []
    for file in recorded.FILES:
        every = recorded.facts_of_file(file)
        asked = [fact for fact in every if cpp_adapter.reason_to_skip(fact) is None]
        wrong = [fact for fact in asked if cpp_adapter.difference(fact, answers.of_group(file, fact.group))]
        skipped = len(every) - len(asked)
        share = f"{skipped} ({skipped / len(every):.1%})"
        rows.append([f"`{file}.json`", len(every), len(asked) - len(wrong), len(wrong), share])
    return table(["File", "Facts", "Passed", "Failed", "Skipped"], rows)


def _skips():
    every = [fact for file in recorded.FILES for fact in recorded.facts_of_file(file)]
    counts = Counter(cpp_adapter.reason_to_skip(fact) for fact in every)
    return table(["Skipped", "Because"], [[counts[skip.reason], skip.reason] for skip in skips.SKIPS])


def _agreement():
    names = list(implementations.IMPLEMENTATIONS)
    compared = {name: _compared(name) for name in names}
    rows = []
    for feature in KINDS:
        facts = facts_of(feature)
        live = [f"{compared[name][feature]:,}" if feature in compared[name] else NONE for name in names]
        rows.append([feature, f"{len(facts):,}", *live, *[_agreeing(facts, letter) for letter in recorded.LETTERS]])
    return table(["Feature", "Facts", *[f"Live {name}" for name in names], *recorded.LETTERS.values()], rows)


def _agreeing(facts, letter):
    answers = [fact for fact in facts if fact.file != "preconditions"]
    agreeing = sum(letter in fact.agreeing for fact in answers)
    departing = sum(letter in letters for fact in answers for _, letters, _ in fact.departures)
    return f"{agreeing:,} of {agreeing + departing:,}" if departing else f"{agreeing:,}" if agreeing else NONE


def _live():
    rows = []
    for each in departures.MODELS:
        who = []
        for name in each.implementations:
            shown = sum(explained.live(name, feature).shown[each.name] for feature in _features(each, name))
            who.append(f"{name} ({shown:,})")
        rows.append([each.theirs, each.mdviews, ", ".join(who)])
    refused = [[case.theirs, case.mdviews, case.implementation] for case in departures.ILL_FORMED]
    return table(["Departure", "mdview", "Implementations (answers)"], rows + refused)


def _features(departure, name):
    return [each for each in departure.features if each in implementations.IMPLEMENTATIONS[name].features]


def _tags():
    every = [fact for feature in KINDS for fact in facts_of(feature)]
    counts = Counter((REASONS[tag], who) for fact in every for tag, letters, _ in fact.departures for who in letters)
    rows = []
    for reason in dict.fromkeys(reason for reason, _ in counts):
        who = [
            f"{name} ({counts[reason, letter]})" for letter, name in recorded.LETTERS.items() if counts[reason, letter]
        ]
        rows.append([reason, ", ".join(who)])
    return table(["Departure", "Implementations (facts)"], rows)


def _own():
    every = [fact for file in recorded.FILES for fact in recorded.facts_of_file(file)]
    return table(
        ["mdview", "Facts"], [[each.reason, sum(each.applies(fact) for fact in every)] for each in skips.DEPARTURES]
    )


SYSTEMS = ("nx", "numojo", "p0009r00", "p3959", "scipp")
ALGEBRA = ("layouts", "operations", "strided")


def _systems():
    rows = []
    for name in SYSTEMS:
        every, asked = systems.cases(name), systems.asked(name)
        departing = sum(any(each.applies(case) for each in systems_rules.DEPARTURES) for case in every)
        rows.append([f"`systems/{name}.json`", len(every), len(asked), departing])
    for name in ALGEBRA:
        every = cases(f"algebra/{name}")
        departing = sum(any(each.applies(case) for each in algebra_rules.DEPARTURES) for case in every)
        rows.append([f"`algebra/{name}.json`", len(every), len(every), departing])
    return table(["File", "Cases", "Asked", "Departing"], rows)


def _not_asked():
    skipped = [f"cases of scipp: {skip.reason}" for skip in systems_rules.SKIPS]
    keys = [f"`{key}`: {reason}" for key, reason in algebra_rules.NOT_ASKED.items()]
    return "\n".join(f"- {each}" for each in (*skipped, *keys))


def _departing():
    chosen = {choice.said for choice in systems_rules.CHOICES}
    rules = [each for each in systems_rules.DEPARTURES if each.reason not in chosen]
    return "\n".join(f"- {each.reason}" for each in (*rules, *algebra_rules.DEPARTURES))
