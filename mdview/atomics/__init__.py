"""Atomic access: each operation on an element is one step, which no other thread interrupts.

`cas_loop` says which items have native steps, and makes any other step in a CAS loop or under a lock; `native` writes
the LLVM instructions of a step for Python and for kernels and compiles them into functions. `reference` is the proxy of
an element, `accessor` the policy that loads it.
"""

from mdview.atomics.accessor import AtomicAccessor
from mdview.atomics.reference import AtomicRef

__all__ = [
    "AtomicAccessor",
    "AtomicRef",
]
