"""Recorded facts: cases of the data that come with `mdview.conformance`."""

import json
from pathlib import Path

from mdview import conformance

DATA = Path(conformance.__file__).parent / "data"


def cases(file):
    """Cases of a file of the data."""
    return json.loads((DATA / f"{file}.json").read_text(encoding="utf-8"))["cases"]
