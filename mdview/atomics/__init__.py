"""Atomic access: each operation on an element is one step, which no other thread interrupts.

`capability` says which items a processor steps on, `native` writes the LLVM instructions of a step for Python and for
kernels and compiles them into functions, `cas_loop` makes any other step under a lock. `reference` is the proxy of an
element, `accessor` the policy that loads it.
"""
