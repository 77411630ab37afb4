"""Atomic access: operations on an element that no other thread interrupts.

`AtomicRef` is a reference to an element, and `AtomicAccessor` the accessor that loads it; both are in `atomic_access`.
`cas_loop` does an operation in a compare-and-swap (CAS) loop around a native instruction, or under a lock, and writes
the instructions of kernels.
"""

from mdview import _on_first_use

_on_first_use(globals())
