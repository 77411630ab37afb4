"""The base of all folders: value classes, bounded caches, checks of arguments, integers, texts of messages.

The folder has no views, layouts or extents. All folders use its names: `value` makes value classes, `as_integer` and
`as_entries` check arguments, `brief` and `as_text` write arguments in messages, `import_numpy` loads NumPy at its first
use. `strided_sets` has the number theory of strides, `caches` the bounded caches.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    argument_checks="Axes Shape answer_calls as_entries as_entries_of refuse refuse_unviewed",
    frozen_values="ValueType replace value",
    integers="Dim as_integer dim is_index",
    message_texts="as_text brief kind_text plural plural_takes size_text",
    optional_libraries="class_of import_dask import_numpy import_zarr loaded_module",
    strided_sets="AffineImage IndexTuple has_collision image_bounds merged_digits nests",
)
