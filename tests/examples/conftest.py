"""Scripts of the folder of examples, imported by their names."""

import importlib.util
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="session")
def script():
    """The module of an example, executed once in this process."""
    loaded = {}

    def load(name):
        if name not in loaded:
            spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
            loaded[name] = sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(loaded[name])
        return loaded[name]

    return load
