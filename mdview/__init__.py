"""mdview: std::mdspan for Python. A view over any memory, with extents, layout and access as separate parts.

The public names are loaded on first use, so that ``import mdview`` is fast. The stub ``__init__.pyi``, which type
checkers read, too, imports the public names.
"""

# Python 3.13.0 fails if several threads load `collections.abc` for the first time; most modules of mdview import it.
import collections.abc as _  # noqa: F401
from sys import _getframe as _frame
from sys import modules as _loaded

__version__ = "0.1.0"

_FOR_BELOW = {
    "find_format": "mdview.formats.families",
    "format_names": "mdview.formats.families",
    "mapping_card": "mdview.drawing.figures",
    "parse_layout": "mdview.mappings.notation.parser",
    "typeof_view": "mdview.numba.kernel_calls",
}
"""The module of each private function that modules of lower folders import from the package, not from its module."""

_PARTNERS = ("algebra.f2", "interop.cpp", "interop.dask", "interop.writers")
"""The public modules within others, which are imported by their full names."""

_UNSTARRED = ("format", "jit")
"""Public names that a star import omits: `format` would hide the builtin, and `jit` would load Numba."""


def _listed(package: str, names: dict[str, str]) -> tuple[dict[str, str], list[str]]:
    """Return the module of each public name of a package, and its public modules; see `_on_first_use`."""
    spec, path = _loaded[package].__spec__, f"{_loaded[package].__path__[0]}/__init__.pyi"
    stub: bytes = spec.loader.get_data(path)  # type: ignore[union-attr]  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue]
    lines = stub.decode().splitlines()
    declared = [line[4:].partition("(")[0] for line in lines if line.startswith("def ")]
    modules: dict[str, str] = {}
    for module, listed in names.items():
        modules |= dict.fromkeys(declared if listed == "*" else listed.split(), f"{package}.{module}")
    public = [module for module, listed in names.items() if not listed]
    for line in lines:
        module, listed = line.removeprefix("from ").partition(" import ")[::2]
        entries = [entry.partition(" as ")[::2] for entry in listed.split(", ") if module.startswith("mdview")]
        shown = [name for name, alias in entries if alias in {"", name}]
        modules |= dict.fromkeys(shown if module != package else (), module)
        public += shown if module == package else []
    return modules, public


def _on_first_use(namespace: dict[str, object], **names: str) -> tuple[dict[str, str], list[str]]:
    """Let a package load the names that its stub imports from modules of mdview at their first use.

    ``names`` lists further names by the module that defines them; ``"*"`` lists the functions that the stub declares. A
    module is public if the stub imports it from the package, or if no names are listed for it. An alias in the stub is
    private.

    Return the module of each public name, and the public modules.

    A package of mdview imports none of its own modules when it is loaded, so threads may load modules in any order.
    Python locks a module, and then loads its package. If loading the package waited for the module in turn, two threads
    could wait for each other, and Python would fail in one thread or give it a module that is only partly loaded. As
    packages do not wait, a thread waits only for modules below all modules that it has locked.
    """
    package = f"{namespace['__name__']}"
    modules, public = _listed(package, names)

    def load(name: str) -> object:
        """Load a public name from its module and keep it, or load a public module.

        Other threads can import a module a moment before Python binds it in its package, so a loaded module of the
        package that is not public is returned, too.
        """
        from importlib import import_module  # noqa: PLC0415 - needed here only

        if name in public or f"{package}.{name}" in _loaded:
            return import_module(f"{package}.{name}")
        if name not in modules:
            from mdview.errors import AbsentAttributeError  # noqa: PLC0415 - for an error only

            listed = ", ".join(sorted({*modules, *public}))
            raise AbsentAttributeError(f"module {package!r} has no attribute {name!r}; it has {listed}")
        try:
            found = namespace[name] = getattr(import_module(modules[name]), name)
        except ImportError as error:
            from mdview.base.optional_libraries import stand_in  # noqa: PLC0415 - for an error only

            return stand_in(error)
        return found

    def present() -> list[str]:
        """List the public names and modules, loaded or not."""
        return [*dict.fromkeys((*namespace, *modules, *public))]

    starred = sorted(name for name in modules if not name.startswith("_"))
    namespace.update(__getattr__=load, __dir__=present, __all__=starred)
    return modules, public


# The stub has no import of Numba, as checkers would read Numba with mdview.
_MODULES, _SUBMODULES = _on_first_use(globals(), **{"numba.kernel_calls": "jit", "numba": ""})
_load = globals()["__getattr__"]

# Checkers read the list in the stub.
__all__ = sorted({*_MODULES} - {*_UNSTARRED})  # noqa: PLE0605 # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    """Load a public name or module; for any other name, raise an error with a near name or a counterpart."""
    if name in _MODULES or name in _SUBMODULES or f"{__name__}.{name}" in _loaded:
        return _load(name)
    if name in _FOR_BELOW:
        from importlib import import_module  # noqa: PLC0415 - needed here only

        return getattr(import_module(_FOR_BELOW[name]), name)
    from mdview.base.wrong_calls import absent, is_imported_from  # noqa: PLC0415 - for an error only

    error = absent(name, [*__all__, *_SUBMODULES], [f"{__name__}.{each}" for each in (*_SUBMODULES, *_PARTNERS)])
    raise ImportError(str(error), name=name) if is_imported_from(_frame(1)) else error
