"""Runs of the command as a process."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def command(*arguments, **options):
    return python("-m", "mdview", *arguments, **options)


def python(*arguments, cwd=ROOT, variables=(), **options):
    """Run Python where it finds mdview; what it writes is read unless it goes elsewhere."""
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": ""} | dict(variables)
    words = [sys.executable, *map(str, arguments)]
    return subprocess.run(words, cwd=cwd, env=environment, check=False, timeout=60, encoding="utf-8", **given)
