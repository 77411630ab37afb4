"""Lazy views are metadata alone: boxes of strided positions, and chains of them that any reshape extends.

It may know the index space, layouts and mappings, and no view or data. Begin with `box`, one strided array with a mask;
`chain` is a sequence of boxes, each a view of the one before.
"""

from mdview.lazy.box import StridedBox
from mdview.lazy.chain import Chain

__all__ = ["Chain", "StridedBox"]
