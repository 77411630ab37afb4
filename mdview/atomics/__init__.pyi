# Public names for type checkers: those of `_on_first_use` in __init__.py.

from mdview.atomics.atomic_access import AtomicRef as AtomicRef
from mdview.atomics.atomic_access import AtomicAccessor as AtomicAccessor
