"""Optional libraries (NumPy, dask, zarr, …): imports on first use, and recognition of their types without an import.

While another thread imports a library, its module is in `sys.modules` and has only some of its names. So an object is
recognised by the names of its type, without access to the module.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

from mdview.errors import MissingExtraError


def class_of(kind: type, name: str) -> Any:
    """Return the class named ``library.Class`` among a type and its bases, or None.

    The result is typed ``Any``, since checkers do not know the class.

    >>> class_of(bool, "builtins.int")
    <class 'int'>
    """
    library, _, last = name.partition(".")
    for base in kind.__mro__:
        if base.__name__ == last and library_of(base) == library:
            return base
    return None


def library_of(kind: type) -> str:
    """Return the name of the library that a type belongs to."""
    return str(kind.__module__).partition(".")[0]


def loaded_module(library: str) -> Any:
    """Return the module of a library, or None if the library is not loaded or is still loading."""
    module = sys.modules.get(library)
    # A module of another type may be a placeholder that loads the library at the first access to an attribute.
    if type(module) is not ModuleType or getattr(getattr(module, "__spec__", None), "_initializing", False):
        return None
    return module


def import_partner(module: str, partner: str, extra: str | None = None) -> Any:
    """Import and return a module of a partner, an optional library; raise `MissingExtraError` if the import fails.

    ``extra`` is the extra of mdview that installs the partner, by default the name of the partner in lower case.
    """
    try:
        import_module(module.partition(".")[0])  # the package first, since it holds a lock while it loads modules
        return import_module(module)
    except ImportError:
        way = f"install the extra: pip install 'mdview-layouts[{extra or partner.lower()}]'"
        raise MissingExtraError(f"this needs {partner}; {way}") from None


def stand_in(error: ImportError) -> Callable[..., object]:
    """Return a function that raises `MissingExtraError`, in place of a function that needs Numba.

    So ``dir``, ``help`` and ``hasattr`` work without Numba, and only a call fails. If another library is missing,
    ``error`` is raised at once.
    """
    if (error.name or "").partition(".")[0] not in {"numba", "llvmlite", "numpy"}:
        raise error

    def unavailable(*_: object, **__: object) -> object:
        raise MissingExtraError("kernels need Numba; install the extra: pip install 'mdview-layouts[numba]'")

    return unavailable


def import_numpy() -> Any:
    """Return the module numpy; its own type would make checkers read NumPy for each program that uses mdview."""
    return loaded_module("numpy") or import_partner("numpy", "NumPy")


def import_ml_dtypes() -> Any:
    """Return the module ml_dtypes."""
    return import_partner("ml_dtypes", "ml_dtypes", "dtypes")


def import_dask() -> Any:
    """Return the module dask.array."""
    return import_partner("dask.array", "dask")


def import_zarr() -> Any:
    """Return the module zarr."""
    return import_partner("zarr", "zarr")
