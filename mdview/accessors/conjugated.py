"""Conjugated access: the complex conjugate of every element (P1673 ``conjugated_accessor``)."""

from __future__ import annotations

from typing import Any, cast, final

from mdview.accessors.base import Accessor, Items, T_co, Wrapper
from mdview.accessors.default import DefaultAccessor
from mdview.base.values import value


@final
@value
class ConjugatedAccessor(Wrapper[T_co, T_co]):
    """The conjugate of the element of ``inner``, computed at each load; read-only.

    Real numbers are their own conjugates.
    """

    inner: Accessor[T_co, object] = DefaultAccessor[Any]()

    @property
    def is_local(self) -> bool:
        """Whether ``inner`` is local."""
        return self.inner.is_local

    def load(self, data: Items, offset: int) -> T_co:
        """Return the conjugate of the value of the element at ``offset``."""
        return cast("T_co", self.inner.read(data, offset).conjugate())
