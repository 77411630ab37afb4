#!/usr/bin/env bash
# tiledb 0.36.1, numpy 2.4.6: `import tiledb` changes how NumPy prints scalars in the whole process.
#
# Since NumPy 2 the repr of a scalar names its type, "np.float64(3.0)". After `import tiledb` it is "3.0" for all code of
# the process, since the package sets NumPy's print options to those of an older release when it is loaded, and it does
# not set them back. Doctests and logs of other packages then differ by the order of imports.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q tiledb==0.36.1 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import numpy as np

before, legacy = repr(np.float64(3)), np.get_printoptions()["legacy"]
import tiledb

after, set_to = repr(np.float64(3)), np.get_printoptions()["legacy"]
print(f"tiledb {tiledb.__version__}: {before} with legacy={legacy!r} is {after} with legacy={set_to!r} after the import")
assert (before, after) == ("np.float64(3.0)", "3.0"), "tiledb no longer changes how NumPy prints"
PYTHON
echo "tiledb 0.36.1 still changes NumPy's print options"
