"""The command `mdview`: what files hold, where the indices of an expression lie, and whether a layout keeps its laws.

`entry_point` finds a command and prints its outcome, `option_parsing` reads what it takes; `file_commands`,
`expression_commands` and `certify_command` have the commands, and load when one of theirs is asked for. Whatever they
are given, the outcome is an answer, or an error without a traceback and exit status 2. A reader of the output may stop
reading: the command ends with the status that it would have had.
"""

from mdview.cli.entry_point import main

__all__ = ["main"]
