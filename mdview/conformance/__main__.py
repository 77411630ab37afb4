"""The command line: ``python -m mdview.conformance cpp`` and ``python -m mdview.conformance python``."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from mdview.conformance import ask_cpp, ask_python
from mdview.conformance.python_libraries import template
from mdview.errors import MDViewError


def main(argv: Sequence[str] | None = None) -> int:
    """Run the suite; return 0 if all answers are as expected, 1 if some differ, 2 if the suite cannot run.

    Parameters
    ----------
    argv
        The arguments, by default those of the process.
    """
    options = vars(parser().parse_args(argv))
    ask, name = options.pop("ask"), options.pop("markdown")
    try:
        if options.pop("template", False):
            sys.stdout.write(template())
            return 0
        report = ask(**options)
        if name is not None:
            Path(name).write_text(report.to_markdown(), encoding="utf-8")
    except (MDViewError, OSError, subprocess.SubprocessError) as error:
        sys.stderr.write(f"mdview.conformance: {error}\n")
        return 2
    sys.stdout.write(report.to_markdown())
    return int(report.status)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments."""
    result = argparse.ArgumentParser(prog="python -m mdview.conformance", description=__doc__)
    commands = result.add_subparsers(required=True)
    cpp = commands.add_parser("cpp", help="ask an implementation of C++ mdspan")
    cpp.add_argument("--compiler", default="g++ -std=c++26", help="command with its options (default: %(default)s)")
    cpp.add_argument("--include", action="append", default=[], metavar="DIR", help="folder of headers; may be repeated")
    cpp.add_argument("--namespace", default="std", help="std, cuda::std or Kokkos (default: %(default)s)")
    cpp.add_argument("--seed", help="ask other questions")
    python = commands.add_parser("python", help="ask a Python library that claims the semantics of layouts")
    python.add_argument("adapter", nargs="?", default="", help="mymodule:adapter, an object with functions")
    python.add_argument("--template", action="store_true", help="print an adapter to fill in")
    for command, ask in ((cpp, ask_cpp), (python, ask_python)):
        command.set_defaults(ask=ask)
        command.add_argument("--only", nargs="+", default=[], metavar="FEATURE", help="ask about these features alone")
        command.add_argument("--markdown", metavar="FILE", help="write the report as Markdown")
    return result


if __name__ == "__main__":
    raise SystemExit(main())
