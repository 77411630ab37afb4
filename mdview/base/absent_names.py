"""Absent names: the error for a name that the package does not have, and near names for typos."""

from __future__ import annotations

from collections.abc import Sequence
from opcode import opmap
from typing import TYPE_CHECKING, Final

from mdview.base.message_texts import FROM_VALUES
from mdview.errors import AbsentAttributeError

if TYPE_CHECKING:
    from types import FrameType

_ELSEWHERE: Final = {
    **dict.fromkeys(("LayoutC", "LayoutRowMajor"), "LayoutRight()"),
    **dict.fromkeys(("LayoutColumnMajor", "LayoutF"), "LayoutLeft()"),
    **dict.fromkeys(
        ("concat", "concatenate", "stack"), "np.concatenate, or copy(view, part) for each part of empty(extents)"
    ),
    **dict.fromkeys(("dot", "matmul"), "np.asarray(view) @ np.asarray(other)"),
    **dict.fromkeys(("from_dlpack", "from_numpy"), "asview(array)"),
    **dict.fromkeys(("frombuffer", "mdspan", "ndarray"), "MDView(data, extents)"),
    **dict.fromkeys(("asarray", "numpy", "to_numpy"), "np.asarray(view)"),
    "arange": "asview(np.arange(n))",
    "array": FROM_VALUES,
    "as_strided": "MDView(data, extents, LayoutStrideRelaxed(strides)), with strides in elements",
    "full_extent": "ALL, or ':' in brackets",
    "load": "open_view(path)",
    "submdspan": "subview(view, *slices), or view[...]",
    "sum": "reduce(operator.add, view), or np.asarray(view).sum()",
    "transpose": "permute_dims(view, axes), or view.T",
}
"""Names of NumPy, C++ and other libraries, with the counterpart in mdview."""


def absent(name: str, names: Sequence[str], modules: Sequence[str] = ()) -> AbsentAttributeError:
    """Return the error for a name that the package does not have; the message ends with a counterpart or a near name.

    Parameters
    ----------
    name
        The absent name.
    names
        The names of the package.
    modules
        The public modules that are searched for the name.

    Examples
    --------
    >>> str(absent("LayoutRigth", ["LayoutLeft", "LayoutRight"]))
    "module 'mdview' has no attribute 'LayoutRigth'; did you mean LayoutRight?"
    >>> str(absent("overlap", [], ["mdview.layouts", "mdview.mappings"]))
    "module 'mdview' has no attribute 'overlap'; write mdview.mappings.overlap"
    """
    if name.startswith("_"):
        way = ""
    elif name in _ELSEWHERE:
        way = f"; write {_ELSEWHERE[name]}"
    elif module := _module_of(name, modules):
        way = f"; write {module}.{name}"
    elif close := closest(name, names):
        way = f"; did you mean {close}?"
    else:
        way = "; dir(mdview) lists what there is"
        for part, kind in {"Layout": "offset", "Accessor": "load"}.items():
            way += f", and a class of your own with {kind}() is another {part}" if part in name else ""
    return AbsentAttributeError(f"module 'mdview' has no attribute {name!r}{way}")


def is_imported_from(frame: FrameType) -> bool:
    """Tell whether a frame is executing ``from module import name``, where Python drops an AttributeError's text."""
    code = frame.f_code.co_code
    return 0 <= frame.f_lasti < len(code) and code[frame.f_lasti] == opmap["IMPORT_FROM"]


def _module_of(name: str, modules: Sequence[str]) -> str | None:
    """Return the first of ``modules`` whose ``__all__`` has a name, or None; modules that fail to load are skipped."""
    from importlib import import_module  # noqa: PLC0415 - for an error only

    for module in modules:
        try:
            loaded = import_module(module)
        except ImportError:
            continue
        if name in getattr(loaded, "__all__", ()):
            return module
    return None


def closest(name: str, names: Sequence[str]) -> str | None:
    """Return the name in ``names`` that is spelt nearly like ``name``, or None.

    The words layout and accessor have little weight, because many names contain them.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - for an error only

    spelt = {_spelling(candidate): candidate for candidate in names}
    close = get_close_matches(_spelling(name), spelt, 1, 0.75)
    return spelt[close[0]] if close else None


def _spelling(name: str) -> str:
    return name.lower().replace("_", "").replace("layout", ".").replace("accessor", ":")
