#!/usr/bin/env bash
# numpy 2.4.6: two threads that import `numpy` and `numpy.typing` for the first time at once make one import fail.
#
# Both statements are valid in any order in one thread, and Python documents imports as safe among threads. Here the
# thread that imports `numpy` gets "cannot import name 'NDArray' from partially initialized module 'numpy._typing'" in
# about one of five fresh processes: `numpy.linalg` needs `numpy._typing` while NumPy loads, and the other thread, which
# holds the lock of that module's importer, waits for NumPy. Python breaks the cycle by handing out half a module.
# `import numpy` before `import numpy.typing` in each thread is enough to avoid it.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6
cat >"$folder/threads.py" <<'PYTHON'
import sys
import threading

sys.setswitchinterval(1e-6)
barrier, errors = threading.Barrier(2), []


def run(code):
    barrier.wait()
    try:
        exec(code)
    except ImportError as error:
        errors.append(error)


threads = [threading.Thread(target=run, args=(code,)) for code in sys.argv[1:]]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.exit(f"ImportError: {errors[0]}" if errors else 0)
PYTHON

failures() {
    local count=0
    for _ in $(seq 60); do
        "$folder/venv/bin/python" "$folder/threads.py" "$@" 2>"$folder/error" || { count=$((count + 1)); tail -n 1 "$folder/error" >"$folder/last"; }
    done
    echo "$count"
}

typing_first=$(failures "import numpy" "import numpy.typing")
numpy_first=$(failures "import numpy" "import numpy; import numpy.typing")
echo "numpy and numpy.typing: $typing_first of 60 processes failed; with numpy first in both threads: $numpy_first"
[ "$typing_first" -gt 0 ] && [ "$numpy_first" = 0 ]
grep -q "partially initialized module 'numpy._typing'" "$folder/last"
echo "numpy 2.4.6 still gives half a module to a thread"
