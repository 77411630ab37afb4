"""Atomic access: each operation on an element is one step, which no other thread interrupts.

`cas_loop` decides which items have native steps, and does all other steps in a CAS loop or under a lock;
`native_atomics` writes the LLVM instructions of a step for Python and for kernels and compiles them to functions.
`atomic_reference` is the proxy of an element, `AtomicAccessor` the policy that loads it.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    atomic_reference="AtomicRef",
    atomic_accessor="AtomicAccessor",
)
