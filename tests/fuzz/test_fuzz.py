"""Hostile inputs by the ten thousands and random chains, in interpreters of their own; what was wrong, one by one."""

import faulthandler
import os
import random
import signal
import subprocess
import sys
import threading
from array import array
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from chains import chain
from effort import share
from hostile import Liar, OwnError
from isolation import Died, TooMuch, in_child
from lying_target import Data
from outcomes import Wrong
from run import ISOLATED, TARGETS, HangError, outcome

import mdview
from mdview import (
    DefaultAccessor,
    ExtentSlice,
    IndexTransform,
    LayoutBlasPacked,
    LayoutComposed,
    LayoutMorton,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutTranspose,
    Mapping,
    MDView,
    bitcast,
    diagonal,
    pad,
    permute_dims,
    shrink,
    subview,
)
from mdview.errors import (
    BufferFormatError,
    BufferSizeError,
    ExtentsTypeError,
    IndexTypeError,
    LayoutError,
    LayoutTypeError,
    RankError,
    ShapeError,
    SliceError,
    StrideError,
)

INPUTS = share(100_000, 10_000)
CHAINS = share(10_000, 1000)
HERE = Path(__file__).parent


def test_every_input_has_a_right_answer_or_a_named_error():
    """In an interpreter of its own, so that a crash is a failure here and nothing else."""
    ran = subprocess.run(
        [sys.executable, HERE / "run.py", "--inputs", str(INPUTS)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(HERE.parents[1])},
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.splitlines()[-1] == f"{INPUTS} inputs, nothing else"


@pytest.mark.skipif(find_spec("numba") is None, reason="kernels need Numba")
def test_kernels_over_lying_layouts_stay_within_the_data():
    ran = subprocess.run(
        [sys.executable, HERE / "run.py", "--only", "lying layouts in kernels", "--inputs", "6"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(HERE.parents[1])},
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_shares_of_the_targets_are_all_inputs():
    assert sum(share for _, share, _ in TARGETS.values()) == 1000


def test_random_chains_agree_with_numpy():
    """In an interpreter of its own as well: a chain that leaves its memory may crash."""
    ran = subprocess.run(
        [sys.executable, HERE / "run.py", "--chains", str(CHAINS)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(HERE.parents[1])},
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.startswith(f"chains: {CHAINS} inputs, {CHAINS} right")


@pytest.mark.parametrize("name", [name for name in TARGETS if name not in ISOLATED])
def test_an_input_is_repeated_by_its_number(name):
    target, _, _ = TARGETS[name]

    def drawn(number):
        pick = random.Random(f"0 {number}")  # noqa: S311 - reproducible cases, no secrets
        try:
            target(pick)
        except Exception as error:  # noqa: BLE001 - any outcome
            return type(error), pick.random()
        return None, pick.random()

    assert drawn(3) == drawn(3)


def test_a_wrong_answer_an_unnamed_error_and_a_hang_are_no_outcome():
    def wrong(pick):
        raise Wrong("read outside the view")

    def unnamed(pick):
        raise KeyError(3)

    def hang(pick):
        raise HangError("more than 1 s")

    for target, error in ((wrong, Wrong), (unnamed, KeyError), (hang, HangError)):
        with pytest.raises(error):
            outcome(target, 0, "0", ())
    assert outcome(unnamed, 0, "0", (KeyError,)) == "KeyError"
    assert outcome(lambda pick: None, 0, "0", ()) == "right"


# --- the attack itself: what is planted is found ---


def test_a_child_that_dies_hangs_or_takes_too_much_memory_is_a_failure():
    def crash():
        faulthandler.disable()
        os.kill(os.getpid(), signal.SIGSEGV)

    def wait():
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()

    def spin():
        while True:
            pass

    for work, text in ((crash, "died by SIGSEGV"), (wait, "hangs"), (spin, "died by SIGXCPU")):
        with pytest.raises(Died, match=text):
            in_child(work, seconds=1)
    with pytest.raises(TooMuch):
        in_child(lambda: len(bytearray(b"x") * (200 << 20)), megabytes=100)
    assert in_child(lambda: 3) == 3
    assert in_child(lambda: 1 // 0) == ("ZeroDivisionError", "integer division or modulo by zero")


def test_a_wrong_element_of_a_chain_is_noticed(monkeypatch):
    wrong = lambda view: [0]  # noqa: E731 - what stands for it
    monkeypatch.setattr(mdview, "elements", wrong)

    def walk():
        for number in range(400):
            chain(random.Random(number))  # noqa: S311 - reproducible cases, no secrets

    with pytest.raises(Wrong, match="elements"):
        walk()


def test_a_store_outside_of_the_data_is_noticed():
    data = Data(random.Random(3), 20)  # noqa: S311 - reproducible cases, no secrets
    data.check(["nothing"])
    np.frombuffer(data.whole, "q")[3] = 7
    with pytest.raises(Wrong, match="nothing changed memory outside the data"):
        data.check(["nothing"])


# --- what was found once ---

MATRIX = MDView(array("d", range(12)), (3, 4))
FOUND = {
    "a range that begins one past the end": (lambda: subview(MATRIX, range(3, -1, -1), 0), SliceError),
    "the same in brackets": (lambda: MATRIX[ExtentSlice(3, 4, -1), 0], SliceError),
    "an __index__ that returns a text": (lambda: MATRIX[Liar("x"), 0], IndexTypeError),
    "the same in a mapping": (lambda: MATRIX.mapping(Liar("x"), 0), IndexTypeError),
    "an array as bound of a slice": (lambda: MATRIX[np.array([0, 1]) :], IndexTypeError),
    "a bound beyond 2**63": (lambda: subview(MATRIX, slice(2**70, 2**72, 2), 0), SliceError),
    "a range beyond 2**63": (lambda: subview(MATRIX, range(2**70), 0), SliceError),
    "strides that are a number": (lambda: LayoutStride(3), ExtentsTypeError),
    "relaxed strides that are a number": (lambda: LayoutStrideRelaxed(3), ExtentsTypeError),
    "a padding beyond 2**63": (lambda: Mapping((2, 3), LayoutRightPadded(2**63)), StrideError),
    "a class transposed": (lambda: LayoutTranspose(LayoutRight), LayoutTypeError),
    "a class instead of a layout": (lambda: MDView([1], (1,), LayoutRight), LayoutTypeError),
    "a number instead of a mapping": (lambda: MDView.from_mapping([1], 3), LayoutTypeError),
    "an origin that is no integer": (lambda: MDView.from_mapping([1], Mapping((1,)), origin=0.5), ExtentsTypeError),
    "a triangle without a hash": (lambda: LayoutBlasPacked([], "row"), LayoutError),
    "an order without a hash": (lambda: LayoutMorton(fastest=[]), LayoutError),
    "a negative length": (lambda: MDView(type("Odd", (list,), {"__len__": lambda _: -1})(), (1,)), BufferFormatError),
    "a format that is no text": (lambda: bitcast(MATRIX, None), BufferFormatError),
    "a width that is no number": (lambda: pad(MATRIX, None), RankError),
    "widths that are no pairs": (lambda: pad(MATRIX, ((1, 2), 3)), RankError),
    "bounds that are no pairs": (lambda: shrink(MATRIX, [3, 4]), RankError),
    "an offset that is no integer": (lambda: diagonal(MATRIX, 0.5), ExtentsTypeError),
    "no axis at all": (lambda: diagonal(MATRIX, 0, ()), ExtentsTypeError),
    "an axis named twice": (lambda: permute_dims(MATRIX, iter((0, 0))), RankError),
    "more dimensions than NumPy has": (lambda: np.asarray(MDView(array("d", [1]), (1,) * 65)), RankError),
    "a composition of nothing": (
        lambda: Mapping((2,), LayoutComposed(None, (2,), IndexTransform((), (), ()))),
        TypeError,
    ),
    "a transform that is none": (lambda: Mapping((2,), LayoutComposed(LayoutRight(), (2,), None)), LayoutTypeError),
    "a transform of another rank": (
        lambda: Mapping((2, 2), LayoutComposed(LayoutRight(), (2, 2), IndexTransform((0,), (1,), (0,)))),
        RankError,
    ),
    "a transform of uneven parts": (
        lambda: Mapping((2, 2), LayoutComposed(LayoutRight(), (2, 2), IndexTransform((0, 0), (1,), (0, 1)))),
        RankError,
    ),
    "a source from the end": (
        lambda: Mapping((2,), LayoutComposed(LayoutRight(), (4,), IndexTransform((0,), (1,), (-1,)))),
        LayoutError,
    ),
    "lists without end": (lambda: MDView([], (2**40, 0)).tolist(), ShapeError),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_has_a_named_error(name):
    attempt, error = FOUND[name]
    with pytest.raises(error):
        attempt()


def test_a_list_that_contains_itself_is_refused_and_nothing_is_stored():
    rows = []
    rows.append(rows)
    with pytest.raises(ShapeError, match="nested too deeply, or contain themselves"):
        MATRIX[:] = rows
    assert MATRIX[2, 3] == 11


def test_an_index_is_asked_once():
    assert MATRIX.at((Liar(0, 100), Liar(1, 100))) == 1
    assert MATRIX[Liar(1, 100), 0] == 4


def test_a_padding_is_asked_once():
    assert LayoutRightPadded(Liar(4, -7)).strides((2, 3)) == (4, 1)


def test_a_list_that_became_shorter_is_noticed_before_anything_is_stored():
    rows = [1, 2, 3]
    view = MDView(rows, (3,))
    rows.pop()
    for use in (view.tolist, lambda: list(view), lambda: view.__setitem__(slice(None), 7)):
        with pytest.raises(BufferSizeError, match="the data had 3 elements when the view was made, now 2"):
            use()
    assert rows == [1, 2]


def test_lists_of_any_depth_are_made():
    nested = MDView([5], (1,) * 3000).tolist()
    for _ in range(3000):
        [nested] = nested
    assert nested == 5


def test_what_a_hostile_object_raises_itself_comes_through():
    with pytest.raises(OwnError, match="mine"):
        MATRIX[Liar(OwnError("mine")), 0]
    assert isinstance(MATRIX.accessor, DefaultAccessor)
