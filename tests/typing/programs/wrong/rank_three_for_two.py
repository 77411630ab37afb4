"""A picture with colours where one of greys is wanted."""

from mdview import Dims2, MDView


def histogram(grey: MDView[int, Dims2]) -> list[int]:
    counts = [0] * 256
    for row in grey:
        for value in row:
            counts[value] += 1
    return counts


image = MDView(bytearray(12), (2, 2, 3))
print(histogram(image))  # error: rank 3 is not rank 2
