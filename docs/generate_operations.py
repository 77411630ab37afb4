"""Generate the table of the page on operations: the layout of the result for each operation and each layout.

Run by Sphinx (see conf.py) and by hand: ``python docs/generate_operations.py``.
"""

# ruff: noqa: INP001 - a script beside the pages, no module
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeAlias

from mdview import (
    ALL,
    Layout,
    LayoutBlasPacked,
    LayoutComposed,
    LayoutLeft,
    LayoutLeftPadded,
    LayoutMorton,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    broadcast_to,
    diagonal,
    expand_dims,
    flip,
    pad,
    permute_dims,
    ravel,
    reshape,
    sliding_window,
    squeeze,
)
from mdview.layouts import LayoutTranspose
from mdview.mappings import submapping
from mdview.operations import transposed

AnyMapping: TypeAlias = Mapping[Any, Layout]

TARGET: Final = Path(__file__).parent / "_generated" / "operations_table.md"
EXTENTS: Final = (4, 4)
LAYOUTS: Final[dict[str, Layout]] = {
    "right": LayoutRight(),
    "left": LayoutLeft(),
    "right-padded": LayoutRightPadded(6),
    "stride": LayoutStride((20, 3)),
    "relaxed": LayoutStrideRelaxed((-4, 1), 12),
    "tiled": LayoutTiled(2, 2),
    "Morton": LayoutMorton(),
    "BLAS-packed": LayoutBlasPacked("lower", "row"),
}
NAMES: Final[dict[type[Layout], str]] = {type(layout): name for name, layout in LAYOUTS.items()} | {
    LayoutLeftPadded: "left-padded",
    LayoutTranspose: "transpose",
}
OPERATIONS: Final[dict[str, Callable[[AnyMapping], AnyMapping]]] = {
    "m[1]": lambda m: submapping(m, 1, ALL)[0],
    "m[1:3, :]": lambda m: submapping(m, (1, 3), ALL)[0],
    "m[:, ::2]": lambda m: submapping(m, ALL, range(0, 4, 2))[0],
    "m[2:, 2:]": lambda m: submapping(m, (2, 4), (2, 4))[0],
    "permute_dims(m, (1, 0))": lambda m: permute_dims(m, (1, 0)),
    "transposed(m)": transposed,
    "flip(m)": flip,
    "flip(flip(m))": lambda m: flip(flip(m)),
    "expand_dims(m, 0)": lambda m: expand_dims(m, 0),
    "squeeze(expand_dims(m, 0))": lambda m: squeeze(expand_dims(m, 0)),
    "broadcast_to(m, (3, 4, 4))": lambda m: broadcast_to(m, (3, 4, 4)),
    "reshape(m, (2, 8))": lambda m: reshape(m, (2, 8)),
    "reshape(m, (2, 2, 4))": lambda m: reshape(m, (2, 2, 4)),
    "ravel(m)": ravel,
    'ravel(m, order="F")': lambda m: ravel(m, order="F"),
    "reshape(ravel(m), (4, 4))": lambda m: reshape(ravel(m), (4, 4)),
    "diagonal(m)": diagonal,
    "sliding_window(m, (2, 2))": lambda m: sliding_window(m, (2, 2)),
    "pad(m, 1)": lambda m: pad(m, 1),
}


def named(layout: Layout) -> str:
    """Return the name of a layout in the table."""
    if isinstance(layout, LayoutComposed):
        if not layout.is_total():
            return "composed, padded"
        return "composed" if layout.transform.is_affine else "composed, reshaped"
    return NAMES.get(type(layout), type(layout).__name__)


def cell(layout: Layout, operation: Callable[[AnyMapping], AnyMapping]) -> str:
    """Return the name of the layout of a result, in bold if it is the layout of the operand."""
    result = named(operation(Mapping(EXTENTS, layout)).layout)
    return f"**{result}**" if result == named(layout) else result


def table() -> str:
    """Return the table in Markdown."""
    rows = [
        ["", *LAYOUTS],
        ["---"] * (1 + len(LAYOUTS)),
        *[[f"`{name}`", *[cell(layout, make) for layout in LAYOUTS.values()]] for name, make in OPERATIONS.items()],
    ]
    return "\n".join([f"| {' | '.join(row)} |" for row in rows]) + "\n"


def write() -> None:
    """Write the table into the file that the page includes; an unchanged file is not touched."""
    text = table()
    TARGET.parent.mkdir(exist_ok=True)
    if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text:
        TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
