# The public names, which load on first use.

from mdview.iteration.bins import Binned as Binned, Bins as Bins
from mdview.iteration.cursor import MultiIndex as MultiIndex, ViewIndex as ViewIndex
from mdview.iteration.walks import indices as indices, elements as elements, flat as flat, runs as runs, tiles as tiles
