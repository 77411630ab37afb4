"""A cell of binned events is a view of them."""

from mdview import Binned, elements


def names(events: Binned[float], cell: int) -> list[str]:
    return list(elements(events[cell]))  # error: the events are numbers


print(names)
