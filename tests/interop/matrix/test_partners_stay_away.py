"""No partner is loaded that the user has not loaded."""

from processes import output_of

PROGRAM = """
import sys
from array import array
from mdview import MDView, asview
from mdview.errors import BufferFormatError
class Memory:
    def __init__(self, numbers): self.numbers = numbers
    def __getattr__(self, name): return getattr(self.numbers, name)
view = asview(array("d", range(6)))
memory = view[::2].memoryview()
assert memory.tolist() == [0.0, 2.0, 4.0]
for given in ([1], "text", Memory([1]), object()):
    try:
        asview(given)
    except BufferFormatError:
        pass
    else:
        raise AssertionError(given)
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""
PARTNERS = {"h5py", "jax", "matplotlib", "numba", "pandas", "PIL", "polars", "pyarrow", "torch", "xarray", "zarr"}


def test_asview_and_exports_load_no_partner():
    done = output_of(PROGRAM)
    assert PARTNERS.isdisjoint(done.split())
