"""The command line: ``python -m mdview.conformance cpp`` and ``python -m mdview.conformance python``."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from mdview.conformance import CannotRunError, Report, adapters, ask_cpp, ask_python
from mdview.errors import MDViewError

FAILURE: Final = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run the suite; return 0 if all answers agree, 1 if some depart, 2 if it could not run.

    Parameters
    ----------
    argv
        The arguments; those of the process if None.
    """
    options = parser().parse_args(argv)
    try:
        if options.command == "python" and options.template:
            sys.stdout.write(adapters.template())
            return 0
        report = asked(options)
        for name, text in ((options.json, report.to_json()), (options.markdown, report.to_markdown())):
            if name is not None:
                Path(name).write_text(text, encoding="utf-8")
    except (MDViewError, OSError, subprocess.SubprocessError) as error:
        sys.stderr.write(f"mdview.conformance: {error}\n")
        return FAILURE
    sys.stdout.write(report.to_text())
    return report.status


def parser() -> argparse.ArgumentParser:
    """Return what reads the arguments."""
    result = argparse.ArgumentParser(prog="python -m mdview.conformance", description=__doc__)
    commands = result.add_subparsers(dest="command", required=True)
    cpp = commands.add_parser("cpp", help="ask an implementation of C++ mdspan")
    cpp.add_argument("--compiler", default="g++ -std=c++26", help="command with its options (default: %(default)s)")
    cpp.add_argument("--linker", help="command that links, if it is not the compiler")
    cpp.add_argument("--include", action="append", default=[], metavar="DIR", help="folder of headers; may be repeated")
    cpp.add_argument("--namespace", default="std", help="std, cuda::std or Kokkos (default: %(default)s)")
    cpp.add_argument("--seed", help="ask other questions")
    python = commands.add_parser("python", help="ask a Python library that claims the semantics of layouts")
    python.add_argument("adapter", nargs="?", help="mymodule:adapter, an object with the functions of the template")
    python.add_argument("--template", action="store_true", help="print an adapter to fill in")
    for each in (cpp, python):
        each.add_argument("--only", nargs="+", default=[], metavar="FEATURE", help="ask about these features alone")
        each.add_argument("--json", metavar="FILE", help="write the report as JSON")
        each.add_argument("--markdown", metavar="FILE", help="write the report as Markdown")
    return result


def asked(options: argparse.Namespace) -> Report:
    """Ask a compiler, or an adapter."""
    given = {name: value for name, value in vars(options).items() if name not in {"command", "json", "markdown"}}
    if options.command == "cpp":
        return ask_cpp(**given)
    if options.adapter is None:
        raise CannotRunError("no adapter: mymodule:adapter, and --template prints one")
    return ask_python(options.adapter, only=options.only)


if __name__ == "__main__":
    raise SystemExit(main())
