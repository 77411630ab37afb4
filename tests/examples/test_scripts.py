"""The scripts: each comes to its end and prints what it found, tells what went wrong, and refuses wrong arguments."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mdview.errors import MissingExtraError

ROOT = Path(__file__).parents[2]
RUNS = {
    # what it is given, what it needs, what it prints
    "atomic_histogram": (
        *([], ["numba", "matplotlib"]),
        *[["138632 heights, each counted 300 times, 27 bins, 4 threads", " atomic:        0 of 41589600 counts lost"]],
    ),
    "covariance": (
        *([], ["sklearn", "scipy"]),
        ["569 samples of 30 features", "3720 bytes", "mean perimeter: 0.9979", "the view sees every change: True"],
    ),
    "event_histogram": (["--rows", "6", "--columns", "8"], [], ["in 6 x 8 pixels", "All events are in the spectrum."]),
    "heat": ([], [], ["in layout tiled(8, 8), 400 steps", "24% of its heat is left", "100% of its heat is left"]),
    "hillshade": ([], ["numba", "matplotlib"], ["agree to the bit", "shares memory"]),
    "int4_weights": (["--size", "128"], ["numba"], ["8192 bytes instead of 65536", "the same weights: True"]),
    "matmul": (["--size", "70", "--block", "16"], ["numba"], ["Morton order", "All products agree with NumPy's."]),
    "nearest": (
        [],
        ["matplotlib"],
        ["1376 peaks in 342 x 401 cells", "60% lie within 32 places", "those of all pairs"],
    ),
    "sharing": (
        *([], ["matplotlib", "ziglang"]),
        ["in every other row; the NumPy array sees it: True", "the view has 1 dimension"],
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_script_prints_what_it_found(name, script, tmp_path, monkeypatch, capsys):
    given, needs, printed = RUNS[name]
    for package in needs:
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    assert script(name).main(given) == 0
    told = capsys.readouterr().out
    assert [text for text in printed if text not in told] == []


PROGRAMS = {
    "certified_layout": (
        ["--out", "zigzag.svg"],
        ["accepted Zigzag()", "REJECTED Frayed(): 1 of", "got       offset 2", "certified_layout:Zigzag (4, 5)"],
        ["zigzag.svg"],
    ),
    "tiled_hillshade": (
        ["--gib", "0.0001", "--tile", "64", "--folder", "."],
        ["163 x 163 elevations", "9 of 9 tiles compared with NumPy: all agree to the bit"],
        ["elevations.npy", "hillshade.npy"],
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_writes_its_files(name, tmp_path):
    given, printed, files = PROGRAMS[name]
    if name == "tiled_hillshade":
        pytest.importorskip("distributed")
    command = [sys.executable, str(ROOT / "examples" / f"{name}.py"), *given]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, check=False, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert [text for text in printed if text not in done.stdout] == []
    assert sorted(path.name for path in tmp_path.iterdir()) == files


def off_by_a_little(function):
    def changed(*given):
        result = function(*given)
        result[2, 1] += 1e-3
        return result

    return changed


def rejecting(examine):
    return lambda layout: examine(sys.modules["certified_layout"].Frayed())


SPOILT = {
    # what is replaced, by what, given the right one, and what is told
    "atomic_histogram": ("compiled", lambda _: lambda: lambda *given: None, "of 41589600 counts lost"),
    "certified_layout": ("examine_layout", rejecting, "REJECTED"),
    "covariance": ("covariance", off_by_a_little, "agree with np.cov: False"),
    "event_histogram": ("Channels", lambda kind: lambda *_: kind(2.0, 0.1, 3), "Some events lie outside the channels."),
    "heat": ("kernel", lambda _: lambda: lambda before, after, rate: None, "Edges insulated"),
    "hillshade": ("bits", lambda _: id, "differ"),
    "int4_weights": ("multiply", lambda _: lambda *given: None, "the same weights: False"),
    "matmul": ("multiply", lambda _: lambda a, b, c, block: None, "differs"),
    "nearest": ("by_brute_force", lambda _: lambda points: np.zeros(len(points)), "differ"),
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_wrong_result_is_told(name, script, tmp_path, monkeypatch, capsys):
    for package in ("matplotlib", "numba", "sklearn"):
        pytest.importorskip(package)
    replaced, by, told = SPOILT[name]
    example = script(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(example, replaced, by(getattr(example, replaced)))
    assert example.main(["--size", "4"] if name == "matmul" else []) == 1
    assert told in capsys.readouterr().out


WRONG = [
    # the script, its arguments, and what it says of them
    ("atomic_histogram", ["--threads", "0"], "at least 1 thread"),
    ("certified_layout", ["--out", "missing/zigzag.svg"], "cannot write the picture"),
    ("heat", ["--cells", "0"], "at least 1 cell"),
    ("heat", ["--layout", "tild(3)"], "error:"),
    ("hillshade", ["--out", "missing/relief.png"], "cannot write the picture"),
    ("int4_weights", ["--size", "40"], "a multiple of 32"),
    ("matmul", ["--block", "0"], "size and block are at least 1"),
    ("tiled_hillshade", ["--workers", "0"], "at least 1 cell"),
]


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case[0])
def test_wrong_arguments_are_one_error(case, script, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    name, given, told = case
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        script(name).main(given)
    assert stop.value.code == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(("name", "function"), [("heat", "step"), ("hillshade", "stencil")])
def test_without_numba_a_kernel_is_plain(name, function, script, monkeypatch):
    def jit(_):
        raise MissingExtraError

    monkeypatch.setattr("mdview.numba.jit", jit)
    assert script(name).kernel.__wrapped__() is getattr(script(name), function)
