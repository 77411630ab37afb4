"""Half of the rows are as many only if the quotient is an integer."""

from mdview import MDView


def halved(values: list[float]) -> int:
    return len(MDView(values, (len(values) / 2, 2)))  # error: a quotient is no integer; // gives one


print(halved([1.0, 2.0]))
