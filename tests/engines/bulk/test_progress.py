"""Progress is told to a callable, shown as a bar, or to nobody; it ends at the number of elements."""

import operator
import sys
from array import array

import pytest

from mdview import LayoutMorton, LayoutRight, LayoutSwizzled, LayoutTiled, MDView, copy, equal, fill, reduce
from mdview.engines.bulk import whole_views
from mdview.errors import MissingExtraError


def view(layout, item_format="d"):
    return MDView(array(item_format, range(64)), (8, 8), layout)


@pytest.mark.parametrize("least", [0, 10**9])
@pytest.mark.parametrize("layout", [LayoutTiled(4, 4), LayoutMorton(), LayoutSwizzled(LayoutRight(), 1, 0, 2)])
def test_all_elements_are_reported_by_every_operation(layout, least, monkeypatch):
    monkeypatch.setattr(whole_views, "PAYS_FROM", least)
    for act in (
        lambda tell: copy(view(layout), view(LayoutRight()), progress=tell),
        lambda tell: copy(view(layout, "q"), view(LayoutRight()), progress=tell),
        lambda tell: fill(view(layout), 1.5, progress=tell),
        lambda tell: equal(view(layout), view(layout), progress=tell),
        lambda tell: reduce(operator.add, view(layout), progress=tell),
    ):
        told = []
        act(lambda *now, told=told: told.append(now))
        assert told[-1] == (64, 64)
        assert told == sorted(told)


def test_a_bar_is_shown(capsys):
    copy(view(LayoutRight()), view(LayoutTiled(2, 2)), progress=True)
    assert "64" in capsys.readouterr().err


@pytest.mark.parametrize(
    "act",
    [
        lambda: copy(view(LayoutRight()), view(LayoutTiled(2, 2))),
        lambda: fill(view(LayoutRight()), 1.5),
        lambda: equal(view(LayoutRight()), view(LayoutRight())),
        lambda: reduce(operator.add, view(LayoutRight())),
    ],
    ids=["copy", "fill", "equal", "reduce"],
)
def test_nothing_is_shown_unless_it_is_asked_for(act, capsys):
    act()
    assert capsys.readouterr() == ("", "")


def test_a_bar_without_tqdm_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    target = view(LayoutRight())
    with pytest.raises(MissingExtraError, match=r"install the extra: pip install 'mdview-layouts\[progress\]'"):
        fill(target, 0.0, progress=True)
    assert target[0, 1] == 1.0
