"""The modules that every checker is run on: the contract, inferred types, programs, pages and examples.

The contract is one module: a function for each case, after the preambles, so that a checker runs once.
"""

from __future__ import annotations

import gc
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from page_modules import ROOT, module_name, pages

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


PROGRAMS: Final = HERE / "programs"
STRICT: Final = ("mypy", "pyright-strict")
"""The checkers of pages and examples, whose imports take the others as long as all else."""


@cache
def texts() -> dict[str, str]:
    """The text of each module by its path.

    CPython 3.11 takes a tree for broken if a collection that runs while it is made leads to another one.
    """
    gc.disable()
    try:
        return _texts()
    finally:
        gc.enable()


def _texts() -> dict[str, str]:
    files = {path.relative_to(PROGRAMS): path for path in PROGRAMS.rglob("*.py")}
    files |= {path.relative_to(HERE): path for path in HERE.glob("reveal_*.py")}
    files |= {path.relative_to(ROOT): path for path in (ROOT / "examples").rglob("*.py")}
    found = {path.as_posix(): file.read_text(encoding="utf-8") for path, file in files.items()}
    found |= {f"pages/{module_name(path)}.py": page.text for path, page in pages().items()}
    return found | {"contract.py": build().text}


def write(folder: Path, checker: str) -> None:
    """Write those that a checker is asked about into a folder: pages and examples are for the strict ones alone."""
    for path, text in texts().items():
        if checker not in STRICT and path.startswith(("pages/", "examples/")):
            continue
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def code_at(path: str, line: int) -> str:
    """A line of a module, from 1; the empty text where there is none."""
    lines = texts()[path].splitlines()
    return lines[line - 1] if 0 < line <= len(lines) else ""
