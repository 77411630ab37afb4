"""Python libraries that claim the semantics of mdspan, asked through an adapter of a few functions."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import product
from typing import Any, Final

from mdview import LayoutStrideRelaxed, Mapping, asview
from mdview.conformance import corpus
from mdview.conformance.corpus import CannotRunError, Compared, Description, Question, Report, Tally

FAMILIES: Final[dict[str, dict[str, str]]] = corpus.FORMS["families"]
"""The families of facts, by the adapter's function that answers them: file and kind of the facts, and their rule."""
OPERATIONS: Final = ("eval", "composition", "complement", "right_inverse", "logical_divide", "logical_product")
Asked = tuple[str, Callable[[Any], Description], Description]
"""A question: an expression of Python, the function from its result to the answer, and the expected answer."""


def template() -> str:
    """Return the text of an adapter to fill in."""
    return (corpus.DATA / "adapter_template.py.txt").read_text(encoding="utf-8")


def ask_python(adapter: str, *, only: Sequence[str] = ()) -> Report:
    """Ask a Python library through an adapter, and compare its answers with the recorded facts.

    Parameters
    ----------
    adapter
        ``mymodule:adapter``, an object with the functions of the template that the command line prints.
    only
        The families of facts to ask about; all if empty. A family without a function in the adapter is not asked.

    Returns
    -------
    Report
        The number of answers that agree for each family, and the departures.

    Raises
    ------
    CannotRunError
        The adapter does not exist or lacks a function, or ``only`` names an unknown family.
    """
    library, families = adapter_named(adapter), corpus.chosen(only, FAMILIES)
    has = [name for name in ("memory", "array", *families) if callable(getattr(library, name, None))]
    asked = [family for family in families if family in has]
    if not asked:
        raise CannotRunError(f"{adapter} has no {'() or '.join(families)}(): --template prints them")
    missing = [name for name in ("memory", "array") if name not in has and asked != ["algebra"]]
    if missing:
        raise CannotRunError(f"{adapter} has no {missing[0]}(), which {asked[0]} needs: --template prints both")
    rows = [row(family, library) if family in asked else Tally(family, offered=False) for family in families]
    return Report(f"{adapter}, Python {sys.version.split()[0]}", rows, "python")


def adapter_named(name: str) -> Any:
    """Return the adapter of a name, ``mymodule:adapter``; a name without a colon is a module.

    Raises
    ------
    CannotRunError
        There is no such adapter.
    """
    module, _, attribute = name.partition(":")
    try:
        loaded = import_module(module)
        return getattr(loaded, attribute) if attribute else loaded
    except (ImportError, AttributeError, ValueError) as error:
        raise CannotRunError(f"no adapter {name!r} ({error}): mymodule:adapter, and --template prints one") from error


def row(family: str, adapter: Any) -> Tally:
    """Ask about one family; a question for which the adapter raises `NotImplementedError` is not counted."""
    compared = list[Compared]()
    for fact, (program, told, expected) in asked_in(family):
        try:
            got = told(eval(program, {"adapter": adapter}))
        except NotImplementedError:
            continue
        except Exception as error:  # noqa: BLE001 - an error of the library is its answer
            got = {"raises": f"{type(error).__name__}: {error}"}
        if family == "facts" and "raises" not in got:  # an adapter may answer only some facts
            expected = {key: value for key, value in expected.items() if key in got}  # noqa: PLW2901
        compared.append(Compared(Question(family, {"program": f"print({program})", "fact": fact}), expected, got))
    return corpus.tally(family, compared, _described)


def _described(comparison: Compared) -> tuple[str, str]:
    clause = f"Fact {comparison.question.given['fact']}: {FAMILIES[comparison.question.kind]['rule']}"
    return clause, comparison.question.given["program"]


def asked_in(family: str) -> Iterator[tuple[str, Asked]]:
    """Yield the identifier of each fact of a family, and the question about it."""
    file, kind = FAMILIES[family]["facts"], FAMILIES[family]["kind"]
    for case in json.loads((corpus.DATA / "algebra" / f"{file}.json").read_text(encoding="utf-8"))["cases"]:
        operation = case["kind"].removeprefix(kind)
        if family == "algebra" and operation in OPERATIONS and "table" in case["out"]:
            yield case["id"], _algebra(operation, case["in"], case["out"]["table"])
        elif family != "algebra" and case["kind"].startswith(kind):
            yield case["id"], _strided(family, case["in"], case["out"])


def _strided(family: str, case: Description, facts: Description) -> Asked:
    """Return a question about an array, whose lowest element is the first element of its memory."""
    shape, strides = tuple(case["shape"]), tuple(case["strides"])
    lift = 0 if 0 in shape else -sum((e - 1) * s for e, s in zip(shape, strides, strict=True) if s < 0)
    mapping = Mapping(shape, LayoutStrideRelaxed(strides, lift))
    memory = f"adapter.memory({max(mapping.required_span_size, 1)})"
    program = f"adapter.{family}(adapter.array({memory}, {shape}, {strides}, {lift}))"
    if family == "facts":
        return program, dict, {k: v for k, v in facts.items() if not k.startswith(("coalesced", "mergeable"))}
    elements = {"elements": list(mapping.offsets())}
    if family == "elements":
        return program, lambda result: {"elements": list(result)}, elements
    exported = memoryview if family == "buffer" else _dlpack_alone
    return program, lambda result: _seen(asview(exported(result))), {"shape": list(shape), **elements}


def _seen(view: Any) -> Description:
    return {"shape": list(view.shape), "elements": [view[index] for index in product(*map(range, view.shape))]}


def _dlpack_alone(exporter: Any) -> Any:
    """Return an object that has the DLPack methods of another object, and nothing else."""
    names = ("__dlpack__", "__dlpack_device__")
    return type("OfDLPack", (), {name: staticmethod(getattr(exporter, name)) for name in names})()


def _algebra(operation: str, case: Description, table: list[int]) -> Asked:
    """Return a question for the table of offsets of an operation's result; the expected table is that of pycute."""
    layouts = [case[side] for side in "AB"] if "A" in case else [case]
    operands = [(_tuples(operand["shape"]), _tuples(operand["stride"])) for operand in layouts]
    operands += [case["cotarget"]] if "cotarget" in case else []
    program = f"adapter.algebra({', '.join(map(repr, [operation, *operands]))})"
    return program, lambda result: {"table": list(result)}, {"table": table}


def _tuples(modes: Any) -> Any:
    return tuple(map(_tuples, modes)) if isinstance(modes, list) else modes
