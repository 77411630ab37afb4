"""Families by their names: what the package, its stub and the language of layouts say of them, and their errors."""

import ast
import inspect
import re
from pathlib import Path

import pytest

import mdview
from mdview import MDView, explain, formats, open_view, parse, save
from mdview.cli import main
from mdview.errors import NotationError
from mdview.formats.families import FAMILIES, ROWS

STUB = Path(formats.__file__).with_suffix(".pyi")
TESTS = "\n".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_formats_*.py"))


def written_signatures():
    """Yield the functions of the stub with their parameters."""
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            for each in (*node.args.args, *node.args.kwonlyargs):
                each.annotation = None
            yield node.name, f"({ast.unparse(node.args)})"


def test_the_package_and_its_stub_have_all_families():
    assert {*formats.__all__} == {*ROWS, "GGML", "expression_of", "view_bytes"}
    assert {name: str(inspect.signature(FAMILIES[name])).replace(" ", "") for name in ROWS} == {
        name: text.replace(" ", "") for name, text in written_signatures()
    }


@pytest.mark.parametrize("name", ROWS)
def test_a_family_says_who_owns_it_and_what_it_was_checked_with(name):
    row = ROWS[name]
    assert {"summary", "owner", "checked", "examples"} <= {*row}
    assert re.search(rf"\b{name}\b", TESTS), "no test"
    assert row["summary"] in inspect.getdoc(getattr(formats, name))
    for example in row["examples"]:
        assert parse(example).size
        assert str(explain(parse(example)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bmp (3, 4)", "the extents of bmp are (height, width, samples), got (3, 4)"),
        ("mfma_accumulator (32, 16)", "the extents of mfma_accumulator are (32, 32), got (32, 16)"),
        ("gguf('Q4_0') (2, 33)", "elements of a row of Q4_0 come in blocks of 32, got 33; the next multiple is 64"),
        ("gguf('Q4_0', 'minima') (2, 32)", "a part of Q4_0 is one of 'codes', 'scales', got 'minima'"),
        ("nv12('w') (2, 4)", "part of nv12 is one of 'y', 'u', 'v', got 'w'"),
        ("tiff_tiles (3, 4, 5)", "missing a required argument: 'tile'; tiff_tiles takes (tile, planar)"),
        ("tma_swizzle (8, 96)", "bytes of a row is one of 32, 64, 128, got 96"),
        ("onednn('nChw16c') (2, 3)", "tag 'nChw16c' has 4 dimensions, extents (2, 3) are of rank 2"),
        ("blosc((3,), (2,)) (7,)", "there is no layout 'blosc'; did you mean blosc2?"),
        ("tiled(4, inner=pbm) (3,)", "pbm is a format, which has a layout for extents: parse('pbm (4, 6)').layout"),
    ],
    ids=lambda text: text.partition("(")[0].strip(),
)
def test_a_wrong_call_says_the_rule(text, message):
    with pytest.raises(NotationError, match=re.escape(message)):
        parse(text)


def test_functions_refuse_wrong_calls_by_their_parameters():
    with pytest.raises(TypeError, match="tiff_tiles"):
        formats.tiff_tiles((3, 4, 5), (16, 16), planer=True)
    with pytest.raises(TypeError, match=r"family must be one of mdview\.formats"):
        formats.expression_of(len, (3,))
    with pytest.raises(AttributeError, match="has no attribute 'bmpp'"):
        _ = formats.bmpp


def test_a_part_of_a_format_is_a_slice_of_its_mapping():
    assert parse("bmp (4, 5, 3) [1:3, ..., 0]") == parse("bmp (4, 5, 3)[1:3, ..., 0]")
    assert parse("bmp (4, 5, 3) [1:3, ..., 0]").extents == (2, 5)


def test_a_file_is_opened_by_the_name_of_its_format(tmp_path):
    (tmp_path / "a.bmp").write_bytes(bytes(54) + bytes(range(64)))
    with open_view(tmp_path / "a.bmp", "bmp (4, 5, 3)", "u1", offset=54) as view:
        assert view[0, 0].tolist() == [50, 49, 48]


@pytest.mark.parametrize("command", ["draw", "explain"])
def test_the_command_line_takes_the_name_of_a_format(command, capsys):
    assert main([command, "nChw16c (1, 4, 1, 2)", "bmp (2, 2, 3)", "nv12('u') (4, 4)"]) == 0
    assert "nChw16c (1, 4, 1, 2)" in capsys.readouterr().out


def test_a_header_names_no_formats(tmp_path):
    path = tmp_path / "a.npy"
    save(MDView(bytearray(range(16)), (4, 4)), path, "tiled(2, 2)")
    data = path.read_bytes()
    assert data.count(b"tiled(2, 2) ") == 1
    path.write_bytes(data.replace(b"tiled(2, 2) ", b"mrc         "))
    with pytest.raises(mdview.errors.MDViewError, match="mrc"):
        open_view(path)


def test_a_buffer_is_viewed_from_a_byte_on():
    data = bytearray(range(12))
    view = formats.view_bytes(data, "pnm (1, 2, 3)", "u1", offset=6)
    view[0, 0, 0] = 99
    assert (view.tolist(), data[6]) == ([[[99, 7, 8], [9, 10, 11]]], 99)
    with pytest.raises(ValueError, match="needs"):
        formats.view_bytes(data, "pnm (1, 2, 3)", "u1", offset=7)
    with pytest.raises(ValueError, match=r"0 to 12, got offset -6"):
        formats.view_bytes(data, "pnm (1, 2, 3)", "u1", offset=-6)
    with pytest.raises(TypeError, match=r"data must be a contiguous buffer, got list"):
        formats.view_bytes([1, 2, 3], "pnm (1, 1, 3)", "u1")
