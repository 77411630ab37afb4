# The public names, which load on first use.

from mdview.atomics.atomic_access import AtomicRef as AtomicRef
from mdview.atomics.atomic_access import AtomicAccessor as AtomicAccessor
