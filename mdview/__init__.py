"""mdview: std::mdspan for Python. A view over any memory, with extents, layout and access as separate parts.

The public names are loaded on first use, so that ``import mdview`` costs nothing but the names. Type checkers find them
in ``__init__.pyi``, which a test compares with the list below.
"""

__version__ = "0.1.0"

_NAMES = {
    "mdview.atomics.accessor": ("AtomicAccessor",),
    "mdview.atomics.reference": ("AtomicRef",),
    "mdview.accessors.base": ("Accessor", "IndexRule", "Items", "MutableItems", "Writable"),
    "mdview.accessors.elementwise": ("ElementwiseAccessor", "ElementwiseWritable"),
    "mdview.accessors.policies": (
        "AlignedAccessor",
        "CheckedAccessor",
        "ConjugatedAccessor",
        "DefaultAccessor",
        "FillAccessor",
        "MemorySpaceAccessor",
        "NonTemporalAccessor",
        "RandomAccessAccessor",
        "ReadOnlyAccessor",
        "RestrictAccessor",
        "ScaledAccessor",
        "UncheckedAccessor",
    ),
    "mdview.conversions": ("Conversion", "comparable", "conversion", "convert", "kind_of", "mandates"),
    "mdview.index.extents": ("Dim", "Dims1", "Dims2", "Dims3", "Dims4", "Dims5", "Dims6", "Dyn", "Extents", "dim"),
    "mdview.index.slices": ("ALL", "ExtentSlice", "RangeSlice", "StridedSlice"),
    "mdview.index.transforms": ("IndexMap",),
    "mdview.interop.asview": ("asview",),
    "mdview.interop.dask.arrays": ("to_dask",),
    "mdview.interop.dask.tile_mapping": ("map_tiles",),
    "mdview.interop.files.opening": ("open_view",),
    "mdview.interop.files.saving": ("relayout_file", "save"),
    "mdview.interop.files.parts": ("TileBytes", "tile_bytes"),
    "mdview.interop.writers.conflicts": ("Conflict", "aligned", "conflicts"),
    "mdview.interop.zarr.reading": ("from_zarr",),
    "mdview.interop.zarr.writing": ("to_zarr",),
    "mdview.iteration.bins": ("Binned", "Bins"),
    "mdview.iteration.places": ("MultiIndex", "ViewIndex"),
    "mdview.iteration.tiling": ("tiles",),
    "mdview.iteration.walks": ("elements", "flat", "indices", "runs"),
    "mdview.layouts.base": ("Composition", "Layout", "StrideRule", "Tiling"),
    "mdview.layouts.composed": ("LayoutComposed",),
    "mdview.layouts.morton": ("LayoutMorton",),
    "mdview.layouts.packed": ("LayoutBlasPacked",),
    "mdview.layouts.stride": ("LayoutStride", "LayoutStrideRelaxed"),
    "mdview.layouts.strided": ("LayoutLeft", "LayoutLeftPadded", "LayoutRight", "LayoutRightPadded", "StridedLayout"),
    "mdview.layouts.tiled": ("LayoutTiled",),
    "mdview.layouts.wrapper": ("LayoutSwizzled", "LayoutTranspose", "LayoutWrapper"),
    "mdview.mappings.dense": ("contiguous_runs", "dense_like"),
    "mdview.mappings.facts": (
        "bounds",
        "coalesced",
        "collision",
        "hole",
        "inner_contiguous",
        "is_contiguous",
        "is_dense",
        "mergeable_axes",
        "overlap",
        "stride_order",
    ),
    "mdview.mappings.language.reading": ("parse",),
    "mdview.mappings.language.writing": ("format",),
    "mdview.mappings.mapping": ("Mapping",),
    "mdview.mappings.slicing": ("submapping",),
    "mdview.operations.algorithms": ("copy", "equal", "fill", "reduce"),
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
    "mdview.operations.linalg": ("conjugate_transposed", "conjugated", "scaled", "transposed"),
    "mdview.operations.manipulation": (
        "bitcast",
        "broadcast_to",
        "diagonal",
        "expand_dims",
        "flip",
        "moveaxis",
        "pad",
        "permute_dims",
        "ravel",
        "reshape",
        "shrink",
        "sliding_window",
        "squeeze",
        "swapaxes",
    ),
    "mdview.operations.transform": ("accumulate", "transform"),
    "mdview.views.explaining": ("explain",),
    "mdview.views.policies": ("atomic", "checked", "readonly", "unchecked"),
    "mdview.views.subviews": ("assume", "has_extents", "subview"),
    "mdview.views.view": ("MDView",),
}
"""The public names, by the module that defines them."""

_SUBMODULES = ("drawing", "errors", "interop", "lazy", "numba", "polymorphic", "symbolic", "testing")
"""The public modules: they load where they are named, so that ``import mdview`` is enough for ``mdview.errors``."""

_MODULES = {name: module for module, names in _NAMES.items() for name in names}
"""The module that defines each public name."""

_UNSTARRED = ("format",)
"""Public names that a star import leaves out: the builtin stays what it is."""

# Checkers read the list in the stub.
__all__ = sorted(_MODULES.keys() - {*_UNSTARRED})  # noqa: PLE0605 # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    """Load a public name from its module and keep it, or load a public module, which Python keeps."""
    from importlib import import_module  # noqa: PLC0415 - needed here only

    if name in _SUBMODULES:
        return import_module(f"{__name__}.{name}")
    module = _MODULES.get(name)
    if module is None:
        from mdview.base.arguments import absent  # noqa: PLC0415 - for an error only

        raise absent(name, [*__all__, *_SUBMODULES])
    found: object = getattr(import_module(module), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """List the public names and modules, loaded or not."""
    return [*{**globals(), **_MODULES, **dict.fromkeys(_SUBMODULES)}]
