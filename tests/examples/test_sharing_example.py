"""The example of sharing: C++ and DLPack write where NumPy looks."""

import pytest


def test_every_partner_writes_into_the_one_buffer(script, capsys):
    for partner in ("matplotlib", "ziglang"):
        pytest.importorskip(partner)
    assert script("sharing").main([]) == 0
    printed = capsys.readouterr().out
    assert "C++ has raised 7 heights to 300 m in every other row; the NumPy array sees it: True" in printed
    assert "by DLPack is seen by the array and the view: True" in printed
    assert "A row is refused before C++ is called: the view has 1 dimension" in printed
