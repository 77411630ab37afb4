"""Generate the page of everyday calls: each call with its result, or with its error and a call that works.

By hand, with all partners installed: ``python docs/generate_calls.py``. A test compares the page with the generated
text.
"""

# ruff: noqa: INP001 - a script beside the pages, no module
from __future__ import annotations

import ast
import contextlib
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

from mdview import MDView, format  # noqa: A004 - the text of a mapping
from mdview.errors import MDViewError

FILE: Final = Path(__file__).parent / "calls.md"
START: Final = "<!-- tables: written by docs/generate_calls.py -->\n"
OPERANDS: Final = {
    "a": ("np.arange(24.0).reshape(4, 6)", "an array of NumPy"),
    "rows": ("np.arange(24.0).reshape(4, 6).tolist()", "a list of lists"),
    "v": ("asview(np.arange(24.0).reshape(4, 6))", "a view"),
    "t": ('relayout(np.arange(24.0).reshape(4, 6), "tiled(2, 3)")', "a view in tiles"),
    "s": ("pd.Series(np.arange(6.0))", "a series of pandas"),
    "w": ("pa.array(np.arange(6.0))", "an array of Arrow"),
    "p": ("pl.Series(np.arange(6.0))", "a series of polars"),
}
"""The names of operands in the calls, with the code that makes them and a description."""
IMPORTS: Final = {
    "np": ("numpy", "import numpy as np"),
    "pd": ("pandas", "import pandas as pd"),
    "pa": ("pyarrow", "import pyarrow as pa"),
    "pl": ("polars", "import polars as pl"),
    "da": ("dask", "import dask.array as da"),
    "to_dask": ("dask", "from mdview.interop.dask import to_dask"),
    "to_zarr": ("zarr", "from mdview import to_zarr"),
}
"""The names in the calls that need a partner library, with its package and the import."""
CALLS: Final = {
    "Views, and the way back": """
asview(a)
asview(rows) -> asview(np.array(rows))
asview(v) -> v
asview(s)
asview(w)
asview(p)
MDView(a) -> MDView(a, (4, 6))
MDView(a, (24,))
MDView(rows, (4, 6)) -> MDView(sum(rows, []), (4, 6))
MDView(v, (2, 12)) -> reshape(v, (2, 12))
MDView(s, (6,)) -> asview(s)
MDView(w, (6,)) -> asview(w)
np.asarray(v)
np.asarray(t)
v.tolist()
t.tolist()
pd.DataFrame(v)
pd.Series(t[0])
pa.array(t[0])
da.from_array(t).sum().compute() -> da.from_array(np.asarray(t)).sum().compute()
""",
    "New memory": """
zeros(6) -> zeros((6,))
zeros((4, 6), dtype=np.float32)
zeros((4, 6), dtype=a.dtype)
zeros((6,), dtype=s.dtype)
zeros((6,), dtype=w.type) -> zeros((6,), dtype="float64")
zeros((6,), dtype=p.dtype) -> zeros((6,), dtype="float64")
zeros_like(a)
zeros_like(rows) -> zeros_like(asview(np.array(rows)))
zeros_like(t)
relayout(a, "left")
relayout(rows, "left") -> relayout(asview(np.array(rows)), "left")
relayout(v, "left")
relayout(t, "left")
relayout(s, "left")
relayout(w, "left")
relayout(p, "left")
""",
    "Copies and stores": """
copy(a, zeros((4, 6)))
copy(rows, zeros((4, 6))) -> copy(asview(np.array(rows)), zeros((4, 6)))
copy(v, a)
copy(t, a)
copy(w, zeros((6,)))
copy(a[0], s) -> copy(a[0], asview(s).copy())
equal(a, a)
equal(a, rows) -> equal(a, asview(np.array(rows)))
equal(v, a)
equal(t, a)
equal(p, v[0])
fill(a, 1.0)
fill(rows, 1.0) -> fill(asview(np.array(rows)), 1.0)
fill(t, 1.0)
fill(s, 1.0) -> fill(asview(s).copy(), 1.0)
fill(w, 1.0) -> fill(asview(w).copy(), 1.0)
v[:] = rows
t[:] = a
v[0] = s
t[0] = w
""",
    "Computing": """
transform(np.sqrt, a)
transform(np.sqrt, rows) -> transform(np.sqrt, asview(np.array(rows)))
transform(np.sqrt, v)
transform(np.sqrt, t)
transform(np.add, t, a)
transform(np.sqrt, s)
transform(np.sqrt, w)
transform(np.add, v, 1.0) -> transform(np.add, v, MDView([1.0], ()))
transform(np.sum, v) -> reduce(np.add, v)
transform(np.mean, v) -> np.mean(np.asarray(v))
reduce(np.add, a)
reduce(np.add, rows) -> reduce(np.add, asview(np.array(rows)))
reduce(np.add, v)
reduce(np.add, t)
reduce(np.add, s)
reduce(np.add, w)
reduce(np.add, p)
reduce(sum, v) -> reduce(np.add, v)
np.sqrt(v) -> transform(np.sqrt, v)
np.sum(t) -> reduce(np.add, t)
np.mean(t)
v + 1 -> np.asarray(v) + 1
v @ v.T -> np.asarray(v) @ np.asarray(v.T)
transform(np.matmul, v, v.T) -> np.matmul(np.asarray(v), np.asarray(v.T))
v.sum() -> np.asarray(v).sum()
""",
    "Axes, parts and tiles": """
reshape(a, (2, 12))
reshape(rows, (2, 12)) -> reshape(asview(np.array(rows)), (2, 12))
reshape(t, (2, 12))
reshape(w, (2, 3))
t.reshape(2, 12) -> reshape(t, (2, 12))
permute_dims(a, (1, 0))
permute_dims(rows, (1, 0)) -> permute_dims(asview(np.array(rows)), (1, 0))
permute_dims(t, (1, 0))
flip(a)
flip(rows) -> flip(asview(np.array(rows)))
flip(t)
flip(s)
pad(a, 1)
pad(rows, 1) -> pad(asview(np.array(rows)), 1)
pad(t, 1)
pad(p, 1)
list(tiles(a, (2, 3)))
list(tiles(rows, (2, 3))) -> list(tiles(asview(np.array(rows)), (2, 3)))
list(tiles(t, (2, 3)))
list(tiles(w, (3,)))
subview(a, ALL, 0) -> subview(asview(a), ALL, 0)
subview(rows, ALL, 0) -> subview(asview(np.array(rows)), ALL, 0)
subview(t, ALL, 0)
subview(s, (0, 3)) -> subview(asview(s), (0, 3))
v[1:3, ::2]
t[1:3, ::2]
v[[0, 2]] -> np.asarray(v)[[0, 2]]
t[a > 1] -> np.asarray(t)[a > 1]
""",
    "Files, partners and pictures": """
save(a, "m.npy")
save(rows, "m.npy") -> save(asview(np.array(rows)), "m.npy")
save(t, "m.npy")
save(w, "m.npy")
save(a, "m.zarr") -> to_zarr(a, "m.zarr")
to_zarr(a, "m.zarr")
to_zarr(rows, "m.zarr") -> to_zarr(asview(np.array(rows)), "m.zarr")
to_zarr(t, "m.zarr")
to_zarr(p, "m.zarr")
to_dask(a)
to_dask(rows) -> to_dask(asview(np.array(rows)))
to_dask(t)
to_dask(s)
explain(a)
explain(rows) -> explain(asview(np.array(rows)))
explain(w)
draw(a)
draw(rows) -> draw(asview(np.array(rows)))
draw(t)
draw(p)
""",
}
"""The calls by subject, one in each line; after an arrow a call that works, if the first call is refused."""


LONG: Final = 60
"""Length of the text of a mapping from which the table shows the shape instead."""


class Call(NamedTuple):
    """A call, and a call that works if it is refused, else an empty text."""

    code: str
    instead: str


def calls_of(listed: str) -> list[Call]:
    """Return the calls from the lines of a subject."""
    return [Call(code, instead) for code, _, instead in (line.partition(" -> ") for line in listed.split("\n")[1:-1])]


def names_in(code: str) -> Iterator[str]:
    """Yield the names in a call that are operands or imports; a name comes after the names that it needs."""
    for name in sorted({node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}):
        if name in OPERANDS:
            yield from names_in(OPERANDS[name][0])
        if name in OPERANDS or name in IMPORTS:
            yield name


def partners(call: Call) -> set[str]:
    """Return the packages that a call needs."""
    return {IMPORTS[name][0] for code in filter(None, call) for name in names_in(code) if name in IMPORTS}


def run(code: str) -> Any:
    """Return the result of a call with new operands in an empty folder; None for a store. Any: the result."""
    names: dict[str, Any] = {}
    lines = [IMPORTS[name][1] if name in IMPORTS else f"{name} = {OPERANDS[name][0]}" for name in names_in(code)]
    exec("\n".join(["from mdview import *", *lines]), names)  # noqa: S102 - code of the tables
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        if isinstance(ast.parse(code).body[0], ast.Expr):
            return eval(code, names)  # noqa: S307 - a call of the table
        exec(code, names)  # noqa: S102 - a store of the table
    return None


def refusal(code: str) -> MDViewError | None:
    """Return the error that refuses a call; None if the call works."""
    try:
        run(code)
    except MDViewError as error:
        return error
    return None


def description(result: object) -> str:
    """Return a description of a result that does not depend on the versions of partner libraries."""
    if isinstance(result, MDView):
        text = format(result.mapping)
        return f"view `{text}`" if len(text) < LONG else f"view of {result.shape}"
    if isinstance(result, list):
        return f"list of {len(result)}"
    if isinstance(result, int):
        return f"`{result}`"
    if shape := getattr(result, "shape", ()):
        return f"{type(result).__name__} of {shape}"
    if hasattr(result, "item"):
        return f"`{result.item()}`"
    return "done" if result is None else type(result).__name__


def way_out(error: MDViewError) -> str:
    """Return the last part of an error message, which follows the rule and the values."""
    message = str(error)
    return message.partition("; ")[2] or message.partition(": ")[2]


def row(call: Call) -> str:
    """Return the row of a call."""
    error = refusal(call.code)
    if error is None:
        return f"| `{call.code}` | {description(run(call.code))} | |"
    return f"| `{call.code}` | `{type(error).__name__}`: `{way_out(error)}` | `{call.instead}` |"


def tables() -> dict[str, list[Call]]:
    """Return the calls by subject."""
    return {title: calls_of(listed) for title, listed in CALLS.items()}


def page(text: str) -> str:
    """Return the page with new tables; rows of partner libraries that are not installed are kept from ``text``."""
    head, _, old = text.partition(START)
    rows = {line.partition("` |")[0]: line for line in old.splitlines() if line.startswith("| `")}
    lines = ["| Name | Object | Code |", "|---|---|---|"]
    lines += [f"| `{name}` | {what} | `{code}` |" for name, (code, what) in OPERANDS.items()]
    for title, calls in tables().items():
        lines += ["", f"## {title}", "", "| Call | Outcome | Instead |", "|---|---|---|"]
        for call in calls:
            runs = all(find_spec(partner) for partner in partners(call))
            lines.append(row(call) if runs else rows.get(f"| `{call.code}", f"| `{call.code}` | not run | |"))
    return f"{head}{START}\n" + "\n".join(lines) + "\n"


if __name__ == "__main__":
    FILE.write_text(page(FILE.read_text(encoding="utf-8")), encoding="utf-8")
