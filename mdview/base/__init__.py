"""The base of all folders: value classes, bounded caches, checks of arguments, integers, texts of messages.

The folder does not define views, layouts or extents. All folders use its names: `value` makes value classes,
`as_integer` and `as_entries` check arguments, `brief` and `as_text` write arguments in messages, `import_numpy` loads
NumPy at its first use. `strided_sets` contains the number theory of strides, `caches` the bounded caches.
"""

from mdview import _on_first_use

_on_first_use(globals())
