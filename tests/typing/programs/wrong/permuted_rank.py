"""Two axes exchanged are still two."""

from mdview import Dims2, MDView, permute_dims


def corner(table: MDView[float, Dims2]) -> float:
    turned = permute_dims(table, (1, 0))
    return turned[0, 0, 0]  # error: rank 2 takes two indices


print(corner(MDView([1.0, 2.0], (2, 1))))
