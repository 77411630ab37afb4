"""Generated code for positions: the arithmetic of a plan whose offset is no sum of table entries, in one function.

This is the only code that element access generates. The function takes a key, bounds each index, leads it to an index
of the base of the plan, by digits after a reshape, and returns what the base has there: arithmetic, or a sum of table
entries. Numbers are parameters, so that parts of one base share the code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mdview.base.caches import generated
from mdview.engines.mapping_plan import Plan
from mdview.expressions.python_codegen import Writer
from mdview.index.index_map import IndexMap

MOST_DIMENSIONS: Final = 64
"""The highest rank whose positions are compiled: a compiler has its limits."""


def position_function(plan: Plan, origin: int, tables: list[Any]) -> Callable[[Any], int] | None:
    """Return the function that gives the position of a key, or raises; None for a plan without arithmetic.

    ``tables`` are those of the base of a plan, if it has axes. Any: tables, and what a user has written in brackets.
    """
    base, way = plan.base or plan, plan.transform if plan.base is not None else None
    root, rank = base.vector.root if base.vector is not None and not tables else None, len(plan.extents)
    if (root is None and not tables) or (plan.base is not None and type(way) is not IndexMap) or rank > MOST_DIMENSIONS:
        return None
    radix = way.radix if isinstance(way, IndexMap) else None
    numbers: list[Any] = [*map(range, plan.extents), *plan.extents, *tables, origin + (base.start if tables else 0)]
    if isinstance(way, IndexMap):
        numbers += [*way.offset, *way.stride]
    if radix is not None:
        numbers += [radix.first, *radix.all_weights(rank), *radix.shape]
    source, digits = (way.source, len(radix.shape) if radix else 0) if isinstance(way, IndexMap) else (None, 0)
    key = "position", root, rank, len(base.extents), source, digits
    make = generated(key, lambda: _compiled(root, rank, len(base.extents), source, digits))
    function: Callable[[Any], int] = make(*numbers)
    return function


def _compiled(root: Any, rank: int, count: int, source: tuple[int | None, ...] | None, digits: int) -> Any:
    """Compile the function that makes a position function of numbers. Any: an expression, and the function."""
    names = [f"{letter}{r}" for letter in "re" for r in range(rank)]
    names += [f"t{d}" for d in range(count if root is None else 0)] + ["origin"]
    lines = [f"{''.join([f'k{r}, ' for r in range(rank)])}= key"] if rank else ["() = key"]
    if rank:
        lines += [f"if not ({' and '.join([f'type(k{r}) is int and 0 <= k{r} < e{r}' for r in range(rank)])}):"]
        lines += [
            f"    {', '.join([f'k{r}' for r in range(rank)])} = {', '.join([f'r{r}[k{r}] + 0' for r in range(rank)])}"
        ]
    if source is not None:
        names += [f"{letter}{d}" for letter in "fs" for d in range(count)]
    if digits:
        names += ["n", *[f"w{r}" for r in range(rank)], *[f"b{d}" for d in range(digits)]]
        lines += [f"d0 = {' + '.join(['n', *[f'w{r} * k{r}' for r in range(rank)]])}"]
        for d in range(digits - 1, 0, -1):
            lines += [f"d{d} = d0 % b{d}", f"d0 //= b{d}"]
    letter = "d" if digits else "k"
    for d, r in enumerate(source or ()):
        lines.append(f"i{d} = f{d}" if r is None else f"i{d} = f{d} + s{d} * {letter}{r}")
    if source is None:
        lines += [f"i{r} = k{r}" for r in range(rank)]
    if root is None:
        lines.append(f"return {' + '.join(['origin', *[f't{d}[i{d}]' for d in range(count)]])}")
    else:
        lines += Writer().lines(root, "return origin + {}".format)
    text = [
        f"def make({', '.join(names)}):",
        "    def position(key):",
        *[f"        {line}" for line in lines],
        "    return position",
    ]
    found: dict[str, Any] = {}
    exec(compile("\n".join(text), "<position>", "exec"), found)
    return found["make"]
