"""Elements come by index or by place in memory."""

from mdview import Dims2, MDView, elements


def total(table: MDView[float, Dims2]) -> float:
    return sum(elements(table, order="F"))  # error: "index" or "memory"


print(total(MDView([1.0] * 6, (2, 3))))
