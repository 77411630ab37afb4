# The public names, which load on first use.

from mdview.base.argument_checks import Axes as Axes, Shape as Shape, answer_calls as answer_calls, as_entries as as_entries, as_entries_of as as_entries_of, refuse as refuse, refuse_unviewed as refuse_unviewed
from mdview.base.frozen_values import ValueType as ValueType, replace as replace, value as value
from mdview.base.integers import Dim as Dim, as_integer as as_integer, dim as dim, is_index as is_index
from mdview.base.message_texts import as_text as as_text, brief as brief, kind_text as kind_text, plural as plural, plural_takes as plural_takes, size_text as size_text
from mdview.base.optional_libraries import class_of as class_of, import_dask as import_dask, import_numpy as import_numpy, import_zarr as import_zarr, loaded_module as loaded_module
from mdview.base.strided_sets import AffineImage as AffineImage, IndexTuple as IndexTuple, has_collision as has_collision, image_bounds as image_bounds, merged_digits as merged_digits, nests as nests
