"""Spelling: whoever asks the package for a name that it has not is told which one is meant, or what does it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mdview.errors import AbsentAttributeError

_OF_NUMPY: Final = {
    "array": "asview(np.array(values)), or MDView(data, extents)",
    "asarray": "np.asarray(view), or asview(array)",
    "concatenate": "np.concatenate, or copy(view, part) for each part of empty(extents)",
    "copyto": "copy(source, target)",
    "empty_like": "empty(view.extents, view.layout, view.format)",
    "full_like": "full(view.extents, value, view.layout, view.format)",
    "mdspan": "MDView(data, extents)",
    "ndarray": "MDView(data, extents)",
    "ones": "full(extents, 1.0)",
    "ones_like": "full(view.extents, 1, view.layout, view.format)",
    "transpose": "permute_dims(view, axes), or view.T",
    "zeros_like": "zeros(view.extents, view.layout, view.format)",
}
"""Names that are looked for because NumPy has them, and what does here what they do there."""


def absent(name: str, names: Sequence[str]) -> AbsentAttributeError:
    """Return the error that the package has no ``name``; ``names`` are those that it has.

    >>> str(absent("LayoutRigth", ["LayoutLeft", "LayoutRight"]))
    "module 'mdview' has no attribute 'LayoutRigth'; did you mean LayoutRight?"
    """
    from difflib import get_close_matches  # noqa: PLC0415 - for an error only

    way = f"; write {_OF_NUMPY[name]}" if name in _OF_NUMPY else ""
    if not way and not name.startswith("_"):
        spelt = {known.lower(): known for known in names}
        close = get_close_matches(name.lower(), spelt, 1, 0.7)
        way = f"; did you mean {spelt[close[0]]}?" if close else "; dir(mdview) lists what there is"
    return AbsentAttributeError(f"module 'mdview' has no attribute {name!r}{way}")
