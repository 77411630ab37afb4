"""Recorded answers of C++ implementations of mdspan, and which answers are the same.

Answers agree if keys, entries and types of values agree. True differs from 1, and a static extent from a plain number;
but 1.0 equals 1, as in JSON.
"""

import json
from functools import cache
from typing import Any, NamedTuple

from recorded import DATA

FILES = ("mappings", "submdspan", "conversions", "preconditions", "accessors")
LETTERS = {
    "S": "libstdc++ 16.2",
    "C": "libc++ 23.1",
    "c": "libc++ 22.1",
    "K": "kokkos 2025",
    "k": "kokkos 2024",
    "N": "CCCL 13.3",
}
"""The implementations that have answered, by the letter that the facts give them."""


class Fact(NamedTuple):
    """A question of a ``kind`` and its answer, see `data/cpp/SCHEMA.md`; runners are parametrised by ``group``.

    Implementations have letters: those that gave this answer, and those that did not, by reason.
    """

    file: str
    id: str
    group: str
    kind: str
    given: dict[str, Any]
    expected: dict[str, Any]
    undefined: bool
    agreeing: str
    departures: tuple[tuple[str, str], ...]


@cache
def facts_of_file(file):
    """All facts of a file."""
    content = json.loads((DATA / "cpp" / f"{file}.json").read_text(encoding="utf-8"))
    return tuple([_fact(file, entry) for entry in content["facts"]])


def _fact(file, entry):
    given = entry["in"]
    expected = {"valid": given["valid"]} if file == "preconditions" else entry["out"]
    group = given.get("kind") or given.get("what") or given["grp"]
    kind = {"conversions": "mapping_type" if group == "mapping" else group, "accessors": group}.get(file, file)
    kind = group if group == "ctor_default" else "mapping" if kind == "mappings" else kind
    departures = tuple([(other["why"], other["impl"]) for other in entry.get("other", ())])
    return Fact(file, entry["id"], group, kind, given, expected, entry.get("ub", False), entry["impl"], departures)


NUMBERS = {int, float}


def same(answer, expected):
    """Tell whether an answer equals the expected one; a tuple equals a list of JSON."""
    if isinstance(expected, dict):
        return isinstance(answer, dict) and not differing(answer, expected)
    if isinstance(expected, list):
        return isinstance(answer, list | tuple) and len(answer) == len(expected) and all(map(same, answer, expected))
    return (type(answer) is type(expected) or {type(answer), type(expected)} == NUMBERS) and answer == expected


def differing(answer, expected):
    """Return the keys with different values, those that only one of the two has included."""
    absent = object()
    both = {**expected, **answer}
    return tuple([key for key in both if not same(answer.get(key, absent), expected.get(key, absent))])
