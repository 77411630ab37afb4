"""Mappings: layouts bound to extents, with their facts, slices, operations, explanations and notation.

`mapping` has the class. `slicing` and `mapping_manipulation` derive a mapping from another one, `bracket_keys` reads
the keys of ``view[...]``, and `predicates` decides facts about a mapping exactly. `notation` reads and writes mappings
as text. The folder imports the index space and layouts; it knows neither data nor accessors nor engines.
"""

from mdview import _on_first_use

_on_first_use(globals())
