"""A header names shipped layouts and those that the caller names; nothing is imported or looked up for another."""

import struct
import sys

import numpy as np
import pytest
from processes import output_of

import mdview as md
from mdview.cli import main
from mdview.errors import FileFormatError, OperandError

MINE = """
from dataclasses import dataclass
from typing import final
from mdview import Layout

class Outer:
    @final
    @dataclass(frozen=True)
    class LayoutNested(Layout):
        step: int = 1

        def offset(self, extents, index):
            return sum(index) * self.step

        def required_span_size(self, extents):
            return 0 if 0 in extents else 1 + sum([e - 1 for e in extents]) * self.step

Élan = type("Élan", (Outer.LayoutNested,), {"__module__": __name__})
_Private = type("_Private", (Outer.LayoutNested,), {"__module__": __name__})
"""
SPELLINGS = {
    "plain": "{m}:Outer.LayoutNested (4,)",
    "called": "{m}:Outer.LayoutNested(2) (4,)",
    "an accent": "{m}:Élan (4,)",
    "a private name": "{m}:_Private (4,)",
    "spaces around dots": "{m} . {m}:Outer . LayoutNested (4,)",
    "a submodule": "{m}.{m}:Élan (4,)",
    "in a parameter": "transpose({m}:Élan) (2, 2)",
    "in a named parameter": "tiled(2, 2, inner={m}:Élan()) (2, 2)",
    "in extents": "right ({m}:Élan, 2)",
    "as a step": "right (4,) {m}:Élan()",
    "in brackets": "right (4,) [dim({m}:Élan):]",
    "behind a quoted text": "blas_packed('a:b', {m}:Élan) (2, 2)",
}


def written(path, text):
    """Write a file whose header has a text."""
    said = f"{{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }} # mdview: {text}\n".encode()
    path.write_bytes(b"\x93NUMPY\3\0" + struct.pack("<I", len(said)) + said + bytes(range(4)))


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """Give the name of a module that can be imported, and is removed again."""
    (tmp_path / "mine_of_a_file.py").write_text(MINE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    yield "mine_of_a_file"
    sys.modules.pop("mine_of_a_file", None)


ALLOWED = {"difflib", "importlib.readers", "mmap", "unicodedata"}
"""Modules that reading a file may load."""


@pytest.mark.parametrize("is_loaded", [False, True], ids=["not loaded", "loaded"])
@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS)
def test_what_a_header_names_is_not_imported_nor_looked_up(text, is_loaded, mine, tmp_path, capsys):
    path = tmp_path / "a.npy"
    written(path, text.format(m=mine))
    if is_loaded:
        __import__(mine)
    before = set(sys.modules)
    for attempt in (md.open_view, lambda path: md.relayout_file(path, tmp_path / "b.npy", "left")):
        with pytest.raises(FileFormatError):
            attempt(path)
    assert main(["info", "a.npy"]) == main(["relayout", "a.npy", "b.npy", "--layout", "left"]) == 2
    assert "has a mapping in its header" in capsys.readouterr().err
    assert {name for name in set(sys.modules) - before if not name.startswith("mdview.")} <= ALLOWED


def test_layouts_that_the_program_names_are_opened(mine, tmp_path):
    module = __import__(mine)
    values = md.MDView(bytearray(b"abcd"), (4,))
    for kind in (module.Outer.LayoutNested, module.Élan, module._Private):
        md.save(values, tmp_path / "a.npy", kind(2))
        for path in ("a.npy", "b.npy"):
            found = md.open_view(tmp_path / path, layouts={kind})
            assert (found.layout, found.tolist()) == (kind(2), [97, 98, 99, 100])
            md.relayout_file(
                tmp_path / path, tmp_path / "b.npy", f"{mine}:{kind.__qualname__}(2)", layouts=iter([kind])
            )
        with pytest.raises(FileFormatError, match=f"pass layouts=.{kind.__name__}., or --import {mine}"):
            md.open_view(tmp_path / "a.npy", layouts=[md.LayoutTiled])


@pytest.mark.parametrize("given", ["mine", [3], [md.LayoutRight()], [int], None])
def test_what_is_no_class_of_layouts_is_refused(given, tmp_path):
    written(tmp_path / "a.npy", "tiled(2) (4,)")
    assert md.open_view(tmp_path / "a.npy", layouts=md.LayoutRight).size == 4
    with pytest.raises(OperandError, match="layouts must be classes of layouts"):
        md.open_view(tmp_path / "a.npy", layouts=given)


def test_a_command_imports_what_it_is_told_and_nothing_for_a_file(mine, tmp_path, capsys):
    np.save("rows.npy", np.arange(4, dtype="u1"))
    assert main(["relayout", "rows.npy", "a.npy", "--layout", f"{mine}:Outer.LayoutNested(3)"]) == 0
    sys.modules.pop(mine)
    assert main(["info", "a.npy"]) == main(["relayout", "a.npy", "b.npy", "--layout", "left"]) == 2
    assert mine not in sys.modules
    assert f"pass layouts=[LayoutNested], or --import {mine} " in capsys.readouterr().err
    assert main(["info", "a.npy", "--import", mine]) == 0
    assert "LayoutNested(step=3)" in capsys.readouterr().out
    assert main(["relayout", "--import", mine, "a.npy", "b.npy", "--layout", "right"]) == 0
    assert np.load("b.npy").tolist() == [0, 1, 2, 3]


def test_a_module_that_cannot_be_imported_is_an_error_of_its_option(capsys):
    assert main(["info", "a.npy", "--import", "antigravity_of_nobody"]) == 2
    assert "'antigravity_of_nobody' cannot be imported: ModuleNotFoundError" in capsys.readouterr().err


def test_a_package_is_imported_with_the_layouts_of_its_modules(tmp_path, monkeypatch, capsys):
    (tmp_path / "pack_of_a_file").mkdir()
    (tmp_path / "pack_of_a_file/__init__.py").write_text("from pack_of_a_file._inner import Outer", encoding="utf-8")
    (tmp_path / "pack_of_a_file/_inner.py").write_text(MINE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    written(tmp_path / "a.npy", "pack_of_a_file._inner:Outer.LayoutNested (4,)")
    assert main(["info", str(tmp_path / "a.npy"), "--import", "pack_of_a_file"]) == 0
    assert "LayoutNested(step=1)" in capsys.readouterr().out


def test_a_file_beside_the_data_is_not_taken_for_a_module_of_python(tmp_path):
    (tmp_path / "struct.py").write_text("raise SystemExit('code beside the data has run')", encoding="utf-8")
    np.save(tmp_path / "a.npy", np.zeros(3))
    code = "import sys; from mdview.cli import main; sys.exit(main(['info', 'a.npy']))"

    output_of(code, options=["-P"], cwd=tmp_path)
