"""The transpose is one of matrices; permute_dims takes any rank."""

from mdview import Dims3, MDView, transposed


def turned(cube: MDView[float, Dims3]) -> int:
    return transposed(cube).size  # error: rank 3 is no matrix


print(turned(MDView([1.0], (1, 1, 1))))
