"""Read-only access: loads what another accessor loads, and has no store."""

from __future__ import annotations

from typing import Any, Generic, cast, final

from mdview.accessors.base import Accessor, Items, R_co, T_co, Wrapper
from mdview.accessors.default import DefaultAccessor
from mdview.base.values import value


@final
@value
class ReadOnlyAccessor(Wrapper[T_co, R_co], Generic[T_co, R_co]):
    """What ``inner`` loads, without a way to store; ``ReadOnlyAccessor[T]`` means ``ReadOnlyAccessor[T, T]``."""

    # A frozen field may be narrower than the one it replaces.
    inner: Accessor[T_co, R_co] = DefaultAccessor[Any]()  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def is_plain(self) -> bool:
        """Whether ``inner`` is plain."""
        return self.inner.is_plain

    @property
    def is_local(self) -> bool:
        """Whether ``inner`` is local."""
        return self.inner.is_local

    def load(self, data: Items, offset: int) -> R_co:
        """Return what ``inner`` loads from ``offset``, or its value where that is a proxy, which could store."""
        return cast("R_co", self.inner.read(data, offset))
