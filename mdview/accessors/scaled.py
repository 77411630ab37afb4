"""Scaled access: every element times a factor (P1673 ``scaled_accessor``)."""

from __future__ import annotations

from typing import Any, final

from mdview.accessors.base import Accessor, Items, T_co, Wrapper
from mdview.accessors.default import DefaultAccessor
from mdview.base.arguments import kind_text
from mdview.base.values import value
from mdview.errors import AccessorTypeError


@final
@value
class ScaledAccessor(Wrapper[T_co, T_co]):
    """``factor`` times the element of ``inner``, computed at each load; read-only, as no place holds a product."""

    factor: Any  # a number of whatever kind the elements multiply with; no protocol names them all
    inner: Accessor[T_co, object] = DefaultAccessor[Any]()

    def __post_init__(self) -> None:
        """Refuse what is no number, and what every wrapper refuses."""
        if isinstance(self.factor, str | bytes | list | tuple) or not hasattr(type(self.factor), "__mul__"):
            message = f"the factor of ScaledAccessor must be a number, got {kind_text(self.factor)}; write 2.0, say"
            raise AccessorTypeError(message)
        Wrapper.__post_init__(self)

    @property
    def is_local(self) -> bool:
        """Whether ``inner`` is local."""
        return self.inner.is_local

    def load(self, data: Items, offset: int) -> T_co:
        """Return ``factor`` times the value of the element at ``offset``."""
        product: T_co = self.factor * self.inner.read(data, offset)
        return product
