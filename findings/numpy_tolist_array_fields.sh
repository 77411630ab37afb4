#!/usr/bin/env bash
# NumPy 2.4.6: a list from `tolist()` of records still follows the array where a field is an array itself.
#
# The documentation calls the result of `ndarray.tolist` a copy of the data as nested Python lists. Plain fields are
# copied: the tuple keeps its number when the array changes. A field with a shape of its own is no list and no copy. It
# is an ndarray over the memory of the record, so the tuple changes when the array is stored to. `item()` of one record
# does the same.
#
# Seen: after `tolist()`, then `a["n"] = 9` and `a["pair"] = 9`, the list holds the old 1 for the plain field and 9, 9
# for the field that is an array, whose type is ndarray.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6

"$folder/venv/bin/python" - <<'PY'
import numpy as np

a = np.array([(1, (2, 3))], dtype=[("n", "i4"), ("pair", "i2", (2,))])
rows, one = a.tolist(), a[0].item()
a["n"], a["pair"] = 9, 9

for number, pair in (rows[0], one):
    assert number == 1, "the plain field follows the array now"
    assert type(pair) is np.ndarray, "the field that is an array is converted now"
    assert pair.tolist() == [9, 9], "the field that is an array is a copy now"
print("as described: a field that is an array follows the memory, in tolist() and in item()")
PY
