"""Views of memory that other libraries hold, without copies: `asview` takes any object that shares memory.

It may know views and everything below them; a view's own export to others is `mdview.views.memory_export`. Begin with
`asview`, which says how an object is asked for its memory. Partners are loaded by their users.
`mdview.interop.cpp`, a submodule of its own, takes views to functions of C++ and back. `mdview.interop.files` opens,
saves and converts files, `mdview.interop.writers` tells which parallel writers collide.
"""

from importlib import import_module
from types import ModuleType

from mdview.errors import AbsentAttributeError

_SUBMODULES = ("cpp", "dask", "files", "writers", "zarr")
"""The public modules: they load where they are named."""


def __getattr__(name: str) -> ModuleType:
    """Load a public module, which Python keeps."""
    if name in _SUBMODULES:
        return import_module(f"{__name__}.{name}")
    raise AbsentAttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(_SUBMODULES)}")


def __dir__() -> list[str]:
    """List the public modules, loaded or not."""
    return [*{**globals(), **dict.fromkeys(_SUBMODULES)}]
