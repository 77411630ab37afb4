"""Code for any layout does not ask for strides."""

from mdview import Dims2, Layout, MDView


def is_dense(view: MDView[float, Dims2, Layout]) -> bool:
    return view.stride(1) == 1  # error: only strided layouts have strides


print(is_dense(MDView([1.0], (1, 1))))
