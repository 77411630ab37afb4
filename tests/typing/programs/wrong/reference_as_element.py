"""An element of an atomic view is a reference, which is no number."""

from mdview import Dims2, MDView, atomic


def moved(plain: MDView[int, Dims2], shared_with: MDView[int, Dims2]) -> None:
    shared = atomic(shared_with)
    plain[0, 0] = shared[0, 1]  # error: a reference is no number; load() gives one


moved(MDView([1, 2], (1, 2)), MDView([1, 2], (1, 2)))
