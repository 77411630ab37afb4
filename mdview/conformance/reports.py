"""Reports of a comparison: per feature what was asked, and each departure with a program that shows it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, final

from mdview.conformance import corpus

VERSION: Final = 1
"""Version of the JSON report."""


@final
@dataclass(frozen=True)
class Departure:
    """Answers of one kind that differ from the draft in the same parts, by the smallest of them."""

    feature: str
    title: str
    answers: int
    clause: str
    expected: Mapping[str, Any]
    got: Mapping[str, Any]
    others: str
    program: str


@final
@dataclass
class Tally:
    """A feature: how many answers there are, how many agree, and whether it is offered at all."""

    feature: str
    asked: int = 0
    agreed: int = 0
    offered: bool = True
    departures: list[Departure] = field(default_factory=list)

    @property
    def departed(self) -> int:
        """How many answers depart."""
        return self.asked - self.agreed


@final
@dataclass(frozen=True)
class Report:
    """What was asked, of whom, and what was found."""

    subject: str
    rows: Sequence[Tally]

    @property
    def status(self) -> int:
        """Exit status: 0 if all answers agree, 1 if some depart."""
        return int(any(row.departed or row.departures for row in self.rows))

    def to_json(self) -> str:
        """Report as JSON; `data/REPORT.schema.json` is its schema."""
        rows = [{**asdict(row), "departed": row.departed} for row in self.rows]
        content = {"version": VERSION, "subject": self.subject, "status": self.status, "features": rows}
        return json.dumps(content, indent=1) + "\n"

    def to_text(self) -> str:
        """Report for a terminal."""
        return "\n".join([self.subject, "", *_aligned(self._table()), *self._departures("    ", "")]) + "\n"

    def to_markdown(self) -> str:
        """Report as a page."""
        head, *rows = self._table()
        lines = [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]
        return "\n".join([f"# {self.subject}", "", *lines, *self._departures("", "```")]) + "\n"

    def _table(self) -> list[list[str]]:
        rows = [["feature", "asked", "agreed", "departed"]]
        for row in self.rows:
            counts = (row.asked, row.agreed, row.departed)
            rows.append([row.feature, *([f"{n:,}" for n in counts] if row.offered else ["not offered", "", ""])])
        total = [sum(row.asked for row in self.rows), sum(row.agreed for row in self.rows)]
        return [*rows, ["all", f"{total[0]:,}", f"{total[1]:,}", f"{total[0] - total[1]:,}"]]

    def _departures(self, indent: str, fence: str) -> Iterable[str]:
        for row in self.rows:
            for each in row.departures:
                yield from ("", f"{'## ' if fence else ''}{each.feature}: {each.title} ({each.answers:,} answers)", "")
                yield f"{indent}{each.clause}. The draft: {shown(each.expected)}; here: {shown(each.got)}."
                yield f"{indent}{each.others}"
                yield from ("", f"{fence}cpp") if fence else ()
                yield from (f"{indent}{line}" for line in each.program.splitlines())
                yield from (fence,) if fence else ()


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join([row[0].ljust(widths[0]), *[c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True)]]).rstrip()
        for row in rows
    ]


def shown(answer: Mapping[str, Any]) -> str:
    """Answer in words; long values are cut."""
    texts = [f"{key} {str(value)[:60]}" for key, value in answer.items()]
    return ", ".join(texts) or "nothing"


# --- what the draft and others say -----------------------------------------------------------------------------------

LAYOUT_CLAUSES: Final = {
    "left": "mdspan.layout.left",
    "right": "mdspan.layout.right",
    "stride": "mdspan.layout.stride",
    "left_padded": "mdspan.layout.leftpad",
    "right_padded": "mdspan.layout.rightpad",
}
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
    "live_transposed": "linalg.transp.transposed",
    "live_scaled": "linalg.scaled.scaled",
    "live_conjugated": "linalg.conj.conjugated",
    "live_conjugated_real": "linalg.conj.conjugated",
    "live_conjugate_transposed": "linalg.conjtransposed",
}
"""The clause of the C++ working draft for each kind of question; those of mappings depend on the layout."""
RECORDED: Final[dict[str, tuple[str, str | None]]] = {
    "mapping": ("mappings", None),
    "ctor_default": ("mappings", "ctor_default"),
    "mapping_type": ("conversions", "mapping"),
    "extents": ("conversions", "extents"),
    "extents_equal": ("conversions", "extents_equal"),
    "value_convert": ("conversions", "value_convert"),
    "value_equal": ("conversions", "value_equal"),
    "submdspan": ("submdspan", None),
    "mdspan_conv": ("accessors", "mdspan_conv"),
    "accessor_conv": ("accessors", "accessor_conv"),
    "linalg_transposed_mapping": ("accessors", "linalg_transposed_mapping"),
}
"""Where answers of implementations to a kind of question are recorded: the file, and the group if it is not all."""


def source_of(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a question is about: the mapping that is sliced or converted, or all that is given."""
    found: Mapping[str, Any] = next((given[key] for key in ("src", "from", "nested", "a") if key in given), given)
    return found


def clause(kind: str, given: Mapping[str, Any], keys: Sequence[str]) -> str:
    """Return the clause of the draft that decides."""
    layout = LAYOUT_CLAUSES.get(source_of(given).get("layout", ""))
    name = CLAUSES.get(kind.removesuffix("_cccl"))
    if name is None and kind == "submdspan":
        name = f"mdspan.sub.map.{layout.rpartition('.')[2]}" if layout else "mdspan.sub"
    elif name is None and layout:
        target = given.get("to", given)
        part = "cons" if kind in {"mapping_type", "value_convert"} and set(keys) <= {"conv", "extents"} else "obs"
        name = f"{LAYOUT_CLAUSES.get(target.get('layout', ''), layout)}.{part}"
    return f"[{name}]" if name else "No clause of the draft: an extension, as mdview computes it"


def others(kind: str, given: Mapping[str, Any], keys: Iterable[str]) -> str:
    """Say what recorded implementations answer to questions of this kind about the same layout."""
    file, group = RECORDED.get(kind, (None, None))
    layout = source_of(given).get("layout")
    chosen = [
        fact
        for fact in (corpus.facts(file) if file else ())
        if group in {None, fact.group} and source_of(fact.given).get("layout") == layout
    ]
    if not chosen:
        return "Recorded implementations: not asked."
    wanted, otherwise = set(keys), dict[str, set[str]]()
    for fact in chosen:
        for why, letters, differing in fact.departures:
            if wanted & set(differing):
                for letter in letters:
                    otherwise.setdefault(letter, set()).add(why)
    asked = {letter for fact in chosen for letter in fact.agreeing}
    agreeing = [name for letter, name in corpus.LETTERS.items() if letter in asked and letter not in otherwise]
    departing = [f"{corpus.LETTERS[c]} ({', '.join(sorted(whys))})" for c, whys in otherwise.items()]
    told = f"as the draft {', '.join(agreeing) or 'none'}" + (
        f"; otherwise {', '.join(departing)}" if departing else ""
    )
    return f"Recorded implementations ({len(chosen)} facts of this kind): {told}."
