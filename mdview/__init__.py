"""mdview: std::mdspan for Python. A view over any memory, with extents, layout and access as separate parts.

The public names are loaded on first use, so that ``import mdview`` costs nothing but the names. Type checkers find them
in ``__init__.pyi``, which a test compares with the list below.
"""

__version__ = "0.1.0"

_NAMES = {
    "mdview.atomics": ("AtomicAccessor",),
    "mdview.accessors.accessor": ("Accessor", "ElementwiseAccessor", "ElementwiseWritable", "Writable"),
    "mdview.accessors.policies": ("CheckedAccessor", "DefaultAccessor", "ReadOnlyAccessor", "UncheckedAccessor"),
    "mdview.drawing": ("draw",),
    "mdview.index.extents": ("Dim", "Dims1", "Dims2", "Dims3", "Dims4", "Dyn", "Extents", "dim"),
    "mdview.index.slices": ("ALL", "ExtentSlice", "RangeSlice", "StridedSlice"),
    "mdview.interop.memory_protocols": ("asview",),
    "mdview.interop.files.file_opening": ("open_view",),
    "mdview.interop.files": ("relayout_file", "save"),
    "mdview.interop.zarr.zarr_import": ("from_zarr",),
    "mdview.interop.zarr": ("to_zarr",),
    "mdview.iteration": ("tiles",),
    "mdview.layouts.layout": ("Layout",),
    "mdview.layouts.composed": ("LayoutComposed",),
    "mdview.layouts.nested": ("LayoutNested",),
    "mdview.layouts.morton_packed": ("LayoutBlasPacked", "LayoutMorton"),
    "mdview.layouts.explicit_strides": ("LayoutStride", "LayoutStrideRelaxed"),
    "mdview.layouts.strided_layout": ("LayoutLeft", "LayoutLeftPadded", "LayoutRight", "LayoutRightPadded"),
    "mdview.layouts.tiled": ("LayoutTiled",),
    "mdview.layouts.swizzle_transpose": ("LayoutSwizzled",),
    "mdview.mappings.notation.parser": ("parse",),
    "mdview.mappings.notation.formatter": ("format",),
    "mdview.mappings.mapping": ("Mapping",),
    "mdview.operations.copy_fill_reduce": ("copy", "equal", "fill", "reduce"),
    "mdview.operations.creation": (
        "empty",
        "empty_like",
        "full",
        "full_like",
        "ones",
        "relayout",
        "zeros",
        "zeros_like",
    ),
    "mdview.operations.manipulation": (
        "broadcast_to",
        "diagonal",
        "expand_dims",
        "flip",
        "moveaxis",
        "pad",
        "permute_dims",
        "ravel",
        "reshape",
        "sliding_window",
        "squeeze",
        "swapaxes",
    ),
    "mdview.numba": ("jit",),
    "mdview.operations.elementwise_functions": ("transform",),
    "mdview.views.view_explanation": ("explain",),
    "mdview.views.derived_views": ("assume", "atomic", "checked", "has_extents", "readonly", "subview", "unchecked"),
    "mdview.views.view": ("MDView",),
}
"""The public names, by the module that defines them."""

_SUBMODULES = (
    "accessors",
    "algebra",
    "atomics",
    "conformance",
    "conversions",
    "drawing",
    "dtypes",
    "errors",
    "index",
    "interop",
    "iteration",
    "layouts",
    "lazy",
    "mappings",
    "numba",
    "operations",
    "polymorphic",
    "symbolic",
    "testing",
)
"""The public modules: they load where they are named, so that ``import mdview`` is enough for ``mdview.errors``."""

_PARTNERS = ("algebra.f2", "interop.cpp", "interop.dask", "interop.files", "interop.writers", "testing.strategies")
"""The public modules within others, which are imported by their full names."""

_MODULES = {name: module for module, names in _NAMES.items() for name in names}
"""The module that defines each public name."""

_UNSTARRED = ("format", "jit")
"""Public names that a star import leaves out: the builtin stays what it is, and Numba is loaded on use."""

# Checkers read the list in the stub.
__all__ = sorted(_MODULES.keys() - {*_UNSTARRED})  # noqa: PLE0605 # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    """Load a public name from its module and keep it, or load a public module, which Python keeps."""
    from importlib import import_module  # noqa: PLC0415 - needed here only

    if name in _SUBMODULES:
        return import_module(f"{__name__}.{name}")
    module = _MODULES.get(name)
    if module is None:
        from mdview.base.argument_checks import absent  # noqa: PLC0415 - for an error only

        raise absent(name, [*__all__, *_SUBMODULES], [f"{__name__}.{each}" for each in (*_SUBMODULES, *_PARTNERS)])
    # Packages come before their modules: Python locks a module before its package, and where another thread imports the
    # package, one of the two gets the module half imported (python/cpython#83065).
    for package in ("index", "layouts", "mappings"):
        import_module(f"{__name__}.{package}")
    found: object = getattr(import_module(module), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """List the public names and modules, loaded or not."""
    return [*{**globals(), **_MODULES, **dict.fromkeys(_SUBMODULES)}]
