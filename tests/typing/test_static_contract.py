"""The static contract: every case under mypy --strict and under pyright, basic and strict.

All cases go into one module, a function each, so that each checker runs once per preamble and mode.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FILES = {name: json.loads((HERE / name).read_text()) for name in ("cases.json", "own_cases.json")}
PREAMBLE = FILES["cases.json"]["preamble"] + FILES["own_cases.json"]["preamble"]
CASES = {case["id"]: case for file in FILES.values() for case in file["cases"]}
CHECKERS = ("mypy", "pyright-basic", "pyright-strict")
# What strict adds about the style of a snippet, not about its types.
STYLE = {
    f"report{name}": "none"
    for name in (
        "MissingTypeStubs", "UnusedVariable", "UnusedClass", "UnusedFunction", "UnusedImport", "UnusedExpression",
        "PrivateUsage", "InvalidTypeVarUse", "UnnecessaryTypeIgnoreComment", "RedeclaredVariable",
    )
}  # fmt: skip


@dataclass(frozen=True)
class Module:
    """The generated module: its text, and the lines of each case."""

    text: str
    lines: dict[str, range]


def build() -> Module:
    parts, lines, at = [PREAMBLE + "\n"], {}, (PREAMBLE + "\n").count("\n") + 1
    for name, case in CASES.items():
        body = "".join(f"    {line}\n" for line in case["code"].splitlines())
        text = f"def case_{name.replace('-', '_')}({case['params']}) -> None:\n{body}\n"
        lines[name] = range(at, at + text.count("\n"))
        at += text.count("\n")
        parts.append(text)
    return Module("".join(parts), lines)


@cache
def errors(checker: str) -> dict[int, list[str]]:
    """The checker's errors by line of the generated module."""
    folder = Path(mkdtemp(prefix="mdview-typing-"))
    path = folder / "contract.py"
    try:
        path.write_text(build().text)
        found = run_mypy(path) if checker == "mypy" else run_pyright(path, checker.removeprefix("pyright-"))
    finally:
        shutil.rmtree(folder)
    result: dict[int, list[str]] = {}
    for line, message in found:
        result.setdefault(line, []).append(message)
    return result


def run_mypy(path: Path) -> list[tuple[int, str]]:
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--no-error-summary", str(path)]
    environment = {**os.environ, "MYPYPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    if done.returncode > 1:
        raise RuntimeError(done.stdout + done.stderr)
    # The name alone: from its cache mypy reports the folder of an earlier run.
    pattern = re.compile(rf"^.*{re.escape(path.name)}:(\d+): error: (.*)$", re.MULTILINE)
    return [(int(line), message) for line, message in pattern.findall(done.stdout)]


def run_pyright(path: Path, mode: str) -> list[tuple[int, str]]:
    config = {"typeCheckingMode": mode, "extraPaths": [str(ROOT)], "include": [path.name], **STYLE}
    (path.parent / "pyrightconfig.json").write_text(json.dumps(config))
    command = [sys.executable, "-m", "pyright", "--outputjson", "-p", str(path.parent), "--pythonpath", sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    diagnostics = json.loads(done.stdout)["generalDiagnostics"]
    return [(d["range"]["start"]["line"] + 1, d["message"]) for d in diagnostics if d["severity"] == "error"]


@pytest.mark.parametrize("checker", CHECKERS)
def test_preamble(checker: str) -> None:
    last = PREAMBLE.count("\n") + 1
    assert [message for line, found in errors(checker).items() if line <= last for message in found] == []


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("name", CASES)
def test_case(name: str, checker: str) -> None:
    found = [message for line in build().lines[name] for message in errors(checker).get(line, [])]
    case = CASES[name]
    if case["expect"] == "pass":
        assert found == [], case["title"]
    else:
        assert found, f"{case['title']}: accepted"


@pytest.mark.parametrize("checker", CHECKERS)
def test_reveal_cases(checker: str) -> None:
    folder = Path(mkdtemp(prefix="mdview-typing-"))
    try:
        path = Path(shutil.copy(HERE / "reveal_cases.py", folder))
        found = run_mypy(path) if checker == "mypy" else run_pyright(path, checker.removeprefix("pyright-"))
    finally:
        shutil.rmtree(folder)
    assert found == []
