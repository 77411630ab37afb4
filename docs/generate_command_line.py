"""Generate the sections of the page on the command line from the help texts of the command `mdview`.

Run by Sphinx (see conf.py) and by hand: ``python docs/generate_command_line.py``.
"""

# ruff: noqa: INP001 - a script beside the pages, no module
from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

TARGET: Final = Path(__file__).parent / "_generated" / "command_line.md"
COMMAND: Final = re.compile(r"^ {4}([a-z]+)(?: {2,}|$)", re.MULTILINE)
"""A line of the overview that begins with the name of a command."""


def help_of(*command: str) -> str:
    """Return the output of ``mdview COMMAND --help``."""
    return subprocess.run(  # noqa: S603 - the command of this package, without input from anywhere
        [sys.executable, "-m", "mdview", *command, "--help"],
        env={**os.environ, "COLUMNS": "78", "NO_COLOR": "1"},
        capture_output=True,
        check=True,
        text=True,
    ).stdout


def text() -> str:
    """Return the sections of the page: the overview, completion, and the help of each command."""
    overview = help_of()
    names = COMMAND.findall(overview)
    completion = f'complete -o default -W "{" ".join(names)} --help --version" mdview'
    sections = ["```text", overview.rstrip(), "```", ""]
    sections += [
        "This line in `~/.bashrc` completes commands and names of files. zsh needs",
        "`autoload -U +X bashcompinit && bashcompinit` before it.",
        "",
    ]
    sections += ["```sh", completion, "```", ""]
    for name in names:
        sections += [f"## mdview {name}", "", "```text", help_of(name).rstrip(), "```", ""]
    return "\n".join(sections)


def write() -> None:
    """Write the sections into the file that the page includes; an unchanged file is not touched."""
    written = text()
    TARGET.parent.mkdir(exist_ok=True)
    if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != written:
        TARGET.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    write()
