"""Python libraries that claim the semantics of layouts, asked through an adapter of a few functions."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any, Final, final

from mdview import LayoutStrideRelaxed, Mapping, asview
from mdview.conformance.compilers import CannotRunError
from mdview.conformance.corpus import DATA, Description, Question
from mdview.conformance.reports import Compared, Report, Tally, tally

Case = tuple[str, Description, Callable[[], Description], str]
"""A question: where it is from, the answer, how the library is asked, and the lines of a program that ask it."""

FAMILIES: Final[dict[str, tuple[str, ...]]] = {
    "elements": ("memory", "array", "elements"),
    "facts": ("memory", "array", "facts"),
    "overlap": ("memory", "array", "shares"),
    "buffer": ("memory", "array", "buffer"),
    "dlpack": ("memory", "array", "dlpack"),
    "algebra": ("algebra",),
}
"""The families of facts, and the functions of an adapter that each needs."""
RULES: Final = {
    "elements": "element (i, j, ...) of an array is memory[offset + i * strides[0] + j * strides[1] + ...]",
    "facts": "a fact of an array is what the offsets of all its indices show, as data/algebra/SCHEMA.md defines it",
    "overlap": "two arrays share memory exactly if an index of one has the offset of an index of the other",
    "buffer": "memoryview(buffer(array)) has the shape and the elements of the array",
    "dlpack": "the tensor that dlpack(array) gives has the shape and the elements of the array",
    "algebra": "the result of an operation is a table, with the offset at each index, the first mode fastest",
}
"""What answers follow from."""
OPERATIONS: Final = ("eval", "composition", "complement", "right_inverse", "logical_divide", "logical_product")


def template() -> str:
    """Text of an adapter to fill in."""
    return (DATA / "adapter_template.py.txt").read_text(encoding="utf-8")


def report(name: str, only: Sequence[str] = ()) -> Report:
    """Ask the library of an adapter, `mymodule:adapter`, about all families that it has functions for, or some."""
    adapter = loaded(name)
    unknown = [each for each in only if each not in FAMILIES]
    if unknown:
        raise CannotRunError(f"no family {unknown[0]!r}: --only takes {', '.join(FAMILIES)}")
    has = {each for functions in FAMILIES.values() for each in functions if callable(getattr(adapter, each, None))}
    chosen = {family: functions for family, functions in FAMILIES.items() if not only or family in only}
    asked = [family for family, functions in chosen.items() if functions[-1] in has]
    if not asked:
        raise CannotRunError(f"{name} has no {'() or '.join(f[-1] for f in chosen.values())}(): --template prints them")
    missing = [each for family in asked for each in FAMILIES[family] if each not in has]
    if missing:
        raise CannotRunError(f"{name} has no {missing[0]}(), which {asked[0]} needs: --template prints all functions")
    rows = [row(family, adapter) if family in asked else Tally(family, offered=False) for family in chosen]
    return Report(f"{name}, Python {sys.version.split()[0]}", rows, "python")


def loaded(name: str) -> Any:
    """Return the adapter that a text names; the current folder is looked in, too."""
    module, _, attribute = name.partition(":")
    path, here = list(sys.path), str(Path.cwd())
    sys.path.insert(0, here)
    try:
        found = import_module(module)
        return getattr(found, attribute) if attribute else found
    except (ImportError, AttributeError, ValueError) as error:
        raise CannotRunError(f"no adapter {name!r} ({error}): mymodule:adapter, and --template prints one") from error
    finally:
        sys.path[:] = path


def row(family: str, adapter: Any) -> Tally:
    """Ask about one family; what an adapter says that it does not have (`NotImplementedError`) is not asked."""
    compared = list[Compared]()
    for source, expected, ask, program in cases(family, adapter):
        try:
            got = ask()
        except NotImplementedError:
            continue
        except Exception as error:  # noqa: BLE001 - an error of the library is its answer
            got = {"raises": f"{type(error).__name__}: {error}"}
        if family == "facts" and "raises" not in got:  # an adapter may know some of them
            expected = {key: value for key, value in expected.items() if key in got}  # noqa: PLW2901
        compared.append(Compared(Question(family, {"program": program, "fact": source}), expected, got))
    result = tally(family, compared, _described)
    result.offered = result.asked > 0
    return result


def _described(each: Compared) -> tuple[str, str, str]:
    given = each.question.given
    clause = f"Fact {given['fact']}: {RULES[each.question.kind]}"
    return clause, "Checked by enumeration and, where it is strided, with NumPy.", given["program"]


def cases(family: str, adapter: Any) -> Iterator[Case]:
    """Return the questions of a family."""
    name = "cute" if family == "algebra" else "strided"
    kind = {"algebra": "cute.", "overlap": "overlap.pair"}.get(family, "strided.facts")
    make = {"algebra": _algebra, "overlap": _overlap}.get(family, partial(_strided, family))
    for case in json.loads((DATA / "algebra" / f"{name}.json").read_text(encoding="utf-8"))["cases"]:
        if case["kind"].startswith(kind):
            for expected, ask, program in make(adapter, case):
                yield case["id"], expected, ask, program


Made = Iterator[tuple[Description, Callable[[], Description], str]]


def _strided(family: str, adapter: Any, case: Description) -> Made:
    shape, strides = tuple(case["in"]["shape"]), tuple(case["in"]["strides"])
    lift = 0 if 0 in shape else -_bounds(shape, strides)[0]
    mapping = Mapping(shape, LayoutStrideRelaxed(strides, lift))
    size = max(mapping.required_span_size, 1)
    expected = {"shape": list(shape), "elements": list(mapping.offsets())}
    if family == "elements":
        del expected["shape"]
    if family == "facts":
        expected = {key: fact for key, fact in case["out"].items() if not key.startswith(("coalesced", "mergeable"))}

    def ask() -> Description:
        found = getattr(adapter, family)(adapter.array(adapter.memory(size), shape, strides, lift))
        if family in {"elements", "facts"}:
            return {"elements": list(found)} if family == "elements" else dict(found)
        view = asview(memoryview(found) if family == "buffer" else OfDLPack(found))
        return {"shape": list(view.shape), "elements": [view[index] for index in product(*map(range, view.shape))]}

    yield expected, ask, f"print(adapter.{family}(adapter.array(adapter.memory({size}), {shape}, {strides}, {lift})))"


@final
class OfDLPack:
    """An object that has the DLPack methods of another one alone."""

    def __init__(self, exporter: Any) -> None:
        self._exporter = exporter

    def __dlpack__(self, **options: Any) -> Any:
        """Give the capsule of the exporter."""
        return self._exporter.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Tell the device of the exporter."""
        device: tuple[int, int] = self._exporter.__dlpack_device__()
        return device


def _overlap(adapter: Any, case: Description) -> Made:
    """Ask whether two arrays share memory, which begins with the lowest element of both."""
    sides = [case["in"][name] for name in "ab"]
    pair = [(tuple(side["shape"]), tuple(side["strides"]), side["offset"]) for side in sides]
    ends = [offset + end for shape, strides, offset in pair for end in _bounds(shape, strides)]
    low, size = min(ends), max(ends) - min(ends) + 1

    def ask() -> Description:
        memory = adapter.memory(size)
        a, b = [adapter.array(memory, shape, strides, offset - low) for shape, strides, offset in pair]
        return {"shares": bool(adapter.shares(a, b))}

    arrays = [
        f"{name} = adapter.array(memory, {s}, {t}, {o - low})" for name, (s, t, o) in zip("ab", pair, strict=True)
    ]
    program = [f"memory = adapter.memory({size})", *arrays, "print(adapter.shares(a, b))"]
    yield {"shares": case["out"]["shares"]}, ask, "\n".join(program)


def _bounds(shape: Sequence[int], strides: Sequence[int]) -> tuple[int, int]:
    """Return how far the lowest and the highest element lie from index (0, ..., 0)."""
    steps = [(e - 1) * s for e, s in zip(shape, strides, strict=True)]
    return sum(step for step in steps if step < 0), sum(step for step in steps if step > 0)


def _algebra(adapter: Any, case: Description) -> Made:
    """Ask for the tables of layouts that operations give, as pycute has answered."""
    operation, given = case["kind"].removeprefix("cute."), case["in"]
    if operation in OPERATIONS and "table" in case["out"]:
        layouts = [given[side] for side in ("A", "B")] if "A" in given else [given]
        operands = [(_tuples(each["shape"]), _tuples(each["stride"])) for each in layouts]
        operands += [given["cotarget"]] if "cotarget" in given else []
        program = f"print(adapter.algebra({', '.join(map(repr, [operation, *operands]))}))"
        yield {"table": case["out"]["table"]}, lambda: {"table": list(adapter.algebra(operation, *operands))}, program


def _tuples(modes: Any) -> Any:
    return tuple(map(_tuples, modes)) if isinstance(modes, list) else modes
