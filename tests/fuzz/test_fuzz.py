"""Hostile inputs by the ten thousands and random chains, in interpreters of their own; what is planted is found."""

import faulthandler
import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from chains import chain
from effort import share
from hostile import Liar, OwnError
from isolation import Died, TooMuch, in_child
from lying import Data
from outcomes import Wrong
from run import TARGETS, HangError, outcome

import mdview

HERE = Path(__file__).parent


def assert_runs(*options):
    """In an interpreter of its own, so that a crash is a failure here and nothing else."""
    ran = subprocess.run(
        [sys.executable, HERE / "run.py", *map(str, options)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(HERE.parents[1])},
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_every_input_has_a_right_answer_or_a_named_error():
    assert sum(share for _, share, _ in TARGETS.values()) == 1000
    inputs = 1000 * share(39, 7)
    assert assert_runs("--inputs", inputs).splitlines()[-1] == f"{inputs} inputs, nothing else"


@pytest.mark.parametrize("kind", [Wrong, KeyError, HangError])
def test_a_wrong_answer_an_unnamed_error_and_a_hang_are_no_outcome(kind):
    def target(pick):
        raise kind(3)

    with pytest.raises(kind):
        outcome(target, 0, "0", ())
    assert outcome(lambda pick: None, 0, "0", ()) == "right"
    if kind is KeyError:
        assert outcome(target, 0, "0", (KeyError,)) == "KeyError"


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

    for work, text in ((crash, "SIGSEGV"), (wait, "hangs"), (spin, "SIGXCPU")):
        with pytest.raises(Died, match=text):
            in_child(work, seconds=1)
    with pytest.raises(TooMuch):
        in_child(lambda: len(bytearray(b"x") * (200 << 20)), megabytes=100)
    assert in_child(lambda: 3) == 3
    assert in_child(lambda: 1 // 0)[0] == "ZeroDivisionError"


def test_a_wrong_element_of_a_chain_is_noticed(monkeypatch):
    monkeypatch.setattr(mdview.iteration, "elements", lambda view, order="index": [0])
    with pytest.raises(Wrong, match=r"elements|memory order"):
        [chain(random.Random(number)) for number in range(400)]  # noqa: S311 - reproducible cases, no secrets


def test_a_store_outside_of_the_data_is_noticed():
    data = Data(random.Random(3), 20, watched=True)  # noqa: S311 - reproducible cases, no secrets
    data.check(["nothing"])
    data.whole[3] = 7
    with pytest.raises(Wrong, match="outside the data"):
        data.check(["nothing"])


def test_a_hostile_number_is_asked_once_and_what_it_raises_comes_through():
    view = mdview.MDView(bytearray(range(12)), (3, 4))
    assert (view.at((Liar(0, 100), Liar(1, 100))), view[Liar(1, 100), 0]) == (1, 4)
    assert mdview.LayoutRightPadded(Liar(4, -7)).strides((2, 3)) == (4, 1)
    with pytest.raises(OwnError):
        view[Liar(OwnError("mine")), 0]
