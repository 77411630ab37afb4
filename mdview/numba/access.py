"""What an access does in a kernel: an accessor as plain data, a part of the Numba type of a view."""

from __future__ import annotations

from typing import Any, final

from mdview.accessors.atomic import AtomicAccessor
from mdview.accessors.base import Accessor, IndexRule, Wrapper
from mdview.accessors.checked import CheckedAccessor
from mdview.accessors.conjugated import ConjugatedAccessor
from mdview.accessors.default import DefaultAccessor
from mdview.accessors.hints import Hint
from mdview.accessors.readonly import ReadOnlyAccessor
from mdview.accessors.scaled import ScaledAccessor
from mdview.accessors.unchecked import UncheckedAccessor
from mdview.base.texts import shown
from mdview.base.values import replace, value
from mdview.errors import KernelError

_FACTORS = {"bool": bool, "int": int, "float": float, "complex": complex}


@final
@value
class Scale:
    """A factor, kept as the name of its type and its repr: 1, 1.0 and True are equal and not the same in a kernel."""

    kind: str
    text: str

    @property
    def factor(self) -> Any:  # Any: a number of whatever kind
        """The number itself."""
        return self.text == "True" if self.kind == "bool" else _FACTORS[self.kind](self.text)


@final
@value
class Access:
    """Which indices are admitted, whether one may store, and what happens to an element that is loaded.

    ``steps`` holds, innermost first, a `Scale` or None for a complex conjugate.
    """

    rule: IndexRule
    stores: bool = True
    atomic: bool = False
    steps: tuple[Scale | None, ...] = ()


def describe(accessor: Accessor[Any, Any]) -> Access:
    """Access of an accessor of mdview; a kernel cannot run anybody else's. Any: of whatever elements."""
    if isinstance(accessor, DefaultAccessor | CheckedAccessor | UncheckedAccessor):
        return Access(accessor.index_rule)
    if isinstance(accessor, Wrapper):
        inner = describe(accessor.inner)
        if isinstance(accessor, Hint):
            return inner
        if isinstance(accessor, AtomicAccessor):
            return replace(inner, atomic=True)
        if isinstance(accessor, ReadOnlyAccessor):
            return replace(inner, stores=False, atomic=False)
        if isinstance(accessor, ScaledAccessor):
            return replace(inner, stores=False, atomic=False, steps=(*inner.steps, _scale(accessor)))
        if isinstance(accessor, ConjugatedAccessor):
            return replace(inner, stores=False, atomic=False, steps=(*inner.steps, None))
    message = (
        f"a kernel knows the accessors of mdview alone, {shown(accessor, repr)} is none of them; pass a view without it"
    )
    raise KernelError(message)


def _scale(accessor: ScaledAccessor[Any]) -> Scale:
    factor = accessor.factor.item() if hasattr(accessor.factor, "item") else accessor.factor
    if type(factor).__name__ not in _FACTORS:
        message = f"a kernel scales by a Python or NumPy number, got {shown(factor, repr)}"
        raise KernelError(message)
    return Scale(type(factor).__name__, repr(factor))
