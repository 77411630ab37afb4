"""An error of another library's name."""

from mdview import Dims1, MDView, errors


def last(line: MDView[float, Dims1]) -> float:
    try:
        return line[-1]
    except errors.OutOfBoundsError:  # error: it is IndexOutOfRangeError
        return 0.0


print(last(MDView([1.0], (1,))))
