"""Faults that are planted in the headers of CCCL are found, each with a program that shows it."""

import json
import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import implementations
import pytest

from mdview.conformance import implementations as command
from mdview.conformance import questions
from mdview.conformance.corpus import same

pytestmark = pytest.mark.deep

FAULTS = {  # by name the feature that shows a fault, and its departure
    "stride": ("mappings", "strides of right"),
    "span": ("mappings", "span of left"),
    "always": ("mappings", "always_exhaustive of left"),
    "exhaustive": ("mappings", "exhaustive of right"),
    "lies": ("mappings", "exhaustive of stride"),
    "offset": ("mappings", "offsets of stride"),
    "constraint": ("relations of mapping types", "conv of left"),
    "equal": ("extents", "equal"),
    "result type": ("subviews", "static_extents of stride"),
    "precondition": ("preconditions", "stops of layout_stride_ctor"),
}
EDITS = [  # a header, what stands there, and what is put in its place
    ("layout_right", "__i > __r; __i--", "__i > __r + (__rank_of == 3); __i--"),
    ("layout_left", "    return __size;", "    return __size + (extents_type::rank() == 3);"),
    (
        "layout_left",
        "is_always_exhaustive() noexcept\n  {\n    return true",
        "is_always_exhaustive() noexcept\n  {\n    return extents_type::rank() != 1",
    ),
    (
        "layout_right",
        "is_exhaustive() noexcept\n  {\n    return true",
        "is_exhaustive() noexcept\n  {\n    return extents_type::rank() != 2",
    ),
    ("layout_stride", "return __span_size == __total_size;", "return __span_size >= __total_size;"),
    ("layout_stride", "return __op_index(__strides(),", "return (extents_type::rank() == 4) + __op_index(__strides(),"),
    ("layout_right", "(_OtherExtents::rank() <= 1) _CCCL_AND", "(_OtherExtents::rank() <= 2) _CCCL_AND"),
    (
        "extents",
        "__r != __rank_; __r++)\n      {\n        if (::cuda::std::cmp_not_equal",
        "__r + 1 < __rank_; __r++)\n      {\n        if (::cuda::std::cmp_not_equal",
    ),
    ("submdspan_extents", "return _Extents::static_extent(_SliceIndex);", "return dynamic_extent;"),
    ("layout_stride", "_CCCL_ASSERT(__check_unique_mapping(__rank_sequence),", "_CCCL_ASSERT(true,"),
]
FEATURES = sorted({feature for feature, _ in FAULTS.values()})
OPTIONS = ("-std=c++20", "-O0")
EACH, MOST = 1, 70
"""So many types of each layout and rank are asked about, and half of them where there are more: each is compiled."""


def planted(source, folder, edits):
    """A copy of headers with all faults."""
    shutil.copytree(source, folder, dirs_exist_ok=True)
    for header, old, new in edits:
        (path,) = folder.rglob(f"{header}.h*")
        text = path.read_text()
        assert old in text, (header, old)
        path.write_text(text.replace(old, new.replace("__rank_of", "extents_type::rank()")))
    return str(folder)


def asked(target, feature):
    """The departures of a feature, by some of its questions."""
    queries = questions.drawn(feature, target.offers)
    forms = {}
    for template in dict.fromkeys(query.template for query in queries):
        forms.setdefault(re.sub(r"u?int\d+_t|(?<=[ <])(\d+|D)(?=[,>])", "N", template), []).append(template)
    some = [template for templates in forms.values() for template in templates[:EACH]]
    chosen = {*some[:: 2 if len(some) > MOST else 1]}
    return command.row(target, feature, [query for query in queries if query.template in chosen]).departures


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The implementation with faults, the departures of each feature, and what a sound one answers there."""
    implementations.cccl()
    if implementations.host() is None:
        pytest.skip("no C++ compiler of this machine")
    headers, compiler = implementations.cccl_headers(), " ".join([implementations.host(), *OPTIONS])
    folder, place = tmp_path_factory.mktemp("headers"), Path("cuda", "std", "__mdspan")
    planted(headers / place, folder / place, EDITS)
    faulty, sound = [
        replace(command.compiler_of(compiler, folders, "cuda::std"), offers=implementations.CCCL.offers)
        for folders in ([str(folder), str(headers)], [str(headers)])
    ]
    with ThreadPoolExecutor(2) as pool:
        targets = [stops(faulty) if feature == "preconditions" else faulty for feature in FEATURES]
        rows = dict(zip(FEATURES, pool.map(asked, targets, FEATURES), strict=True))
    answers = {}
    for target, is_stopped in ((sound, False), (stops(sound), True)):
        faults = [fault for fault in FAULTS.values() if (fault[0] == "preconditions") == is_stopped]
        answers |= asked_alone(target, [each for feature, title in faults for each in matching(rows[feature], title)])
    return faulty, rows, answers


def stops(target):
    """An implementation with CCCL's assertions."""
    asserting = (*target.compile, "-DCCCL_ENABLE_ASSERTIONS")
    return replace(target, compile=asserting, offers=target.offers | {"preconditions"})


@pytest.mark.parametrize(("feature", "title"), FAULTS.values(), ids=FAULTS)
def test_a_planted_fault_is_found_with_a_program_that_shows_it(found, feature, title):
    faulty, rows, answers = found
    target = stops(faulty) if feature == "preconditions" else faulty
    assert any(shows(program, target, answers[program]) for program in matching(rows[feature], title))


def matching(departures, title):
    """The programs of the departures of such parts and of that layout."""
    those = [each.program for each in departures if all(words in each.title for words in title.split(" of "))]
    assert those, (title, [each.title for each in departures])
    return those


def asked_alone(target, programs):
    """What an implementation answers to the questions of programs, by the programs."""
    calls = [re.search(r"answer\(&(.*), {(.*)}\);", program).groups() for program in programs]
    queries = [questions.Query(template, numbers.replace(",", ""), (None,)) for template, numbers in calls]
    return dict(zip(programs, command.replies(target, queries), strict=True))


def shows(program, faulty, sound):
    """Tell whether a program of few lines gives an answer that is not the expected one."""
    assert len(program.splitlines()) <= 15
    expected = json.loads(re.search("// expected: (.*)", program).group(1))
    with tempfile.TemporaryDirectory() as folder:
        made = command.build(faulty, program, folder)
        found = json.loads(subprocess.run([made], capture_output=True, text=True, check=True).stdout)
    return [all(same(each.get(key), expected[key]) for key in expected) for each in (found, sound)] == [False, True]
