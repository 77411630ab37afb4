"""What a user does wrong, and what mdview says: the texts beside this module have both, and are read as prose.

``typical.txt`` has what people write in their first hours, ``mistakes.txt`` other common mistakes, and the rest what
their subject refuses. A text begins with the names in which its mistakes are made.
``python tests/mistakes/test_mistakes.py`` writes the answers anew; look at the difference before it is committed.
"""

import builtins
import pickle
import re
import sys
from array import array
from copy import deepcopy
from functools import reduce
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from public import PUBLIC

import mdview
from mdview import errors

FILES = sorted(Path(__file__).parent.glob("*.txt"))
MOST = 300
PROMPT = ">>> "
ADDRESSES = re.compile(r"0x[0-9a-f]{4}|<mdview|<class|<function| object at ")
FOREIGN = re.compile(r"memoryview: |struct\.error|unsupported operand|NoneType|object is not|has no len\(\)|Struct\(\)")
SINGULAR = re.compile(
    r"(?<!rank )(?<!operand )\b1 (\w+ )?(indices|axes|slices|strides|extents|sizes|values|elements|arguments)\b"
)
CALLED = re.compile(r"(?<![\w.'\"])((?:[a-z_]\w*\.)*[A-Za-z_]\w*)\(")
"""A call in an answer."""
PARTNERS = {"with NumPy": "numpy", "with Numba": "numba", "with sympy": "sympy"}


class Mistake(NamedTuple):
    file: Path
    topic: str
    code: str
    answer: str


def parsed(file: Path) -> tuple[str, list[Mistake]]:
    """The program that comes before all mistakes, and the mistakes."""
    setup: list[str] = []
    found: list[Mistake] = []
    topic = ""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            topic = line.removeprefix("# ")
        elif line.startswith((PROMPT, "... ")) and not topic:
            setup.append(line[len(PROMPT) :])
        elif line.startswith(PROMPT):
            found.append(Mistake(file, topic, line.removeprefix(PROMPT), ""))
        elif topic and line:
            found[-1] = found[-1]._replace(answer=f"{found[-1].answer}\n{line}".lstrip("\n"))
    return "\n".join(setup), found


PARSED = {file: parsed(file) for file in FILES}
MISTAKES = [mistake for _, found in PARSED.values() for mistake in found]


def partner(topic: str) -> str | None:
    return next((name for words, name in PARTNERS.items() if words in topic), None)


def prepared(mistake: Mistake) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(PARSED[mistake.file][0], names)
    if partner(mistake.topic) is not None:
        exec(f"import numba\n{NUMPY}" if "Numba" in mistake.topic else NUMPY, names)
    return names


NUMPY = "import numpy as np\nnumbers = np.zeros((3, 4))"


def buffers(names: dict[str, Any]) -> dict[str, Any]:
    kinds = array | bytearray | list | tuple
    return {name: deepcopy(given) for name, given in names.items() if isinstance(given, kinds)}


def answered(code: str, names: dict[str, Any]) -> Exception | None:
    """What the code raises; None where it does not."""
    try:
        exec(code, names)
    except Exception as error:  # noqa: BLE001 - which one is the question
        return error
    return None


def told(error: Exception | None) -> str:
    """The answer; variables of one name are told apart by numbers, which depend on what ran before."""
    return re.sub(r"#\d+", "#1", f"{type(error).__name__}: {error}")


def topics():
    """The topics of each file, those of partners that are not installed skipped."""
    for file, topic in dict.fromkeys((mistake.file, mistake.topic) for mistake in MISTAKES):
        needed = partner(topic)
        missing = needed is not None and find_spec(needed) is None
        marks = pytest.mark.skipif(missing, reason=f"{needed} is not installed")
        yield pytest.param(file, topic, marks=marks, id=f"{file.stem}: {topic}")


@pytest.mark.parametrize(("file", "topic"), [*topics()])
def test_a_mistake_is_answered_as_the_file_says(file: Path, topic: str) -> None:
    for mistake in [each for each in MISTAKES if (each.file, each.topic) == (file, topic)]:
        names = prepared(mistake)
        before = buffers(names)
        error = answered(mistake.code, names)
        assert told(error) == mistake.answer, mistake.code
        assert buffers(names) == before, mistake.code
        again = pickle.loads(pickle.dumps(error))  # noqa: S301 - what was written a moment ago
        assert (told(again), vars(again)) == (told(error), vars(error)), mistake.code


def test_an_answer_is_one_short_sentence_of_ours() -> None:
    for mistake in MISTAKES:
        name, _, message = mistake.answer.partition("\n")[0].partition(": ")
        kind = getattr(errors, name)
        assert issubclass(kind, errors.MDViewError)
        assert any(base.__module__ == "builtins" for base in kind.__mro__[:-3]), name
        assert 20 < len(message) <= MOST, message
        assert not any(wrong.search(message) for wrong in (ADDRESSES, FOREIGN, SINGULAR)), message
        assert not message.endswith("."), message


def test_there_are_many_mistakes_and_none_twice():
    codes = [(mistake.file, mistake.code) for mistake in MISTAKES]
    assert len(codes) >= 150
    assert len(codes) == len(set(codes))
    assert len({mistake.answer.partition(":")[0] for mistake in MISTAKES}) >= 25


def test_an_answer_to_a_typical_mistake_names_the_way_out():
    """Behind a semicolon, after the rule and the values."""
    answers = [mistake.answer for mistake in MISTAKES if mistake.file.stem == "typical"]
    without = [answer for answer in answers if "; " not in answer]
    assert len(answers) >= 60
    assert len(without) <= 5, without


OF_PARTNERS = {"array.filled", "compute_chunk_sizes", "array", "UniTuple"}
"""Methods of NumPy's masked arrays and of dask, the class of Python's module `array`, and a type of Numba."""


def test_an_answer_names_calls_that_exist():
    """Behind a semicolon and on the first line: what follows are expressions of the user."""
    modules = [import_module(f"mdview.{name}") for name in ("testing", "interop.cpp", "polymorphic")]
    known = {name: getattr(each, name) for each in (builtins, *modules) for name in dir(each)} | PUBLIC
    known |= {"np": pytest.importorskip("numpy"), "testing": modules[0]}
    ways = [mistake.answer.partition("\n")[0].partition("; ")[2] for mistake in MISTAKES]
    named = {name.removeprefix("view.") for way in ways for name in CALLED.findall(way)} - OF_PARTNERS

    def exists(name: str) -> bool:
        first, *rest = name.split(".")
        owners = [
            known.get(first),
            *[getattr(each, first, None) for each in (mdview.MDView, mdview.Layout, mdview.Accessor)],
        ]
        return any(each is not None and reduce(lambda x, part: getattr(x, part, None), rest, each) for each in owners)

    assert {name for name in named if not exists(name)} == set()
    assert len(named) >= 40


def written(file: Path) -> str:
    """The file with today's answers."""
    lines = file.read_text(encoding="utf-8").splitlines()
    kept = lines[: next(k for k, line in enumerate(lines) if line.startswith("# "))]
    topic = ""
    for mistake in PARSED[file][1]:
        if mistake.topic != topic:
            topic = mistake.topic
            kept += [*([""] if kept[-1] else []), f"# {topic}", ""]
        error = answered(mistake.code, prepared(mistake))
        kept += [f"{PROMPT}{mistake.code}", told(error), ""]
    return "\n".join(kept).rstrip() + "\n"


if __name__ == "__main__":
    for each in FILES:
        each.write_text(written(each), encoding="utf-8")
    sys.exit(0)
