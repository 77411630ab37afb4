"""Kernels: a view is an argument of functions that Numba compiles, where ``v[i, j]`` is the layout's arithmetic."""

from mdview.numba import attributes, boundary, brackets
