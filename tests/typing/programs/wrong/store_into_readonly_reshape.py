"""A reshaped view for reading is one for reading."""

from mdview import Dims2, MDView, readonly, reshape


def reset(table: MDView[float, Dims2]) -> None:
    line = reshape(readonly(table), (2,))
    line[0] = 0.0  # error: a reshape keeps the access


reset(MDView([1.0, 2.0], (1, 2)))
