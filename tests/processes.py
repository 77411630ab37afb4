"""Programs that run in an interpreter of their own, where a crash is a failure of one test and nothing else."""

import subprocess
import sys
from textwrap import dedent


def output_of(code, *arguments, options=(), timeout=300, **given):
    """What a program prints, whose text may be indented; it comes to its end, and nothing is told as an error."""
    command = [sys.executable, *options, "-c", dedent(code), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout, **given)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout
