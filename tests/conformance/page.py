"""Write `docs/conformance.md`: what was asked, who agrees, and who departs, counted in a run.

``python tests/conformance/page.py`` writes the page, with ``--check`` it only tells whether the page is up to date.
It runs all facts of `data/cpp` and all live comparisons, so it needs the extra `conformance`.
"""

import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(HERE), str(HERE / "cpp")]

import comparison
import cpp_adapter as cpp
import cpp_answers as answers
import departures
import implementations
import skips

PAGE = ROOT / "docs" / "conformance.md"
COMMAND = "python tests/conformance/page.py"


@dataclass(frozen=True)
class Feature:
    """A line of the tables: groups of facts by file, and the live comparison of the same name."""

    name: str
    groups: dict[str, tuple[str, ...]]

    def facts(self) -> list[cpp.Fact]:
        """Return the facts of the feature; no groups named are all groups of the file."""
        chosen = [(file, names or cpp.groups(file)) for file, names in self.groups.items()]
        return [fact for file, names in chosen for fact in cpp.facts(file) if fact.group in names]


FEATURES = (
    Feature("extents", {"conversions": ("extents", "extents_equal")}),
    Feature("mappings", {"mappings": ()}),
    Feature("relations of mapping types", {"conversions": ("mapping",)}),
    Feature("conversions of mappings", {"conversions": ("value_convert",)}),
    Feature("comparisons of mappings", {"conversions": ("value_equal",)}),
    Feature("views", {"accessors": ("mdspan_default_constructible", "mdspan_from_ints", "submdspan_accessor")}),
    Feature("relations of view types", {"accessors": ("mdspan_conv",)}),
    Feature(
        "relations of accessors",
        {
            "accessors": (
                *("accessor_conv", "accessor_conv_cccl", "accessor_types"),
                *("aligned_wellformed", "default_wellformed"),
            )
        },
    ),
    Feature("subviews", {"submdspan": ()}),
    Feature(
        "linear algebra",
        {
            "accessors": (
                *("linalg_transposed_mapping", "linalg_transposed", "linalg_scaled", "linalg_scaled_nested"),
                *("linalg_conjugated", "linalg_conjugated_real", "linalg_conjugate_transposed"),
            )
        },
    ),
    Feature("preconditions", {"preconditions": ()}),
)

LETTERS = {
    "S": "libstdc++ 16.2",
    "C": "libc++ 23.1",
    "c": "libc++ 22.1",
    "K": "kokkos 2025",
    "k": "kokkos 2024",
    "N": "CCCL 13.3",
}

REASONS = {
    "LWG4266": "`is_exhaustive` of `layout_stride` over an empty index space by the older rule",
    "WRONG-elements-cccl-11520": "a repacked `layout_right`, which reads other elements than the slice names",
    "array-element-accepted": "`default_accessor` of a C++ array is accepted",
    "cccl-aligned-to-default-reversed-const": "`aligned_accessor` to `default_accessor` asks `const` the wrong way round",
    "cccl-static-strided_slice": "a `strided_slice` with compile-time parts does not compile",
    "eq-through-implicit-conversion": "`==` through an implicit conversion is not found",
    "gcc16-rank0-bug": "`submdspan` of rank 0 does not compile",
    "kokkos25-static-padding-bug": "a wrong static padding is deduced, and an assertion stops it",
    "layout-not-preserved": "a subview is `layout_stride` although left or right applies",
    "mandates": "a conversion that the draft makes ill-formed compiles",
    "no-padded-result": "a subview is `layout_stride` although a padded layout applies",
    "no-such-conversion": "a conversion that the draft lacks exists",
    "padded-always-exhaustive-static-0": "a dynamic padding over a static extent 0 is always exhaustive",
    "padded-explicit-rule": "between padded layouts, implicit and explicit are exchanged",
    "padded-span": "the span counts the last padding",
    "padded-span-empty": "the span of an empty padded mapping is not 0",
    "padded-span-not-last-offset-plus-1": "the span is the padded stride times the product of the other extents",
    "padded-to-stride-implicit": "padded to `layout_stride` is explicit",
    "padding-0": "a padding of 0 does not leave the stride at the extent",
    "past-the-end-offset": "a slice at the end of its dimension does not have the offset `required_span_size()`",
    "rank<=1-other-side-to-padded": "right to left-padded, and the reverse, does not convert up to rank 1",
    "static-padding-0-not-deduced": "no static padding is deduced from a static extent 0",
    "static-padding-0-rejected": "a static padding of 0 does not compile",
    "stride-of-0-or-1-element-slice": "the stride of a slice multiplies although it selects no second element",
    "unit-stride-strided_slice-not-recognised": "a compile-time stride 1 does not keep the layout",
}
"""What each tag of the facts says that an implementation does; mdview answers as the draft has it."""


def table(head: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Return a table in Markdown."""
    columns = list(head)
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def text() -> str:
    """Return the whole page."""
    return "\n\n".join([
        _opening(),
        "## Facts",
        "All facts of `tests/conformance/data/cpp` are run; `tests/conformance/data/PROVENANCE.md` says where they come "
        "from. A fact is skipped only for a reason named here.",
        _facts(),
        _skips(),
        "## Agreement",
        "Per feature: how many facts and how many live answers mdview was compared with, and, of the facts that an "
        "implementation was asked, how many it answers as the draft does. mdview gives the draft's answer to each "
        "but for its own departures below. A dash: the implementation does not have the feature, or was not asked.",
        _agreement(),
        "## Departures found live",
        "Each is a model in `tests/conformance/cpp/departures.py` that makes the implementation's answer from mdview's. "
        "Answers have to equal the model's exactly, and each departure has to show, so one that is repaired fails the "
        "tests until it is dropped.",
        _live(),
        "## Departures in the facts",
        "Where an implementation did not give the draft's answer. mdview does.",
        _tags(),
        "## Where mdview departs",
        "On purpose, each for the reason given; the list is `tests/conformance/skips.py`.",
        _own(),
    ]) + "\n"  # fmt: skip


def _opening() -> str:
    libcxx, cccl = implementations.LIBCXX, implementations.CCCL
    asked = {each.name: sum(_compared(each.name).values()) for each in (libcxx, cccl)}
    return f"""<!-- Written by `{COMMAND}`; do not edit. -->
# Conformance

What mdview says about extents, layouts, slices, accessors and conversions is compared with implementations of C++
mdspan, in two ways.

*Facts* are answers that six implementations gave when they were compiled and run; the reference answer is that of the
C++26 working draft. *Live* comparisons compile programs here, ask them random questions (the same ones in every run),
and compare each answer:

- libc++ {implementations.libcxx_version()} of `{libcxx.package}` {libcxx.version}: {asked[libcxx.name]:,} answers
- CCCL of `{cccl.package}` {cccl.version}, with `submdspan`, `layout_stride_relaxed` and the views of `linalg`:
  {asked[cccl.name]:,} answers

No difference is unexplained. Neither of the two has padded layouts, and libc++ has no `submdspan`: there the facts
speak alone. To repeat it: `pip install 'mdview-layouts[test]'`, then `pytest tests/conformance`."""


def _compared(name: str) -> dict[str, int]:
    features = implementations.IMPLEMENTATIONS[name].features
    return {feature: comparison.live(name, feature).answers for feature in features}


def _facts() -> str:
    rows = []
    for file in cpp.FILES:
        every = cpp.facts(file)
        asked = [fact for fact in every if skips.reason_to_skip(fact) is None]
        wrong = [fact for fact in asked if cpp.difference(fact, answers.of_group(file, fact.group))]
        skipped = len(every) - len(asked)
        share = f"{skipped} ({skipped / len(every):.1%})"
        rows.append([f"`{file}.json`", len(every), len(asked) - len(wrong), len(wrong), share])
    return table(["File", "Facts", "Passed", "Failed", "Skipped"], rows)


def _skips() -> str:
    every = [fact for file in cpp.FILES for fact in cpp.facts(file)]
    counts = Counter(skips.reason_to_skip(fact) for fact in every)
    return table(["Skipped", "Because"], [[counts[skip.reason], skip.reason] for skip in skips.SKIPS])


def _agreement() -> str:
    names = list(implementations.IMPLEMENTATIONS)
    compared = {name: _compared(name) for name in names}
    rows = []
    for feature in FEATURES:
        facts = feature.facts()
        live = [f"{compared[name][feature.name]:,}" if feature.name in compared[name] else "–" for name in names]
        rows.append([feature.name, f"{len(facts):,}", *live, *[_agreeing(facts, letter) for letter in LETTERS]])
    return table(["Feature", "Facts", *[f"Live {name}" for name in names], *LETTERS.values()], rows)


def _agreeing(facts: list[cpp.Fact], letter: str) -> str:
    answers = [fact for fact in facts if fact.file != "preconditions"]
    agreeing = sum(letter in fact.agreeing for fact in answers)
    departing = sum(letter in letters for fact in answers for _, letters in fact.departures)
    return f"{agreeing:,} of {agreeing + departing:,}" if agreeing + departing else "–"


def _live() -> str:
    rows = []
    for each in departures.MODELS:
        for name in each.implementations:
            shown = sum(comparison.live(name, feature).shown[each.name] for feature in _features(each, name))
            rows.append([name, ", ".join(_features(each, name)), each.theirs, each.mdviews, f"{shown:,}"])
    for case in departures.ILL_FORMED:
        rows.append([case.implementation, "subviews", case.theirs, case.mdviews, "compiled"])
    return table(["Implementation", "Feature", "Departure", "mdview", "Answers"], rows)


def _features(departure: departures.Departure, name: str) -> list[str]:
    return [each for each in departure.features if each in implementations.IMPLEMENTATIONS[name].features]


def _tags() -> str:
    counts = Counter(
        (feature.name, tag, letter)
        for feature in FEATURES
        for fact in feature.facts()
        for tag, letters in fact.departures
        for letter in letters
    )
    rows: dict[tuple[str, str], list[str]] = {}
    for (feature, tag, letter), count in counts.items():
        rows.setdefault((tag, feature), []).append(f"{LETTERS[letter]} ({count})")
    return table(
        ["Feature", "Departure", "Implementations (facts)"],
        [[feature, REASONS[tag], ", ".join(sorted(who))] for (tag, feature), who in sorted(rows.items())],
    )


def _own() -> str:
    every = [fact for file in cpp.FILES for fact in cpp.facts(file)]
    return table(
        ["mdview", "Facts"],
        [[each.reason, sum(each.applies(fact) for fact in every)] for each in skips.DEPARTURES],
    )


def main() -> int:
    """Write the page, or check it."""
    written, found = text(), PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if "--check" in sys.argv[1:]:
        print("up to date" if found == written else f"{PAGE} is out of date: run {COMMAND}")
        return int(found != written)
    PAGE.write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
