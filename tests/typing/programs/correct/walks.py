"""Walking whole views: elements, indices that go back into brackets, runs of memory."""

from mdview import LayoutLeft, LayoutTiled, MDView
from mdview.iteration import elements, flat, indices, runs


def positions(view: MDView[int, tuple[int, int], LayoutTiled], wanted: int) -> list[tuple[int, int]]:
    return [index for index in indices(view) if view[index] == wanted]


def main() -> None:
    view = MDView([3, 1, 4, 1, 5, 9, 2, 6], (2, 4), LayoutTiled(2, 2))
    assert positions(view, 1) == [(0, 1), (1, 1)]
    for ij in indices(view):
        view[ij] = view[ij] * 10
    i, j = max(indices(view), key=lambda ij: view[ij])
    assert (i, j) == (0, 3)
    assert sum(elements(view)) == 310
    assert list(elements(view, order="memory")) == [30, 10, 40, 10, 50, 90, 20, 60]
    columns = MDView([1.5, 2.5, 3.5, 4.5], (2, 2), LayoutLeft())
    everything = flat(columns)
    everything[0] = -1.0
    assert columns[0, 0] == -1.0
    assert [run.tolist() for run in runs(columns, order="memory")] == [[-1.0, 2.5, 3.5, 4.5]]
    cube = MDView(list(range(8)), (2, 2, 2))
    assert [cube[index] for index in indices(cube)] == list(elements(cube))


main()
