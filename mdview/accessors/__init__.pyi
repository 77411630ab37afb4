# The public names, which load on first use.

from mdview.accessors.accessor import Accessor as Accessor, ElementwiseAccessor as ElementwiseAccessor, ElementwiseWritable as ElementwiseWritable, IndexRule as IndexRule, Items as Items, MutableItems as MutableItems, Writable as Writable
from mdview.accessors.policies import AlignedAccessor as AlignedAccessor, CheckedAccessor as CheckedAccessor, ConjugatedAccessor as ConjugatedAccessor, DefaultAccessor as DefaultAccessor, FillAccessor as FillAccessor, MemorySpaceAccessor as MemorySpaceAccessor, NonTemporalAccessor as NonTemporalAccessor, RandomAccessAccessor as RandomAccessAccessor, ReadOnlyAccessor as ReadOnlyAccessor, RestrictAccessor as RestrictAccessor, ScaledAccessor as ScaledAccessor, UncheckedAccessor as UncheckedAccessor
