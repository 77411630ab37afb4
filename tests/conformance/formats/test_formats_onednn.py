"""Memory formats of oneDNN: what the library stored, recorded and asked again where it is installed."""

import itertools

import pytest
from named import mapping
from onednn_library import load
from recorded import cases

from mdview import MDView, copy

RECORDED = cases("formats/onednn")
TAGS = {"aBcd16b": "nChw16c", "ABcd4b16a4b": "OIhw4i16o4i", "ABcd16b16a": "OIhw16i16o", "BA16a16b4a": "BA16a16b4a"}
LIVE = (
    ("aBcd16b", (2, 35, 3, 5)),
    ("ABcd4b16a4b", (33, 20, 3, 2)),
    ("ABcd16b16a", (16, 17, 1, 3)),
    ("BA16a16b4a", (70, 20)),
)


def stored(tag, shape):
    """Return the numbers 1, 2, ... of a tensor, copied into a buffer of the size that the format takes."""
    target = mapping(TAGS[tag], shape)
    memory = [0] * target.layout.allocation_size(shape)
    count = target.size
    copy(MDView(list(range(1, count + 1)), shape), MDView.from_mapping(memory, target))
    return memory


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: f"{case['tag']} {case['shape']}")
def test_a_copy_gives_the_memory_that_onednn_recorded(case):
    assert stored(case["tag"], tuple(case["shape"])) == case["memory"]


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize(("tag", "shape"), LIVE, ids=str)
def test_a_copy_gives_the_memory_of_the_library_that_is_installed(tag, shape, version):
    library = load(version)
    if library is None:
        pytest.skip(f"oneDNN {version} is not installed (Debian 12: libdnnl2, PyPI: onednn-cpu-gomp)")
    assert library.reordered(shape, "abcd"[: len(shape)], tag) == stored(tag, shape)


def test_each_number_of_a_recorded_case_is_stored_once():
    for case in RECORDED:
        count = len(list(itertools.product(*map(range, case["shape"]))))
        assert sorted(filter(None, case["memory"])) == list(range(1, count + 1))
