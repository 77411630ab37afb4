"""A subview is the part of a view that slices select: the same data through a smaller mapping, nothing copied.

`subview` takes one slice per dimension and never wraps; brackets, ``view[...]``, follow NumPy's rules instead. Which
layout the result has is the C++26 draft's answer, see `mdview.submapping`.
"""

from __future__ import annotations

from typing import Any, Final, cast

from mdview.slices import canonical_slices
from mdview.submapping import submapping
from mdview.subview_signature import Subview

__all__ = ["submapping", "subview"]


def _subview(view: Any, /, *slices: Any) -> Any:  # Any: the types are those of `Subview`, overload by overload
    return view._select(canonical_slices(view.mapping.extents, slices))


subview: Final = cast("Subview", _subview)
"""Part of a view that ``slices`` select, one slice per dimension; see `Subview`."""

_subview.__name__ = _subview.__qualname__ = "subview"
_subview.__doc__ = Subview.__doc__
