"""The static contract as one module: a function for each case, after the preambles, so that a checker runs once."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
# "cases.json" is the first one; the preambles of the others build on its.
FILES = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(HERE.glob("*cases.json"))}
PREAMBLE = FILES["cases.json"]["preamble"] + "".join(
    [file["preamble"] for name, file in FILES.items() if name != "cases.json"]
)
CASES = {case["id"]: case for file in FILES.values() for case in file["cases"]}


@dataclass(frozen=True)
class Module:
    """The generated module: its text, and the lines of each case."""

    text: str
    lines: dict[str, range]


@cache
def build() -> Module:
    """Write the module."""
    parts, lines, at = [PREAMBLE + "\n"], {}, (PREAMBLE + "\n").count("\n") + 1
    for name, case in CASES.items():
        body = "".join(f"    {line}\n" for line in case["code"].splitlines())
        text = f"def case_{name.replace('-', '_')}({case['params']}) -> None:\n{body}\n"
        lines[name] = range(at, at + text.count("\n"))
        at += text.count("\n")
        parts.append(text)
    return Module("".join(parts), lines)
