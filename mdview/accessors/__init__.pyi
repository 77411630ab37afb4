# Public names for type checkers: those of `_on_first_use` in __init__.py.

from mdview.accessors.accessor import Accessor, ElementwiseAccessor, ElementwiseWritable, IndexRule, Items, MutableItems, Writable
from mdview.accessors.policies import AlignedAccessor, CheckedAccessor, ConjugatedAccessor, DefaultAccessor, FillAccessor, MemorySpaceAccessor, NonTemporalAccessor, RandomAccessAccessor, ReadOnlyAccessor, RestrictAccessor, ScaledAccessor, UncheckedAccessor

__all__ = ["Accessor", "AlignedAccessor", "CheckedAccessor", "ConjugatedAccessor", "DefaultAccessor", "ElementwiseAccessor", "ElementwiseWritable", "FillAccessor", "IndexRule", "Items", "MemorySpaceAccessor", "MutableItems", "NonTemporalAccessor", "RandomAccessAccessor", "ReadOnlyAccessor", "RestrictAccessor", "ScaledAccessor", "UncheckedAccessor", "Writable"]
