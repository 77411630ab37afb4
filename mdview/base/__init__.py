"""The ground of everything: frozen values, bounded caches, checks of arguments, and the integers that strides reach.

It knows nothing of views, layouts or extents. The names here are those that all folders use: `value` makes value
classes, `as_integer` and `as_entries` check arguments, `brief` and `as_text` write them in messages, `import_numpy`
loads a library on use. `strided_sets` has the number theory (collisions, holes, overlaps of strided sets), `caches`
what is remembered.
"""

from mdview.base.argument_checks import Axes, Shape, answer_calls, as_entries, as_entries_of, kind_text, refuse
from mdview.base.frozen_values import ValueType, replace, value
from mdview.base.integers import Dim, as_integer, dim, is_index
from mdview.base.message_texts import as_text, brief, plural, plural_takes, size_text
from mdview.base.optional_libraries import card_of, class_of, import_dask, import_numpy, import_zarr, loaded_module
from mdview.base.strided_sets import AffineImage, IndexTuple, has_collision, image_bounds, merged_digits, nests

__all__ = ["AffineImage", "Axes", "Dim", "IndexTuple", "Shape", "ValueType", "answer_calls", "as_entries"]
__all__ += ["as_entries_of", "as_integer", "as_text", "brief", "card_of", "class_of", "dim", "has_collision"]
__all__ += ["image_bounds", "import_dask", "import_numpy", "import_zarr", "is_index", "kind_text", "loaded_module"]
__all__ += ["merged_digits", "nests", "plural", "plural_takes", "refuse", "replace", "size_text", "value"]
