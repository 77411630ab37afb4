"""Views of nothing: a view without data is the null view, and so is a released one."""

from array import array

from mdview import Dims2, Layout, MDView
from mdview.errors import NullViewError


def described(view: MDView[float, Dims2, Layout]) -> str:
    return "nothing" if view.size == 0 else f"{view.size} elements"


def placeholder() -> MDView[float, Dims2]:
    return MDView(None, (2, 3))


def main() -> None:
    view = MDView(array("d", range(6)), (2, 3))
    assert described(view) == "6 elements"
    assert described(placeholder()) == "nothing"
    with view:
        assert view[0, 1] == 1.0
    assert described(view) == "nothing"
    try:
        view[0, 0] = 1.0
    except (NullViewError, IndexError) as error:
        assert str(error)
    assert placeholder().shape == (0, 0)
    current: MDView[float, Dims2] | None = None
    current = placeholder() if current is None else current
    assert current.size == 0


main()
