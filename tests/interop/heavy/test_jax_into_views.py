"""JAX: arrays are viewed where they lie, and nobody writes there; in a process of its own, as JAX starts threads."""

import pytest
from processes import output_of

pytest.importorskip("jax")

PROGRAM = """
import jax
import jax.numpy as jnp
from mdview import asview
from mdview.errors import BufferFormatError

gone = jnp.arange(4.0)
view = asview(gone)
gone.delete()
assert view.tolist() == [0.0, 1.0, 2.0, 3.0]

refused = [gone, jax.random.key(0)]
def seen(traced):
    try:
        asview(traced)
    except BufferFormatError:
        return traced
    raise AssertionError

jax.jit(seen)(jnp.arange(3.0))
for given in refused:
    seen(given)
"""


def test_jax():
    output_of(PROGRAM)
