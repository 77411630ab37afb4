"""An accessor to elements of another type."""

from mdview import CheckedAccessor, MDView


def careful(values: list[float]) -> str:
    return MDView(values, (2,), accessor=CheckedAccessor[str]())[0]  # error: the elements are numbers


print(careful([1.0, 2.0]))
