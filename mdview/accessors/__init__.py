"""Accessors: objects that load and store the element at an offset, and name the rule for indices.

It may know formats of memory and numbers, and neither layouts nor extents: an accessor sees an offset. Begin with
`accessor`, the interface, with that of pure functions of an item, which `elementwise_jit` compiles. Every other policy
wraps one. `mdview.memory.storage` is what they read: a memoryview, packed items of `struct`, or a
sequence.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    accessor="Accessor ElementwiseAccessor ElementwiseWritable IndexRule Items MutableItems Writable",
    policies=(
        "AlignedAccessor CheckedAccessor ConjugatedAccessor DefaultAccessor FillAccessor MemorySpaceAccessor "
        "NonTemporalAccessor RandomAccessAccessor ReadOnlyAccessor RestrictAccessor ScaledAccessor UncheckedAccessor"
    ),
)
