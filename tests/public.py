"""The public names of mdview and of its modules of layouts, mappings, accessors and operations, by name."""

from importlib import import_module

MODULES = [
    "mdview",
    *[f"mdview.{name}" for name in ("accessors", "atomics", "conversions", "index", "iteration", "layouts")],
    *[f"mdview.{name}" for name in ("mappings", "operations", "interop.dask", "interop.writers")],
]
LOADED = [import_module(module) for module in MODULES]
PUBLIC = {name: getattr(module, name) for module in LOADED for name in module.__all__}
PUBLIC["format"] = LOADED[0].format  # `jit`, which a star import leaves out, too, is one of mdview.numba
