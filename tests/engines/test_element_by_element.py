"""Functions on whole views agree with one element after the other, for everything that the samples make."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from effort import share
from element_by_element import READS, SHAPES, STORES, check, cover, fits
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from samples.accessors import ACCESSORS
from samples.data import FORMATS
from samples.functions import FUNCTIONS
from samples.layouts import LAYOUTS
from samples.variants import VARIANTS
from samples.views import Kind, sample

STEP = 6 - share(4, 1)
CASES = {layout: [case for case in cover(FORMATS, step=STEP) if case[0].layout == layout] for layout in LAYOUTS}


def test_every_function_has_a_definition():
    assert set(FUNCTIONS) == READS.keys() | STORES.keys()
    assert not READS.keys() & STORES.keys()


def test_the_cover_has_every_part_and_sizes_of_both_kinds():
    cases = [case for case in cover(FORMATS) if sample(case[0], (4, 4)) or sample(case[0], (7,))]
    for name, table in (("layout", LAYOUTS), ("accessor", ACCESSORS), ("format", FORMATS), ("variant", VARIANTS)):
        assert {getattr(kind, name) for kind, _, _ in cases} == set(table)
    assert {shape for _, shape, _ in cases} == set(SHAPES)


@pytest.mark.parametrize("layout", CASES)
def test_functions_agree_with_one_element_after_the_other(layout):
    assert sum([check(kind, shape, any_bits=any_bits) for kind, shape, any_bits in CASES[layout]]) > len(FUNCTIONS)


@pytest.mark.parametrize("accessor", ACCESSORS)
def test_functions_agree_through_every_accessor_in_every_variant(accessor):
    parts = [("right", "d"), ("tiled, ragged", "list"), ("Morton", ">f"), ("user's, separable", "Zd")]
    for k, variant in list(enumerate(VARIANTS))[[*ACCESSORS].index(accessor) % STEP :: STEP]:
        layout, item_format = parts[k % len(parts)]
        shape = (33, 33) if k % 5 == 0 and fits(layout, variant, (33, 33)) else SHAPES[k % 2]
        check(Kind(layout, accessor, item_format, variant), shape, any_bits=k % 3 == 0)


@settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much], max_examples=settings().max_examples // 2
)
@given(st.data())
def test_functions_agree_for_any_sample(data):
    layout, variant = data.draw(st.sampled_from([*LAYOUTS])), data.draw(st.sampled_from([*VARIANTS]))
    shape = tuple(data.draw(st.lists(st.integers(0, 9), min_size=1, max_size=3)))
    shape = data.draw(st.sampled_from([each for each in (shape, *SHAPES) if fits(layout, variant, each)] or [(4, 4)]))
    kind = Kind(layout, data.draw(st.sampled_from([*ACCESSORS])), data.draw(st.sampled_from([*FORMATS])), variant)
    names = data.draw(st.lists(st.sampled_from([*FUNCTIONS]), min_size=1, max_size=4, unique=True))
    check(kind, shape, any_bits=data.draw(st.booleans()), names=names)


@pytest.mark.deep
def test_functions_agree_without_numpy():
    script = Path(__file__).with_name("element_by_element.py")
    tests = {**os.environ, "PYTHONPATH": str(script.parents[1])}
    command = [sys.executable, str(script), str(2 * STEP)]
    done = subprocess.run(command, env=tests, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > len(FUNCTIONS)


@pytest.mark.parametrize("seed", range(4))
def test_a_layout_that_lies_reads_and_writes_nothing_outside_of_its_data(seed):
    """In an interpreter of its own, so that a crash is a failure here and nothing else."""
    fuzz = Path(__file__).parents[1] / "fuzz" / "run.py"
    command = [sys.executable, fuzz, "--only", "lying layouts", "--seed", str(seed), "--inputs", str(share(4000, 400))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
