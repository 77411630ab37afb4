"""Which tests are near a module: those that mirror it, those that are named here, and those of the mirrored folder."""

from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[2]

FACTS = [f"tests/conformance/test_{name}.py" for name in ("algebra_layouts", "algebra_strided", "cpp_mappings")]
SLICING = ["tests/conformance/test_cpp_submdspan.py", "tests/mappings/test_slicing.py", "tests/test_numpy_agreement.py"]
MOVING = [
    "tests/conformance/test_algebra_operations.py",
    "tests/mappings/test_rearranging.py",
    "tests/operations/test_manipulation.py",
]
KIT = ["tests/testing/test_shipped.py"]
WHOLE = ["tests/engines/bulk/test_whole_views.py", "tests/engines/bulk/test_vector_offsets.py"]
PAGES = ["tests/test_readme.py", "tests/test_docs.py", "tests/test_api_pages.py"]

MODULES = {
    "__init__": ["tests/test_public_names.py", "tests/test_import.py"],
    "__main__": ["tests/cli/test_program.py"],
    "*/__init__": ["tests/test_public_names.py"],
    "accessors/item_values": ["tests/mistakes/test_mistakes.py", "tests/accessors/test_buffers.py"],
    "accessors/instructions": ["tests/accessors/test_instructions.py", "tests/accessors/test_atomic.py"],
    "accessors/memories": ["tests/views/test_travelling_views.py"],
    "accessors/owners": ["tests/accessors/test_sharing.py", "tests/accessors/test_places.py"],
    "accessors/places": ["tests/engines/bulk/test_aliasing.py", "tests/views/test_exporters_stay.py"],
    "accessors/processor": ["tests/accessors/test_instructions.py", "tests/accessors/test_atomic.py"],
    "accessors/*": ["tests/test_wrong_arguments.py", "tests/mistakes/test_mistakes.py"],
    "base/spelling": ["tests/base/test_spelling.py"],
    "base/arguments": ["tests/test_wrong_arguments.py", "tests/views/test_view.py"],
    "base/caches": ["tests/engines/scalar/test_access_plans.py"],
    "base/integers": ["tests/layouts/test_linear.py", "tests/layouts/test_morton.py", "tests/mappings"],
    "base/notebooks": ["tests/drawing/test_notebook.py"],
    "base/sizes": ["tests/mappings/test_representatives.py"],
    "base/strided_sets": ["tests/mappings/test_facts_exhaustive.py", "tests/mappings/test_facts_of_mappings.py"],
    "base/values": ["tests/layouts", "tests/test_classes.py", "tests/test_signatures.py"],
    "base/texts": ["tests/test_wrong_arguments.py", "tests/mistakes/test_mistakes.py"],
    "cli/certify": ["tests/testing/test_certify.py"],
    "cli/*": ["tests/cli", "tests/testing/test_certify.py"],
    "conversions/*": ["tests/conformance/test_cpp_conversions.py", "tests/conformance/test_systems_p3959.py"],
    "drawing/figure": ["tests/drawing/test_html_page.py", "tests/browser/test_pictures.py"],
    "drawing/page": ["tests/browser/test_pictures.py"],
    "drawing/*_svg": ["tests/drawing/test_svg.py"],
    "drawing/sampling": ["tests/drawing/test_scene.py"],
    "drawing/shades": ["tests/drawing/test_svg.py", "tests/drawing/test_text.py"],
    "drawing/svg_*": ["tests/drawing/test_svg.py"],
    "drawing/quick_facts": ["tests/drawing/test_notebook.py"],
    "drawing/*": ["tests/cli/test_info.py", "tests/cli/test_draw.py", "tests/mappings/test_explaining.py"],
    "engines/axis_tables": ["tests/engines/scalar/test_grids.py", *WHOLE],
    "engines/padded_boxes": ["tests/engines/test_padding.py", "tests/operations/test_manipulation.py"],
    "engines/padding": ["tests/engines/bulk/test_whole_views.py", "tests/operations/test_manipulation.py"],
    "engines/bulk/*": [*WHOLE, "tests/operations/test_transform.py", *KIT],
    "engines/scalar/*": ["tests/engines/test_agreement.py", "tests/views", *KIT],
    "engines/positions": ["tests/engines/scalar", *WHOLE],
    "errors": ["tests/test_wrong_arguments.py"],
    "expressions/*": ["tests/symbolic", "tests/layouts/test_linear.py"],
    "index/slices": [
        "tests/views/test_brackets.py",
        *SLICING,
        "tests/fuzz/test_fuzz.py",
    ],
    "index/*": [*MOVING, *SLICING, *KIT],
    "interop/asview": ["tests/interop/test_numpy_arrays.py", "tests/interop/test_protocols.py"],
    "interop/interfaces": ["tests/interop/test_addresses.py", "tests/interop/test_device.py"],
    "interop/cpp/*": ["tests/interop/cpp"],
    "interop/dask/*": ["tests/interop/dask"],
    "interop/zarr/*": ["tests/interop/zarr"],
    "interop/writers/*": ["tests/interop/writers"],
    "interop/files/*": ["tests/interop/files", "tests/cli/test_files.py"],
    "interop/*": ["tests/interop/test_protocols.py", "tests/views/test_consumers.py", "tests/cli/test_files.py"],
    "iteration/*": ["tests/conformance/test_systems_scipp.py", "tests/operations/test_transform.py"],
    "layouts/*": [*FACTS, "tests/mappings/test_mapping.py", *SLICING, *KIT],
    "lazy/*": ["tests/conformance/test_systems_nx.py"],
    "*/explaining": ["tests/cli/test_explain.py", "tests/mappings/test_explaining.py"],
    "mappings/language/*": ["tests/mappings/language"],
    "mappings/*": [*FACTS, *SLICING, *MOVING, *KIT],
    "numba/*": ["tests/numba/test_kernel_random.py", "tests/numba/test_kernel_agreement.py"],
    "operations/algorithms": ["tests/engines/bulk/test_progress.py", *WHOLE],
    "operations/*": ["tests/test_operations_stateful.py", "tests/conformance/test_systems_numojo.py"],
    "polymorphic": ["tests/conformance/test_systems_p0009r00.py"],
    "symbolic/*": ["tests/conformance/test_systems_nx.py"],
    "testing/*": ["tests/testing/test_planted_bugs.py", "tests/testing/test_kit.py"],
    "views/sources": ["tests/accessors/test_sequences.py", "tests/mistakes/test_mistakes.py"],
    "views/refusals": ["tests/mistakes/test_mistakes.py"],
    "views/*": ["tests/engines/test_agreement.py", "tests/test_numpy_agreement.py", "tests/test_wrong_arguments.py"],
}
"""Modules by pattern, the first that fits, and the tests near them besides those that mirror them: quick ones first."""


def modules():
    """All modules of the package, as paths in the project."""
    return sorted(path.relative_to(ROOT) for path in (ROOT / "mdview").rglob("*.py"))


def pattern_of(module):
    """The first pattern of ``MODULES`` that a module fits; the start of a folder goes with the folder."""
    name = module.relative_to("mdview").with_suffix("").as_posix()
    return next((pattern for pattern in MODULES if fnmatch(name, pattern)), None)


def near_tests(module):
    """Files of tests near a module: what mirrors it, then what is named for it."""
    name = module.stem.replace("__", "")
    mirrors = sorted(folder_of(module).glob(f"test_*{name}*.py"))
    named = [ROOT / test for test in MODULES[pattern_of(module)]]
    return list(dict.fromkeys(path for test in [*mirrors, *named] for path in _files(test)))


def folder_tests(module):
    """All files of tests in the folder that mirrors a module's own."""
    folder = folder_of(module)
    return sorted(folder.glob("test_*.py") if folder == ROOT / "tests" else folder.rglob("test_*.py"))


def folder_of(module):
    """The nearest folder of tests that mirrors a module's, whether or not it has tests for each part of it."""
    folder = ROOT / "tests" / module.parent.relative_to("mdview")
    while not any(folder.glob("test_*.py")):
        folder = folder.parent
    return folder


def _files(test):
    return sorted(test.rglob("test_*.py")) if test.is_dir() else [test]
