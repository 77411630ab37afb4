"""A mode of padding that there is none of."""

from mdview import Dims2, MDView, pad


def framed(image: MDView[int, Dims2]) -> int:
    return pad(image, 1, "edgy").size  # error: "edge", "reflect", "wrap" or "constant"


print(framed(MDView([1, 2], (2, 1))))
