# Public names for type checkers: those of `_on_first_use` in __init__.py.

from mdview.atomics.atomic_reference import AtomicRef as AtomicRef
from mdview.atomics.atomic_accessor import AtomicAccessor as AtomicAccessor
