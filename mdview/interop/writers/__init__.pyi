# Public names for type checkers: those of `_on_first_use` in __init__.py.

from mdview.interop.writers.writer_conflicts import Conflict as Conflict, aligned as aligned, conflicts as conflicts
