"""Atomic access: each operation on an element is one step, which no other thread interrupts.

`cas_loop` says which items have native steps, and makes any other step in a CAS loop or under a lock; `native_atomics`
writes the LLVM instructions of a step for Python and for kernels and compiles them into functions. `atomic_reference`
is the proxy of an element, `atomic_accessor` the policy that loads it.
"""

from mdview.atomics.atomic_accessor import AtomicAccessor
from mdview.atomics.atomic_reference import AtomicRef

__all__ = [
    "AtomicAccessor",
    "AtomicRef",
]
