"""A voxel of a picture: three indices into a matrix."""

from mdview import Dims2, MDView


def brightest(image: MDView[int, Dims2]) -> int:
    found = 0
    for i in range(image.extent(0)):
        for j in range(image.extent(1)):
            found = max(found, image[i, j, 0])  # error: a matrix has two indices
    return found


print(brightest(MDView([1, 2, 3, 4], (2, 2))))
