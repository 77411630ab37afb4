"""Python libraries that claim the semantics of layouts, asked through an adapter of a few functions."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any, Final, final

from mdview import LayoutStrideRelaxed, Mapping, asview
from mdview.conformance.compilers import CannotRunError
from mdview.conformance.corpus import DATA, same
from mdview.conformance.reports import Departure, Report, Tally

Given = dict[str, Any]
Answer = dict[str, Any]
Case = tuple[str, Answer, Callable[[], Answer], str]
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
OPERATIONS: Final = ("eval", "composition", "complement", "right_inverse", "logical_divide", "logical_product")


def template() -> str:
    """Text of an adapter to fill in."""
    return (Path(__file__).parent / "data" / "adapter_template.py.txt").read_text(encoding="utf-8")


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
    return Report(f"{name}, Python {sys.version.split()[0]}", rows)


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
    result, groups = Tally(family), dict[tuple[str, ...], Departure]()
    for source, expected, ask, program in asks(family, adapter):
        try:
            got = ask()
        except NotImplementedError:
            continue
        except Exception as error:  # noqa: BLE001 - an error of the library is its answer
            got = {"raises": f"{type(error).__name__}: {error}"}
        result.asked += 1
        keys = [key for key in {**expected, **got} if key not in got or not same(expected.get(key, got), got[key])]
        keys = [key for key in keys if key in got or family != "facts"]  # an adapter may know some of the facts
        result.agreed += not keys
        if keys:
            known = groups.get(tuple(keys))
            least = known is None or len(program) < len(known.program)
            groups[tuple(keys)] = Departure(
                family,
                ", ".join(keys),
                1 + (known.answers if known else 0),
                f"Fact {source}" if least or known is None else known.clause,
                {key: expected.get(key, "no error") for key in keys} if least or known is None else known.expected,
                {key: got.get(key, "absent") for key in keys} if least or known is None else known.got,
                "Checked by enumeration and, where it is strided, with NumPy.",
                program if least or known is None else known.program,
            )
    result.offered = result.asked > 0
    result.departures.extend(groups.values())
    return result


# --- strided arrays --------------------------------------------------------------------------------------------------


def asks(family: str, adapter: Any) -> Iterable[Case]:
    """Return the questions of a family."""
    if family == "algebra":
        return _algebra(adapter)
    cases = json.loads((DATA / "algebra" / "strided.json").read_text(encoding="utf-8"))["cases"]
    kind = "overlap.pair" if family == "overlap" else "strided.facts"
    make = _overlap if family == "overlap" else partial(_strided, family)
    return [make(adapter, case["id"], case["in"], case["out"]) for case in cases if case["kind"] == kind]


def _strided(family: str, adapter: Any, source: str, given: Given, out: Answer) -> Case:
    shape, strides = tuple(given["shape"]), tuple(given["strides"])
    lift = 0 if 0 in shape else -sum((e - 1) * s for e, s in zip(shape, strides, strict=True) if s < 0)
    mapping = Mapping(shape, LayoutStrideRelaxed(strides, lift))
    size = max(mapping.required_span_size, 1)
    array = f"array(memory({size}), {shape}, {strides}, {lift})"
    expected = {
        "elements": {"elements": list(mapping.offsets())},
        "facts": {key: value for key, value in out.items() if not key.startswith(("coalesced", "mergeable"))},
    }.get(family, {"shape": list(shape), "elements": list(mapping.offsets())})

    def ask() -> Answer:
        found = adapter.array(adapter.memory(size), shape, strides, lift)
        if family == "elements":
            return {"elements": list(adapter.elements(found))}
        if family == "facts":
            return dict(adapter.facts(found))
        exported = getattr(adapter, family)(found)
        view = asview(memoryview(exported) if family == "buffer" else OfDLPack(exported))
        return {"shape": list(view.shape), "elements": [view[index] for index in product(*map(range, view.shape))]}

    return source, expected, ask, f"print(adapter.{family}(adapter.{array.replace('memory', 'adapter.memory')}))"


@final
class OfDLPack:
    """What an object offers by DLPack, and nothing else."""

    def __init__(self, exporter: Any) -> None:
        self._exporter = exporter

    def __dlpack__(self, **options: Any) -> Any:
        """Give the capsule of the exporter."""
        return self._exporter.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Tell the device of the exporter."""
        device: tuple[int, int] = self._exporter.__dlpack_device__()
        return device


def _overlap(adapter: Any, source: str, given: Given, out: Answer) -> Case:
    pair = [(tuple(given[s]["shape"]), tuple(given[s]["strides"]), given[s]["offset"]) for s in ("a", "b")]
    low, high = _reach(pair)
    size = high - low + 1

    def ask() -> Answer:
        memory = adapter.memory(size)
        a, b = [adapter.array(memory, shape, strides, offset - low) for shape, strides, offset in pair]
        return {"shares": bool(adapter.shares(a, b))}

    lines = [
        f"memory = adapter.memory({size})",
        *[f"{name} = adapter.array(memory, {s}, {t}, {o - low})" for name, (s, t, o) in zip("ab", pair, strict=True)],
        "print(adapter.shares(a, b))",
    ]
    return source, {"shares": out["shares"]}, ask, "\n".join(lines)


def _reach(pair: Iterable[tuple[tuple[int, ...], tuple[int, ...], int]]) -> tuple[int, int]:
    lows, highs = [], []
    for shape, strides, offset in pair:
        steps = [(e - 1) * s for e, s in zip(shape, strides, strict=True)]
        lows.append(offset + sum(step for step in steps if step < 0))
        highs.append(offset + sum(step for step in steps if step > 0))
    return min(lows), max(highs)


# --- the algebra of layouts ------------------------------------------------------------------------------------------


def _algebra(adapter: Any) -> Iterator[Case]:
    """Ask for the tables of layouts that operations give, as pycute has answered."""
    for case in json.loads((DATA / "algebra" / "cute.json").read_text(encoding="utf-8"))["cases"]:
        operation, given = case["kind"].removeprefix("cute."), case["in"]
        if operation in OPERATIONS and "table" in case["out"]:
            layouts = [given[side] for side in ("A", "B")] if "A" in given else [given]
            operands = [(_tuples(each["shape"]), _tuples(each["stride"])) for each in layouts]
            operands += [given["cotarget"]] if "cotarget" in given else []
            text = ", ".join(map(repr, [operation, *operands]))
            ask = partial(_operated, adapter, operation, operands)
            yield case["id"], {"table": case["out"]["table"]}, ask, f"print(adapter.algebra({text}))"


def _operated(adapter: Any, operation: str, operands: Sequence[Any]) -> Answer:
    return {"table": list(adapter.algebra(operation, *operands))}


def _tuples(modes: Any) -> Any:
    return tuple(map(_tuples, modes)) if isinstance(modes, list) else modes
