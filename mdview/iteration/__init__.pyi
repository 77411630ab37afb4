# Public names for type checkers: those of `_on_first_use` in __init__.py.

from mdview.iteration.bins import Binned, Bins
from mdview.iteration.cursor import MultiIndex, ViewIndex
from mdview.iteration.walks import indices, elements, flat, runs, tiles

__all__ = ["Binned", "Bins", "MultiIndex", "ViewIndex", "elements", "flat", "indices", "runs", "tiles"]
