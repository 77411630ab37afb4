"""The README: its sample runs and says the truth."""

import re
from pathlib import Path

import pytest

from mdview.testing import check_layout

README = Path(__file__).parents[1] / "README.md"


def samples() -> list[str]:
    return re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def sample() -> str:
    return samples()[0]


def test_the_sample_runs_and_gives_the_values_it_states():
    names = {}
    exec(sample(), names)
    view, data = names["view"], names["data"]
    assert data[19] == -1.0
    assert view[1:3, ::2].tolist() == [[3.0, 5.0, 10.0], [12.0, 14.0, -1.0]]
    with pytest.raises(TypeError, match="read-only"):
        names["fixed"][0, 0] = 1.0


def test_the_value_stated_before_the_store_is_that_of_the_picture():
    names = {}
    exec(sample().split("view[2, 4] = ")[0], names)
    assert names["view"][2, 4] == 19.0


def test_memory_is_shared_where_the_readme_says_so():
    names = {}
    exec(sample(), names)
    np, view, data = names["np"], names["view"], names["data"]
    shared = np.frombuffer(data)
    assert np.shares_memory(np.asarray(names["MDView"](data, (4, 6))), shared)
    assert not np.shares_memory(np.asarray(view), shared)


def test_the_layout_of_ones_own_runs_in_a_kernel_and_keeps_the_laws():
    pytest.importorskip("numba")
    names = {}
    exec("\n".join(samples()), names)
    assert (names["corners"](names["snake"]), names["corners"](names["view"])) == (18.0, 23.0)
    assert sorted(names["snake"].mapping.offsets()) == list(range(24))
    check_layout(names["LayoutSnake"]())
