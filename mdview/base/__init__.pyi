# Names for type checkers: those of `_on_first_use` in __init__.py.

from mdview.base.argument_checks import Axes, Shape, answer_calls, as_entries, as_entries_of, kind_text, refuse, refuse_unviewed
from mdview.base.frozen_values import ValueType, replace, value
from mdview.base.integers import Dim, as_integer, dim, is_index
from mdview.base.message_texts import as_text, brief, plural, plural_takes, size_text
from mdview.base.optional_libraries import class_of, import_dask, import_numpy, import_zarr, loaded_module
from mdview.base.strided_sets import AffineImage, IndexTuple, has_collision, image_bounds, merged_digits, nests

__all__ = ["AffineImage", "Axes", "Dim", "IndexTuple", "Shape", "ValueType", "answer_calls", "as_entries", "as_entries_of", "as_integer", "as_text", "brief", "class_of", "dim", "has_collision", "image_bounds", "import_dask", "import_numpy", "import_zarr", "is_index", "kind_text", "loaded_module", "merged_digits", "nests", "plural", "plural_takes", "refuse", "refuse_unviewed", "replace", "size_text", "value"]
