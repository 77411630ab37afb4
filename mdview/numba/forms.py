"""A form says how a kernel computes an offset: plain data, so that it is a part of the Numba type and of its key.

What varies from view to view without a new compilation is a *value*, a number that the kernel reads from the view.
The values of a view are its dynamic extents, then what its form needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias, final

from mdview.base.integers import Dim
from mdview.base.texts import shown
from mdview.base.values import value
from mdview.errors import KernelError
from mdview.expressions.nodes import Const, Node, Param, Sharing, each_part
from mdview.expressions.tracing import numbers, trace
from mdview.index.extents import static_extents
from mdview.layouts.base import Layout
from mdview.layouts.structure import Tiling
from mdview.mappings.rearranging import AnyMapping
from mdview.numba.transforms import Known, OpenTransform, known, opened

_LIMIT: Final = 1 << 63
"""The least number that no integer of a kernel holds."""


@final
@value
class Strided:
    """The sum of index times stride; the values are the strides that are not known."""

    strides: Known

    @property
    def count(self) -> int:
        """Count the values."""
        return self.strides.count(None)


@final
@value
class Traced:
    """The layout's own arithmetic, an expression whose parameters are the dynamic extents of the view.

    The expression is all that a kernel depends on, so a layout that was edited has another form, and equal arithmetic
    is compiled once.
    """

    root: Node
    tiling: Tiling | None = None

    @property
    def count(self) -> int:
        """Count the values: there are none but the extents."""
        return 0

    def __repr__(self) -> str:
        """Name the parts in turn."""
        return f"Traced({listed(self.root)}, {self.tiling!r})"


@final
@value
class Composed:
    """The arithmetic of a base, an expression over ``extents``, at the index to which a transform leads.

    The parameters are the dynamic ones of ``extents``. They are the first values, and what the transform leaves open is
    the rest.
    """

    root: Node
    extents: Known
    transform: OpenTransform

    @property
    def count(self) -> int:
        """Count the values."""
        return self.extents.count(None) + self.transform.count

    def __repr__(self) -> str:
        """Name the parts in turn."""
        return f"Composed({listed(self.root)}, {self.extents}, {self.transform!r})"


Form: TypeAlias = Strided | Traced | Composed


def listed(root: Node) -> str:
    """List the parts of an expression; an operator names its operands by their place in the list.

    Equal expressions have equal lists, whose length is that of the expression with each part counted once.
    """
    places: dict[int, int] = {}
    lines: list[str] = []
    for part in each_part(Sharing().copy(root)):
        operands = [places[id(operand)] for operand in part.operands]
        places[id(part)] = len(lines)
        lines.append(f"{part.label}{operands}" if operands else str(part))
    return "; ".join(lines)


def describe(mapping: AnyMapping) -> tuple[Form, tuple[int, ...], int]:
    """Form of a mapping without padding, the values of this one, and the offset at which a kernel's data begins."""
    layout = mapping.layout
    if not layout.is_total():
        message = f"a kernel has no padding: {mapping!r} has some; slice it to its valid_box, or copy it"
        raise KernelError(message)
    dynamic, tiling = _dynamic(mapping.extents), layout.tiling()
    strides, pattern = mapping.found_strides(), known_strides(mapping)
    if strides is not None and pattern is not None and tiling is None:
        return Strided(pattern), (*dynamic, *opened(pattern, strides)), mapping.origin
    parts = layout.composition(mapping.extents)
    root = _arithmetic(parts.base, parts.extents)
    if parts.extents == mapping.extents and parts.transform.is_identity():
        return Traced(root, tiling), dynamic, 0
    transform = OpenTransform.of(parts.transform)
    values = (*dynamic, *_dynamic(parts.extents), *transform.numbers(parts.transform))
    return Composed(root, static_extents(parts.extents), transform), values, 0


def known_strides(mapping: AnyMapping) -> Known | None:
    """Strides that are constants of a kernel, None for each that is a value; None where there are no strides.

    Constants are those that follow from static numbers alone where the layout has a rule, else those of 0 and 1.
    """
    strides, rule = mapping.found_strides(), mapping.layout.stride_rule()
    if strides is None:
        return None
    if rule is not None and rule.is_static:
        extents = [Param(r) if e is None else Const(e) for r, e in enumerate(mapping.static_extents)]
        symbolic: Sequence[Any] = mapping.layout.strides(numbers(extents)) or ()  # Any: ints, or symbols
        return tuple([s if isinstance(s, int) else None for s in symbolic])
    return tuple([int(s) if type(s) is Dim else k for s, k in zip(strides, known(strides), strict=True)])


def _dynamic(extents: tuple[int, ...]) -> tuple[int, ...]:
    return tuple([e for e in extents if type(e) is not Dim])


def _arithmetic(layout: Layout, extents: tuple[int, ...]) -> Node:
    """Trace a layout: with its dynamic extents as parameters, else with all of them as numbers."""
    found = trace(layout, static_extents(extents))
    if found.root is None:
        found = trace(layout, tuple(map(int, extents)))
    if found.root is None:
        message = f"the arithmetic of {shown(layout, repr)} cannot be traced for a kernel: {found.reason}"
        raise KernelError(message)
    number = _too_large(found.root)
    if number is not None:
        message = (
            f"a kernel computes in 64 bits, and the arithmetic of {shown(layout, repr)} has the number {shown(number)}"
        )
        raise KernelError(message)
    return found.root


@lru_cache(maxsize=1024)
def _too_large(root: Node) -> int | None:
    """Return a constant that takes more than 64 bits, None if there is none."""
    constants = [part.number for part in each_part(root) if isinstance(part, Const)]
    return next((number for number in constants if not -_LIMIT <= number < _LIMIT), None)
