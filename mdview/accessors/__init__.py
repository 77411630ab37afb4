"""Accessors: objects that load and store the element at an offset, and name the rule for indices.

The folder imports formats of memory and numbers, and neither layouts nor extents: an accessor sees an offset. Begin
with `accessor`, the interfaces; `elementwise_jit` compiles those of pure functions of an item. Most policies in
`policies` wrap another accessor. Accessors read the items of a `mdview.memory.storage`.
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
