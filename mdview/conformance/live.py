"""A comparison of an implementation of C++ mdspan with the draft, feature by feature."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Sequence
from typing import Final

from mdview.conformance import programs
from mdview.conformance.answers import answer
from mdview.conformance.compilers import CannotRunError, Implementation, build, refused, run_command, source
from mdview.conformance.corpus import Description, Question, others
from mdview.conformance.questions import FEATURES, Query, drawn
from mdview.conformance.reports import Compared, Report, Tally, tally

MOST_ENDS: Final = 256
"""How many questions may end the program before the rest is not asked."""
COMPILES: Final = "compiles"
"""The one part of an answer of a template that does not compile."""


def report(target: Implementation, only: Sequence[str] = (), seed: str | None = None) -> Report:
    """Ask an implementation about all features, or some of them."""
    unknown = [name for name in only if name not in FEATURES]
    if unknown:
        raise CannotRunError(f"no feature {unknown[0]!r}: --only takes {', '.join(FEATURES)}")
    chosen = [feature for feature in FEATURES if not only or feature in only]
    rows = [row(target, feature, drawn(feature, target.offers, seed)) for feature in chosen]
    return Report(f"{target.namespace}::mdspan, {target.compiler.version}", rows)


def row(target: Implementation, feature: str, queries: Sequence[Query]) -> Tally:
    """Ask about one feature."""

    def described(each: Compared) -> tuple[str, str, str]:
        return clause(each), others(each.question, each.keys), programs.program(target, each)

    if not queries:
        return Tally(feature, offered=False)
    return tally(feature, compare(queries, replies(target, queries)), described)


def asked(queries: Iterable[Query]) -> list[Question]:
    """Return the questions, one for each line of output."""
    return [question for query in queries for question in query.questions]


def compare(queries: Sequence[Query], theirs: Sequence[Description]) -> list[Compared]:
    """Compare answers with those of mdview, one by one."""
    return [
        Compared(question, {COMPILES: True} if COMPILES in its else answer(question), its)
        for question, its in zip(asked(queries), theirs, strict=True)
    ]


def replies(target: Implementation, queries: Sequence[Query]) -> list[Description]:
    """Compile what answers, run it, and return an answer for each question.

    A template that does not compile is one, and a question that ends the program.
    """
    templates, broken = list(dict.fromkeys(query.template for query in queries)), list[str]()
    with tempfile.TemporaryDirectory() as folder:
        try:
            program = build(target, source(templates), folder)
        except CannotRunError:
            broken = refused(target, templates)
            templates = [template for template in templates if template not in broken]
            program = build(target, source(templates), folder)
        told = iter(_lines(str(program), templates, [query for query in queries if query.template not in broken]))
        return [
            {COMPILES: False} if query.template in broken else next(told) for query in queries for _ in query.questions
        ]


def _lines(program: str, templates: Sequence[str], queries: Sequence[Query]) -> list[Description]:
    """Run a program for these queries, again after each that ends it."""
    places = {template: place for place, template in enumerate(templates)}
    lines = [" ".join(map(str, (places[query.template], *query.numbers))) for query in queries]
    found, begin = list[Description](), 0
    for _ in range(MOST_ENDS):
        output = run_command([program], "\n".join(lines[begin:])).stdout.splitlines()
        told = [json.loads(line) for line in output if line.endswith("}")]
        while begin < len(queries) and len(queries[begin].questions) <= len(told):
            found += told[: len(queries[begin].questions)]
            del told[: len(queries[begin].questions)]
            begin += 1
        if begin == len(queries):
            break
        found += [{"ends": True} for _ in queries[begin].questions]
        begin += 1
    return [*found, *[{"ends": True} for _ in asked(queries[begin:])]]


# --- the clauses of the draft ----------------------------------------------------------------------------------------

CLAUSES: Final = {
    "extents": "mdspan.extents.cons",
    "extents_from_values": "mdspan.extents.cons",
    "extents_convert": "mdspan.extents.cons",
    "extents_equal": "mdspan.extents.cmp",
    "mdspan_conv": "mdspan.mdspan.cons",
    "accessor_conv": "mdspan.accessor",
    "view": "mdspan.mdspan.members",
    "preconditions": "mdspan.extents.cons, mdspan.layout, mdspan.sub",
    "linalg_transposed_mapping": "linalg.transp.layout.transpose",
    "transposed": "linalg.transp.transposed",
    "scaled": "linalg.scaled.scaled",
    "conjugated": "linalg.conj.conjugated",
    "conjugate_transposed": "linalg.conjtransposed",
}
"""The clause of the C++ working draft for each kind of question; those of mappings depend on the layout."""


def clause(compared: Compared) -> str:
    """Return the clause of the draft that decides."""
    kind, given = compared.question.kind, compared.question.given
    layouts = [
        each.get("layout", "").replace("_padded", "pad") for each in (compared.question.source, given.get("to", {}))
    ]
    of_draft = [layout for layout in layouts if layout in {"left", "right", "stride", "leftpad", "rightpad"}]
    name = CLAUSES.get(kind)
    if name is None and of_draft:
        is_made = kind in {"mapping_type", "value_convert"} and {*compared.keys} <= {"conv", "extents", COMPILES}
        name = f"mdspan.layout.{of_draft[-1]}.{'cons' if is_made else 'obs'}"
        name = f"mdspan.sub.map.{of_draft[0]}" if kind == "submdspan" else name
    return f"[{name}]" if name else "No clause of the draft: an extension, as mdview computes it"
