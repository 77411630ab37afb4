#!/usr/bin/env bash
# pyarrow 26.0.1: a fixed-shape tensor array with a cyclic permutation becomes an array of other numbers.
#
# The format says: the storage holds each tensor in C order of `shape`, and dimension i of the tensor is dimension
# permutation[i] of the storage. For shape (2, 3, 4) and permutation (2, 0, 1) that is a transposition, which NumPy
# carries out below. `to_numpy_ndarray()` and `to_tensor()` have the right shape, (3, 4, 2, 3) for three tensors, and
# other numbers in it, without an error. A permutation that is its own inverse, (1, 0, 2), comes out right.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q pyarrow==26.0.1 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import numpy as np
import pyarrow as pa

shape, count = (2, 3, 4), 3
numbers = np.arange(count * 24).reshape(count, *shape)
storage = pa.FixedSizeListArray.from_arrays(pa.array(numbers.ravel(), pa.int32()), 24)


def by_pyarrow(permutation):
    kind = pa.fixed_shape_tensor(pa.int32(), shape, permutation=permutation)
    tensors = pa.ExtensionArray.from_storage(kind, storage)
    return tensors.to_numpy_ndarray(), tensors.to_tensor().to_numpy()


def by_the_format(permutation):
    return numbers.transpose(0, *[1 + axis for axis in permutation])


for permutation, is_right in {(0, 1, 2): True, (1, 0, 2): True, (2, 0, 1): False, (1, 2, 0): False}.items():
    for found in by_pyarrow(permutation):
        expected = by_the_format(permutation)
        assert found.shape == expected.shape, permutation
        assert np.array_equal(found, expected) is is_right, permutation
        print(permutation, "the numbers of the format" if is_right else f"begins {found.ravel()[:6]} instead of {expected.ravel()[:6]}")
PYTHON
echo "pyarrow 26.0.1 still gives other numbers for cyclic permutations"
