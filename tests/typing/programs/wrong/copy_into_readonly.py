"""The target of a copy is written."""

from mdview import Dims2, MDView, copy, readonly


def saved(source: MDView[float, Dims2], target: MDView[float, Dims2]) -> None:
    copy(source, readonly(target))  # error: the target is read-only


saved(MDView([1.0], (1, 1)), MDView([1.0], (1, 1)))
