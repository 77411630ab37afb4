"""Tables of facts and of elements."""

from mdview.drawing.html import grid, table


def cells(extents):
    return grid(extents, lambda index: f"<{','.join(map(str, index))}>")


def test_facts_are_escaped():
    assert table({"a<b": "x&y"}) == "<table><tr><th>a&lt;b</th><td>x&amp;y</td></tr></table>"


def test_rank_1_is_one_row():
    assert cells((2,)) == "<table><tr><td>&lt;0&gt;</td><td>&lt;1&gt;</td></tr></table>"


def test_rank_2_is_a_table_whose_middle_is_left_out():
    found = cells((20, 2))
    assert found.count("<tr>") == 7
    assert found.count('<tr><td colspan="2">…</td></tr>') == 1
    assert "&lt;19,1&gt;" in found
    assert cells((1, 20)).count("<td>…</td>") == 1


def test_nothing_is_a_table_without_cells():
    assert cells((0,)) == "<table><tr></tr></table>"
    assert cells((20, 0)).count('colspan="1"') == 1


def test_other_ranks_show_facts_alone():
    assert cells(()) == cells((1, 1, 1)) == ""
