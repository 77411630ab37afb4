"""A memory order that there is not."""

from array import array

from mdview import AtomicAccessor, MDView, atomic

counts = MDView(array("q", [0, 0]), (2,))
shared = atomic(counts, order="consume")  # error: there is no such memory order
print(shared)
print(AtomicAccessor[int](order="strong"))  # error: there is no such memory order
