"""Type checkers: each takes a folder of files and gives its diagnostics, one form for all.

A checker is a program and a mode. It runs once over all files, since most of its time goes into what they import.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]
CACHE: Final = ROOT / ".mypy_cache" / "contract"
UNTYPED_PARTNERS: Final = """
follow_imports = silent
[mypy-numba.*,llvmlite.*,tqdm.*]
ignore_missing_imports = true
follow_imports = skip
"""
"""Modules of the library are not looked at here; some partners have no types."""


class Diagnostic(NamedTuple):
    """What a checker says of a line. The path is relative to the folder checked."""

    path: str
    line: int
    severity: str
    rule: str
    message: str


def ran(command: list[str], folder: Path, environment: dict[str, str] | None = None) -> str:
    """The output of a checker, which must have come to an end: 0 is nothing found, 1 something."""
    given = {**os.environ, **(environment or {})}
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=folder, env=given, check=False)
    if done.returncode not in {0, 1} or not done.stdout:
        message = f"{command[0:3]} gave {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
        raise RuntimeError(message)
    return done.stdout


def program(name: str) -> str:
    """A checker that is no Python module lies beside the interpreter."""
    return str(Path(sys.executable).with_name(name))


def mypy(folder: Path) -> list[Diagnostic]:
    """Notes are diagnostics, too: they are lines that the user gets to read."""
    # The cache is of these checks alone: options differ from those of the project, and each would empty that of the other.
    path = folder / "mypy.ini"
    path.write_text(f"[mypy]\nstrict = true\ncache_dir = {CACHE.as_posix()}\n{UNTYPED_PARTNERS}", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", f"--config-file={path.name}", *files(folder)]
    text = ran(command, folder, {"MYPYPATH": str(ROOT)})
    pattern = re.compile(r"^([^:\n]*):(\d+): (error|note): (.*?)(?:  \[([a-z-]+)\])?$", re.MULTILINE)
    return [
        Diagnostic(Path(path).as_posix(), int(line), severity, rule, message)
        for path, line, severity, message, rule in pattern.findall(text)
    ]


def files(folder: Path) -> list[str]:
    """All modules of a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.py"))


def pyright(mode: str, module: str = "pyright") -> Callable[[Path], list[Diagnostic]]:
    """Pyright, or the one that is based on it, in a mode."""

    def run(folder: Path) -> list[Diagnostic]:
        config: dict[str, object] = {"typeCheckingMode": mode, "extraPaths": [str(ROOT)]}
        config["reportUnusedCallResult"] = "none"  # on in one mode, and on the style of code alone
        path = folder / f"{module}-{mode}.json"
        path.write_text(json.dumps(config), encoding="utf-8")
        command = [sys.executable, "-m", module, "--outputjson", "-p", path.name, "--pythonpath", sys.executable]
        return [
            Diagnostic(
                Path(found["file"]).resolve().relative_to(folder).as_posix(),
                found["range"]["start"]["line"] + 1,
                found["severity"],
                found.get("rule", ""),
                found["message"],
            )
            for found in json.loads(ran(command, folder))["generalDiagnostics"]
        ]

    return run


def pyrefly(folder: Path) -> list[Diagnostic]:
    options = ["--preset=strict", "--output-format=json", "--summary=none"]
    command = [program("pyrefly"), "check", *options, f"--search-path={ROOT}", *files(folder)]
    found = json.loads(ran([*command, f"--python-interpreter-path={sys.executable}"], folder))["errors"]
    return [
        Diagnostic(Path(e["path"]).as_posix(), e["line"], e["severity"], e["name"], e["description"]) for e in found
    ]


def ty(folder: Path) -> list[Diagnostic]:
    options = ["--output-format=gitlab", "--no-progress", "--project=."]
    command = [program("ty"), "check", *options, f"--extra-search-path={ROOT}", f"--python={sys.prefix}"]
    return [
        Diagnostic(
            Path(e["location"]["path"]).as_posix(),
            e["location"]["positions"]["begin"]["line"],
            e["severity"],
            e["check_name"],
            e["description"].removeprefix(f"{e['check_name']}: "),
        )
        for e in json.loads(ran([*command, *files(folder)], folder))
    ]


CHECKERS: Final[dict[str, Callable[[Path], list[Diagnostic]]]] = {
    "mypy": mypy,
    "pyright-basic": pyright("basic"),
    "pyright-strict": pyright("strict"),
    "basedpyright": pyright("recommended", "basedpyright"),
    "pyrefly": pyrefly,
    "ty": ty,
}
