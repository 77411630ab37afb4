"""Extents are integers."""

from mdview import MDView


def table(header: str) -> int:
    rows, columns = header.split("x")
    return len(MDView([0.0] * 6, (rows, columns)))  # error: text is no extent; int(rows) is


print(table("2x3"))
