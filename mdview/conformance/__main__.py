"""The command line ``python -m mdview.conformance cpp``: ask an implementation of C++ mdspan, and print the report."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from mdview.conformance import ask_cpp
from mdview.errors import MDViewError


def main(argv: Sequence[str] | None = None) -> int:
    """Run the suite; return 0 if all answers are as expected, 1 if some differ, 2 if the suite cannot run.

    Parameters
    ----------
    argv
        The arguments, by default those of the process.
    """
    options = vars(parser().parse_args(argv))
    name = options.pop("markdown")
    try:
        report = ask_cpp(**options)
        if name is not None:
            Path(name).write_text(report.to_markdown(), encoding="utf-8")
    except (MDViewError, OSError, subprocess.SubprocessError) as error:
        sys.stderr.write(f"mdview.conformance: {error}\n")
        return 2
    sys.stdout.write(report.to_markdown())
    return report.status


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    result = argparse.ArgumentParser(prog="python -m mdview.conformance", description=__doc__)
    cpp = result.add_subparsers(required=True).add_parser("cpp", help="ask an implementation of C++ mdspan")
    cpp.add_argument("--compiler", default="g++ -std=c++26", help="command with its options (default: %(default)s)")
    cpp.add_argument("--include", action="append", default=[], metavar="DIR", help="folder of headers; may be repeated")
    cpp.add_argument("--namespace", default="std", help="std, cuda::std or Kokkos (default: %(default)s)")
    cpp.add_argument("--seed", help="ask other questions")
    cpp.add_argument("--only", nargs="+", default=[], metavar="FEATURE", help="ask about these features alone")
    cpp.add_argument("--markdown", metavar="FILE", help="write the report as Markdown")
    return result


if __name__ == "__main__":
    raise SystemExit(main())
