"""The card for notebooks: a table of facts, and the elements of rank 1 and 2."""

from mdview.drawing.html import card


def cells(extents):
    return card({}, extents, lambda index: f"<{','.join(map(str, index))}>").split("<table></table>")[1]


def test_facts_are_escaped():
    assert card({"a<b": "x&y"}, (), str) == "<table><tr><th>a&lt;b</th><td>x&amp;y</td></tr></table>"


def test_rank_1_is_one_row():
    assert cells((2,)) == "<table><tr><td>&lt;0&gt;</td><td>&lt;1&gt;</td></tr></table>"


def test_rank_2_is_a_table_whose_middle_is_left_out():
    table = cells((20, 2))
    assert table.count("<tr>") == 7
    assert table.count('<tr><td colspan="2">…</td></tr>') == 1
    assert "&lt;19,1&gt;" in table
    assert cells((1, 20)).count("<td>…</td>") == 1


def test_nothing_is_a_table_without_cells():
    assert cells((0,)) == "<table><tr></tr></table>"
    assert cells((20, 0)).count('colspan="1"') == 1


def test_other_ranks_show_facts_alone():
    assert cells(()) == cells((1, 1, 1)) == ""
