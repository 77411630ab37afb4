"""Atomic access: operations on an element that no other thread interrupts.

Native operations are processor instructions. `native_atomics` writes these instructions for Python and for kernels, and
compiles them. `cas_loop` knows the items with native operations, and does all other operations in a compare-and-swap
(CAS) loop or under a lock. `AtomicRef` is a reference to an element, and `AtomicAccessor` the accessor that loads it.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    atomic_reference="AtomicRef",
    atomic_accessor="AtomicAccessor",
)
