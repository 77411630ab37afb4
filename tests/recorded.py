"""Recorded facts: cases and answers of other implementations, which lie in `conformance/data`."""

import json
from pathlib import Path

DATA = Path(__file__).parent / "conformance" / "data"


def cases(file):
    """Cases of a file of the data."""
    return json.loads((DATA / f"{file}.json").read_text(encoding="utf-8"))["cases"]
