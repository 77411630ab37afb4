"""JAX: arrays are viewed where they lie, and nobody writes there; in a process of its own, as JAX starts threads."""

import pytest
from processes import output_of

pytest.importorskip("jax")

PROGRAM = """
import jax
import jax.numpy as jnp
import numpy as np
from mdview import LayoutRight, asview
from mdview.errors import BufferFormatError, ReadOnlyError

for array in (
    jnp.arange(6.0).reshape(2, 3), jnp.arange(6.0).reshape(2, 3).T, jnp.arange(3) > 1, jnp.float32(1),
    jnp.zeros((0, 3)),
    jnp.arange(3, dtype=jnp.bfloat16), jnp.arange(3, dtype=jnp.complex64),
):
    view = asview(array)
    assert (view.layout, view.data is array, view.tolist()) == (LayoutRight(), True, array.tolist())
    again = asview(array)
    assert array.size == 0 or np.shares_memory(np.asarray(view), np.asarray(again))
    if array.size:
        try:
            view[...] = 0
        except ReadOnlyError:
            pass
        else:
            raise AssertionError(array)

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
