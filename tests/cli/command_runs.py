"""Runs of the command as a process."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def command(*arguments, **environment):
    return python("-m", "mdview", *arguments, **environment)


def python(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
        text=True,
        encoding="utf-8",
    )
