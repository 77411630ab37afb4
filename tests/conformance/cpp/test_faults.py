"""Faults that are planted in CCCL's headers are found, each with a program that compiles and shows it."""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import implementations
import pytest

from mdview.conformance import compilers, live, questions
from mdview.conformance.programs import MOST_LINES

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
LEAST_TYPES = 24
PLANTED = [name for name, *_ in FAULTS]
FEATURES = {feature for *_, feature, _ in FAULTS}


def planted(folder):
    """Headers with all faults: a folder that is looked in before CCCL's own."""
    headers = folder / "cuda" / "std" / "__mdspan"
    headers.mkdir(parents=True)
    for name in {header for _, header, *_ in FAULTS}:
        text = (implementations.cccl_headers() / "cuda" / "std" / "__mdspan" / f"{name}.h").read_text()
        for _, header, old, new, *_ in FAULTS:
            if header == name:
                assert old in text, (name, old)
                text = text.replace(old, new.replace("__rank_of", "extents_type::rank()"))
        (headers / f"{name}.h").write_text(text)
    return str(folder)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The compilers with and without faults, and the departures, by feature and title."""
    implementations.cccl()
    if implementations.host() is None:
        pytest.skip("no C++ compiler of this machine")
    command = f"{implementations.host()} -std=c++20 -O0"
    headers = str(implementations.cccl_headers())
    faulty = compilers.compiler_of(command, [planted(tmp_path_factory.mktemp("headers")), headers])
    sound = compilers.compiler_of(command, [headers])
    target = replace(implementations.CCCL.target, compiler=faulty)
    stopping = replace(target, compiler=stops(faulty), offers=target.offers | {"preconditions"})
    made = [(stopping if feature == "preconditions" else target, feature) for feature in sorted(FEATURES)]
    drawn = questions.drawn
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(2) as pool:
        patch.setattr(questions, "drawn", lambda *given: few(drawn(*given)))
        rows = list(pool.map(lambda each: live.row(*each), made))
    return target, sound, rows


def few(asks):
    """The questions to half of the types, each of which is to be compiled."""
    types = list(dict.fromkeys(ask.template for ask in asks))
    chosen = {*types[:: 2 if len(types) > LEAST_TYPES else 1]}
    return [ask for ask in asks if ask.template in chosen]


def stops(compiler):
    """The compiler with CCCL's assertions."""
    return replace(compiler, compile=(*compiler.compile, "-DCCCL_ENABLE_ASSERTIONS"))


@pytest.mark.parametrize(("feature", "title"), [fault[-2:] for fault in FAULTS], ids=PLANTED)
def test_a_planted_fault_is_found_with_a_program_that_shows_it(found, tmp_path, feature, title):
    target, sound, rows = found
    if feature == "preconditions":
        target, sound = replace(target, compiler=stops(target.compiler)), stops(sound)
    departures = [each for row in rows if row.feature == feature for each in row.departures if title in each.title]
    assert departures, [each.title for row in rows if row.feature == feature for each in row.departures]
    assert any(shows(each.program, target, sound) for each in departures)


def shows(program, target, sound):
    """Tell whether a program of few lines prints another number than the draft's with the faults alone."""
    assert len(program.splitlines()) <= MOST_LINES
    faulty, right = [outcome(compiler, program, target) for compiler in (target.compiler, sound)]
    return faulty != right and right[0] == right[1]


def outcome(compiler, program, target):
    done = subprocess.run(
        [compilers.compiled(compiler, program, target.flags)], capture_output=True, text=True, check=False
    )
    printed, _, draft = done.stdout.strip().partition(", the draft: ")
    return (printed, draft) if draft else (done.returncode != 0, True)
