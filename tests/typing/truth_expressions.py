"""Expressions about views of many kinds, for checkers to reveal the types of and for the run time to evaluate."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, product
from typing import Final

IMPORTS: Final = """
from array import array
from typing import Any, reveal_type
import numpy as np
import mdview as md
from mdview import ALL, dim
from mdview.accessors import FillAccessor
from mdview.iteration import elements, flat, indices, runs
from mdview.mappings import submapping
from mdview.operations import bitcast, conjugate_transposed, conjugated, scaled, shrink, transposed
"""
SHAPES: Final = ("()", "(4,)", "(dim(4), 2)", "(2, dim(2), 4)", "(2, 2, 2, 2)")
LAYOUTS: Final = {
    "right": "md.LayoutRight()",
    "left": "md.LayoutLeft()",
    "stride": "md.LayoutStride()",
    "padded": "md.LayoutRightPadded(4)",
    "flipped": "md.LayoutLeftPadded(4)",
    "morton": "md.LayoutMorton()",
    "tiled": "md.LayoutTiled({tile})",
}
DATA: Final = {
    "doubles": 'array("d", range(128))',
    "whole": "np.arange(128)",
    "complexes": "[k * 1j for k in range(128)]",
    "texts": '["t"] * 128',
}
ACCESSES: Final = {
    "checked": "md.checked(right_{rank})",
    "unchecked": "md.unchecked(left_{rank})",
    "readonly": "md.readonly(tiled_{rank})",
    "atomic": "md.atomic(md.zeros({shape}, dtype='q'), process_local=True)",
    "shown": "md.readonly(atomic_{rank})",
    "scaled": "scaled(2.0, stride_{rank})",
    "conjugate": "conjugated(complexes_{rank})",
    "framed": "md.pad(right_{rank}, 1)",
    "unknown": "widened(right_{rank})",
    "gradual": "anything(left_{rank})",
}
HELPERS: Final = """
def widened(view: md.MDView[float]) -> md.MDView[float]:
    return view
def anything(view: md.MDView[float, Any, md.LayoutLeft]) -> md.MDView[float, tuple[Any, ...], md.LayoutLeft]:
    return view
"""
ITEMS: Final = ("1", "-1", ":", "0:2", "::2", "...", "None")
ANY_RANK: Final = (
    "{v}.T", "{v}.T.T", "{v}.shape", "{v}.extents", "{v}.layout", "{v}.accessor", "{v}.tolist()", "{v}.copy()",
    "{v}.rank", "{v}.static_extents", "{v}.mapping", "{v}[...]", "{v}[None]", "{v}[..., None]", "{v}.size",
    "md.flip({v})", "md.ravel({v})", "md.ravel({v}, order='F')", "md.squeeze({v})", "md.expand_dims({v})",
    "md.expand_dims({v}, -1)", "md.pad({v}, 1)", "md.pad({v}, 1, 'edge')", "md.readonly({v})", "md.checked({v})",
    "md.unchecked({v})", "md.zeros_like({v})", "md.empty_like({v})", "md.relayout({v}, md.LayoutLeft())",
    "next(iter(elements({v})))", "next(indices({v}))", "flat({v})", "next(runs({v}))", "md.checked(md.pad({v}, 1))",
    "conjugated({v})", "scaled(2, {v})", "md.transform(str, {v})", "md.transform(lambda x: x, {v})",
    "md.reshape({v}, ({v}.size,))", "md.zeros({v}.extents)", "md.full_like({v}, {v}.tolist())",
    "bitcast({v}, 'uint8')", "md.assume({v}, {v}.extents)", "md.broadcast_to({v}, (2, *{v}.shape))",
)  # fmt: skip
FROM_ONE: Final = (
    "{v}[1]", "{v}[1:3]", "{v}[::2]", "{v}[1, ...]", "{v}[..., 1]", "next(iter({v}))", "md.moveaxis({v}, 0, -1)",
    "md.swapaxes({v}, 0, -1)", "md.expand_dims({v}, 1)", "md.squeeze({v}[0:1], 0)", "shrink({v}, [(0, 1)] * {v}.rank)",
    "next(md.tiles({v}, (2,) * {v}.rank))", "md.flip({v}, 0)", "md.subview({v}, *[ALL] * {v}.rank)",
    "md.sliding_window({v}, (1,) * {v}.rank)", "md.sliding_window({v}, 2, 0)",
)  # fmt: skip
MATRICES: Final = (
    "transposed({v})", "conjugate_transposed({v})", "md.permute_dims({v}, (1, 0))", "md.swapaxes({v}, 0, 1)",
    "md.diagonal({v})", "md.diagonal({v}, 1)", "md.transform(lambda x, y: x, {v}, {v})", "{v}[1][1]", "{v}.T[0]",
    "md.subview({v}, (0, 2), ALL)", "md.subview({v}, range(0, 2), 1)", "submapping({v}.mapping, 1, ALL)[0]",
)  # fmt: skip
PARTS: Final = ("1", "ALL", "(0, 2)", "range(0, 2)")


def names(rank: int) -> Iterator[tuple[str, str]]:
    """The views of a rank, by name, with the expressions that make them."""
    shape = SHAPES[rank]
    tile = ", ".join(["2"] * rank)
    for layout, made in LAYOUTS.items():
        yield f"{layout}_{rank}", f"md.MDView({DATA['doubles']}, {shape}, {made.format(tile=tile)})"
    for data in ("whole", "complexes", "texts"):
        yield f"{data}_{rank}", f"md.MDView({DATA[data]}, {shape})"
    yield f"array_{rank}", f"md.asview(np.ones({shape.replace('dim', 'int')}))"
    for access, made in ACCESSES.items():
        yield f"{access}_{rank}", made.format(rank=rank, shape=shape)


def templates(rank: int) -> Iterator[str]:
    """The expressions about a view of a rank."""
    yield from ANY_RANK
    if rank:
        yield from FROM_ONE
    if rank == 2:
        yield from MATRICES
    keys = chain.from_iterable(product(ITEMS, repeat=length) for length in range(1, min(rank, 2) + 1))
    yield from [f"{{v}}[{', '.join(key)},]" for key in keys if key.count("...") < 2]
    yield from [f"md.subview({{v}}, {', '.join(key)})" for key in product(PARTS, repeat=rank) if 0 < rank < 3]
    yield from [f"{{v}}[{', '.join(key)}]" for key in product(("1", ":", "0:2"), repeat=rank) if rank > 2]


def module() -> tuple[str, dict[int, str], dict[str, str]]:
    """The text for a checker, each expression by its line, and the views by name with what makes them."""
    views = {name: made for rank in range(len(SHAPES)) for name, made in names(rank)}
    lines = [*IMPORTS.splitlines(), *HELPERS.splitlines(), *[f"{name} = {made}" for name, made in views.items()]]
    expressions = {}
    for rank in range(len(SHAPES)):
        for name, _ in names(rank):
            for template in templates(rank):
                expression = template.format(v=name)
                lines.append(f"reveal_type({expression})")
                expressions[len(lines)] = expression
    return "\n".join(lines) + "\n", expressions, views
