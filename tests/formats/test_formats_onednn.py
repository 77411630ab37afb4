"""Memory formats of oneDNN: what the library stored, recorded and asked again where it is installed."""

import itertools

import pytest
from effort import some
from onednn_library import load
from owners import shapes
from recorded import cases

from mdview import MDView, copy, formats, parse

RECORDED = cases("formats/onednn")
BY_LETTERS = {
    "nchw": "abcd",
    "nhwc": "acdb",
    "chwn": "bcda",
    "ncdhw": "abcde",
    "ndhwc": "acdeb",
    "oihw": "abcd",
    "hwio": "cdba",
    "ohwi": "acdb",
    "ihwo": "bcda",
    "goihw": "abcde",
    "hwigo": "decab",
    "ldigo": "abcde",
    "ldgoi": "abdec",
    "ntc": "bac",
    "nChw4c": "aBcd4b",
    "nChw8c": "aBcd8b",
    "nChw16c": "aBcd16b",
    "nChw32c": "aBcd32b",
    "nCw16c": "aBc16b",
    "nCdhw16c": "aBcde16b",
    "NChw16n16c": "ABcd16a16b",
    "NChw32n32c": "ABcd32a32b",
    "OIhw8i8o": "ABcd8b8a",
    "OIhw16i16o": "ABcd16b16a",
    "OIhw16o16i": "ABcd16a16b",
    "OIhw4i16o4i": "ABcd4b16a4b",
    "OIhw8i16o2i": "ABcd8b16a2b",
    "OIhw8o16i2o": "ABcd8a16b2a",
    "OIw16i16o": "ABc16b16a",
    "Oihw16o": "Abcd16a",
    "Ohwi16o": "Acdb16a",
    "gOIhw16i16o": "aBCde16c16b",
    "gOIhw4i16o4i": "aBCde4c16b4c",
    "Goihw16g": "Abcde16a",
    "BA16a16b4a": "BA16a16b4a",
    "BA16a32b": "BA16a32b",
    "BA16a64b4a": "BA16a64b4a",
}
"""Tags of convolutions, of recurrent networks and of matrices, and what the library calls them by letters alone."""


def stored(tag, shape, size):
    """Return the numbers 1, 2, ... of a tensor, copied into a buffer of zeros."""
    target = formats.onednn(shape, tag)
    memory = [0] * size
    copy(MDView(list(range(1, target.size + 1)), shape), MDView.from_mapping(memory, target))
    return memory


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: f"{case['tag']} {case['shape']}")
def test_a_copy_gives_the_memory_that_onednn_recorded(case):
    assert stored(case["tag"], tuple(case["shape"]), len(case["memory"])) == case["memory"]


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("name", some(BY_LETTERS, 6))
def test_a_copy_gives_the_memory_of_the_library_that_is_installed(name, version):
    library, tag = load(version), BY_LETTERS[name]
    if library is None:
        pytest.skip(f"oneDNN {version} is not installed (Debian 12: libdnnl2, PyPI: onednn-cpu-gomp)")
    if tag.encode() not in library.tags:
        pytest.skip(f"oneDNN {version} has no tag {tag}")
    rank = len({*filter(str.isalpha, tag.lower())})
    for shape in shapes((rank,), 2, longest=20 if rank < 4 else 5):
        memory = library.reordered(shape, "abcdefg"[:rank], tag)
        assert stored(name, shape, len(memory)) == stored(tag, shape, len(memory)) == memory


@pytest.mark.parametrize("name", BY_LETTERS)
def test_the_language_reads_a_tag(name):
    rank = len({*filter(str.isalpha, BY_LETTERS[name].lower())})
    assert parse(f"{name} {(3,) * rank}") == formats.onednn((3,) * rank, BY_LETTERS[name])


@pytest.mark.parametrize("tag", ["nChw16d", "nhwcc", "xyz", "aBcd", "acd", "nChw0c", "16c", "tilde"])
def test_other_words_are_no_tags(tag):
    with pytest.raises(ValueError, match=r"there is no layout|dimensions"):
        formats.onednn((2, 3, 4, 5), tag)
    with pytest.raises(ValueError, match=r"line 1, column 1"):
        parse(f"{tag} (2, 3, 4, 5)")


def test_each_number_of_a_recorded_case_is_stored_once():
    for case in RECORDED:
        count = len(list(itertools.product(*map(range, case["shape"]))))
        assert sorted(filter(None, case["memory"])) == list(range(1, count + 1))
