"""Faults that are planted in the headers of CCCL and kokkos are found, each with a program that shows it."""

import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import compiled
import implementations
import pytest

from mdview.conformance import compilers, live, questions

pytestmark = [pytest.mark.deep, pytest.mark.no_cover]

FAULTS = [
    # a name, the header, what stands there, what is put in its place, the feature and the departure
    (
        "stride",
        "layout_right",
        "__i > __r; __i--",
        "__i > __r + (__rank_of == 3); __i--",
        "mappings",
        "strides of right",
    ),
    (
        "span",
        "layout_left",
        "    return __size;",
        "    return __size + (extents_type::rank() == 3);",
        "mappings",
        "span of left",
    ),
    (
        "always",
        "layout_left",
        "is_always_exhaustive() noexcept\n  {\n    return true",
        "is_always_exhaustive() noexcept\n  {\n    return extents_type::rank() != 1",
        "mappings",
        "always_exhaustive of left",
    ),
    (
        "exhaustive",
        "layout_right",
        "is_exhaustive() noexcept\n  {\n    return true",
        "is_exhaustive() noexcept\n  {\n    return extents_type::rank() != 2",
        "mappings",
        "exhaustive of right",
    ),
    (
        "lies",
        "layout_stride",
        "return __span_size == __total_size;",
        "return __span_size >= __total_size;",
        "mappings",
        "exhaustive of stride",
    ),
    (
        "offset",
        "layout_stride",
        "return __op_index(__strides(),",
        "return (extents_type::rank() == 4) + __op_index(__strides(),",
        "mappings",
        "offsets of stride",
    ),
    (
        "constraint",
        "layout_right",
        "(_OtherExtents::rank() <= 1) _CCCL_AND",
        "(_OtherExtents::rank() <= 2) _CCCL_AND",
        "relations of mapping types",
        "conv of left",
    ),
    (
        "equal",
        "extents",
        "__r != __rank_; __r++)\n      {\n        if (::cuda::std::cmp_not_equal",
        "__r + 1 < __rank_; __r++)\n      {\n        if (::cuda::std::cmp_not_equal",
        "extents",
        "equal",
    ),
    (
        "result type",
        "submdspan_extents",
        "return _Extents::static_extent(_SliceIndex);",
        "return dynamic_extent;",
        "subviews",
        "static_extents of stride",
    ),
    (
        "precondition",
        "layout_stride",
        "_CCCL_ASSERT(__check_unique_mapping(__rank_sequence),",
        "_CCCL_ASSERT(true,",
        "preconditions",
        "stops of layout_stride_ctor",
    ),
]
FEATURES = sorted({feature for *_, feature, _ in FAULTS})
PADDED_FAULTS = [
    (
        "rows",
        "layout_padded",
        "( offset + alignment - 1 ) / alignment)",
        "( offset + alignment - (alignment != 4) ) / alignment)",
        "mappings",
        "strides of right_padded",
    ),
    (
        "padding",
        "layout_padded",
        "|| (exts.extent(extent_to_pad_idx) == padded_stride.value(0));",
        "|| (exts.extent(extent_to_pad_idx) <= padded_stride.value(0));",
        "mappings",
        "exhaustive of right_padded",
    ),
]
"""Faults in the padded layouts of kokkos/mdspan, whose headers KOKKOS_MDSPAN names."""
OPTIONS = ("-std=c++20", "-O0")
EACH, MOST = 2, 70
"""So many types of each layout and rank are asked about, and half of them where there are more: each is compiled."""


def planted(source, folder, faults):
    """A copy of headers with all faults."""
    shutil.copytree(source, folder, dirs_exist_ok=True)
    for _, header, old, new, *_ in faults:
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
    return live.row(target, feature, [query for query in queries if query.template in chosen]).departures


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The implementations with and without faults, and the departures of each feature."""
    implementations.cccl()
    if implementations.host() is None:
        pytest.skip("no C++ compiler of this machine")
    headers, command = implementations.cccl_headers(), " ".join([implementations.host(), *OPTIONS])
    folder, place = tmp_path_factory.mktemp("headers"), Path("cuda", "std", "__mdspan")
    planted(headers / place, folder / place, FAULTS)
    faulty, sound = [
        replace(implementations.CCCL.target, compiler=compilers.compiler_of(command, folders))
        for folders in ([str(folder), str(headers)], [str(headers)])
    ]
    with ThreadPoolExecutor(2) as pool:
        targets = [stops(faulty) if feature == "preconditions" else faulty for feature in FEATURES]
        rows = dict(zip(FEATURES, pool.map(asked, targets, FEATURES), strict=True))
    return faulty, sound, rows


def stops(target):
    """An implementation with CCCL's assertions."""
    compiler = replace(target.compiler, compile=(*target.compiler.compile, "-DCCCL_ENABLE_ASSERTIONS"))
    return replace(target, compiler=compiler, offers=target.offers | {"preconditions"})


@pytest.mark.parametrize(("feature", "title"), [fault[-2:] for fault in FAULTS], ids=[name for name, *_ in FAULTS])
def test_a_planted_fault_is_found_with_a_program_that_shows_it(found, feature, title):
    faulty, sound, rows = found
    if feature == "preconditions":
        faulty, sound = stops(faulty), stops(sound)
    check(rows[feature], title, faulty, sound)


@pytest.mark.skipif("KOKKOS_MDSPAN" not in os.environ, reason="KOKKOS_MDSPAN names the headers of kokkos/mdspan")
def test_planted_faults_of_padded_layouts_are_found(tmp_path):
    headers, command = Path(os.environ["KOKKOS_MDSPAN"]), " ".join([implementations.host(), *OPTIONS])
    sound = compilers.probed(compilers.compiler_of(command, [str(headers)]), "Kokkos")
    faulty = replace(sound, compiler=compilers.compiler_of(command, [planted(headers, tmp_path, PADDED_FAULTS)]))
    rows = asked(faulty, "mappings")
    for *_, title in PADDED_FAULTS:
        check(rows, title, faulty, sound)


def check(departures, title, faulty, sound):
    """Assert that a departure of such parts and that layout is among these, and that its program shows it."""
    those = [each.program for each in departures if all(words in each.title for words in title.split(" of "))]
    assert those, [each.title for each in departures]
    assert any(shows(program, faulty, sound) for program in those)


def shows(program, faulty, sound):
    """Tell whether a program of few lines prints another number than the draft's with the faults alone."""
    assert len(program.splitlines()) <= 15
    with_faults, without = [outcome(each.compiler, program) for each in (faulty, sound)]
    return with_faults != without and without[0] == without[1]


def outcome(compiler, program):
    """What a program prints and what the draft has there, or whether it stops and that it is to."""
    made = compiled.program(program, compiler.compile, compiler.link)
    done = subprocess.run([made], capture_output=True, text=True, check=False)
    printed, _, draft = done.stdout.strip().partition(", the draft: ")
    return (printed, draft) if draft else (done.returncode != 0, True)
