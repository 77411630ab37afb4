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
    """Return the class of the name ``library.Class`` among a type and its bases; None if there is none.

    Any: a class that checkers do not know.

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
    """Return the module of a loaded library, None if it is not loaded or still being loaded. Any: a module."""
    module = sys.modules.get(library)
    # A module of another type may load itself when it is asked for an attribute.
    if type(module) is not ModuleType or getattr(getattr(module, "__spec__", None), "_initializing", False):
        return None
    return module


def import_partner(module: str, partner: str, extra: str | None = None) -> Any:
    """Return a module of a partner, or raise `MissingExtraError`. Any: a module.

    The ``extra`` that installs it has the name of the partner by default.
    """
    try:
        import_module(module.partition(".")[0])  # the package first: the order of locks when it loads its modules
        return import_module(module)
    except ImportError:
        way = f"install the extra: pip install 'mdview-layouts[{extra or partner.lower()}]'"
        raise MissingExtraError(f"this needs {partner}; {way}") from None


def stand_in(error: ImportError) -> Callable[..., object]:
    """Return a stand-in for a function that needs Numba, which is missing: a call raises the error, a look-up does not.

    So ``dir``, ``help`` and ``hasattr`` work without Numba. Any other error is raised at once.
    """
    if (error.name or "").partition(".")[0] not in {"numba", "llvmlite", "numpy"}:
        raise error

    def unavailable(*_: object, **__: object) -> object:
        raise MissingExtraError("kernels need Numba; install the extra: pip install 'mdview-layouts[numba]'")

    return unavailable


def import_numpy() -> Any:
    """Return the module numpy. Any: type checkers would read NumPy for each program that uses mdview."""
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
