"""The command `mdview`: what files hold, where the indices of an expression lie, and whether a layout keeps its laws.

`program` finds the command; `info`, `draw`, `explain` and `certify` are one each, and load what they need when they
run. Whatever they are given, the outcome is an answer, or an error without a traceback and exit status 2. A reader
of the output may stop reading: the command ends with the status that it would have had.
"""

from mdview.cli.program import main

__all__ = ["main"]
