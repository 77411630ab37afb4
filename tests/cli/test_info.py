"""`mdview info`: what it says of files, and one line of error for arguments that make no sense."""

import io

import numpy as np
import pytest
from file_contents import about, archive, error_of, header, npy, npz

from mdview import asview, save
from mdview.cli import main

# What is said.


def test_an_array_in_c_order(info):
    status, output, error = info(npy(np.zeros((3, 4))), name="a.npy")
    assert (status, error) == (0, "")
    assert output == (
        "a.npy\n"
        "  shape:       (3, 4)\n"
        "  format:      d (8 bytes)\n"
        "  layout:      LayoutRight()\n"
        "  strides:     (4, 1)\n"
        "  span:        12 elements\n"
        "  contiguous:  C\n"
        "  unique:      yes\n"
        "  exhaustive:  yes\n"
        "  size:        12 elements, 96 bytes\n"
        "  read-only:   yes, mapped from the file\n"
    )


def test_an_array_in_fortran_order(info):
    facts = about(info(npy(np.zeros((3, 4), "f", order="F")))[1])
    assert (facts["layout"], facts["strides"], facts["contiguous"]) == ("LayoutLeft()", "(1, 3)", "Fortran")


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("<f8", "d (8 bytes)"),
        (">f8", ">d (8 bytes)"),
        (">i2", ">h (2 bytes)"),
        ("u1", "B (1 byte)"),
        ("f2", "e (2 bytes)"),
        ("c16", "Zd (16 bytes)"),
        ("?", "? (1 byte)"),
        ([("a", "<f4"), ("b", "<i2")], "|V6 (6 bytes)"),
        ("<U3", "<U3 (12 bytes)"),
        ("S0", "|S0 (0 bytes)"),
        ("<M8[ns]", "<M8[ns] (8 bytes)"),
    ],
)
def test_formats(info, dtype, expected):
    content = header(
        f"{{'descr': {np.lib.format.dtype_to_descr(np.dtype(dtype))!r}, 'fortran_order': False, 'shape': (2,)}}\n"
    )
    status, output, _ = info(content + bytes(2 * np.dtype(dtype).itemsize))
    assert status == 0
    assert about(output)["format"] == expected


@pytest.mark.parametrize(
    ("shape", "span", "contiguous"), [((), "1 element", "C and Fortran"), ((0, 3), "0 elements", "C and Fortran")]
)
def test_rank_zero_and_no_elements(info, shape, span, contiguous):
    facts = about(info(npy(np.zeros(shape)))[1])
    assert (facts["shape"], facts["span"], facts["contiguous"]) == (str(shape), span, contiguous)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_versions_of_the_format(info, version):
    assert info(npy(np.zeros(3), version=version))[0] == 0


def test_names_of_fields_beyond_ascii(info):
    with pytest.warns(UserWarning, match="3.0"):
        content = npy(np.zeros(3, [("尺", "f4")]))
    assert content[6] == 3
    assert info(content)[0] == 0


def test_headers_of_old_pythons_make_no_noise(info):
    content = header("{'descr': '<f8', 'fortran_order': False, 'shape': (2L,), }\n") + bytes(16)
    assert info(content)[::2] == (0, "")


def test_a_file_in_another_layout(info, tmp_path):
    save(asview(np.zeros((5, 7))), tmp_path / "tiles.npy", "tiled(2, 3)")
    found = about(info(None, name="tiles.npy")[1])
    assert (found["shape"], found["size"]) == ("(5, 7)", "35 elements, 280 bytes")
    assert found["layout"] == "LayoutTiled(2, 3, outer=LayoutRight(), inner=LayoutRight())"


def test_members_of_an_archive(info):
    status, output, error = info(npz(a=np.eye(3), b=np.zeros((2, 5), order="F")), name="m.npz")
    assert (status, error) == (0, "")
    first, second = output.split("m.npz[b]")
    assert first.startswith("m.npz[a]\n")
    assert "(3, 3)" in first
    assert "yes, mapped from the file" in first
    assert "LayoutLeft()" in second


def test_compressed_archives(info):
    file = io.BytesIO()
    np.savez_compressed(file, a=np.zeros(1000))
    assert "(1000,)" in info(file.getvalue())[1]


def test_other_members_are_named(info):
    output = info(archive(a_npy=npy(np.eye(2)), note_txt=b"hello"), name="m.npz")[1]
    assert output.splitlines()[-1] == "m.npz[note.txt]: no array"


# Raw bytes.


def test_raw_bytes(info):
    status, output, _ = info(bytes(100), "--shape", "3,4", "--format", "d", "--offset", "3", "--layout", "left")
    facts = about(output)
    assert status == 0
    assert (facts["shape"], facts["layout"], facts["strides"]) == ("(3, 4)", "LayoutLeft()", "(1, 3)")
    assert facts["read-only"] == "yes, mapped from the file"


@pytest.mark.parametrize(
    ("letter", "expected"),
    [("d", "d (8 bytes)"), (">i", ">i (4 bytes)"), ("=q", "q"), ("e", "e (2 bytes)"), ("Zf", "Zf"), (">Zd", ">Zd (16")],
)
def test_raw_formats(info, letter, expected):
    facts = about(info(bytes(64), "--shape", "2,2", "--format", letter)[1])
    assert facts["format"].startswith(expected) or (letter == "=q" and facts["format"].endswith("(8 bytes)"))


def test_raw_bytes_of_one_element_and_of_none(info):
    assert about(info(bytes(8), "--shape", "", "--format", "d")[1])["shape"] == "()"
    assert about(info(b"", "--shape", "0,", "--format", "d")[1])["shape"] == "(0,)"


def test_raw_wins_over_what_the_file_looks_like(info):
    assert about(info(npy(np.zeros(3)), "--shape", "2", "--format", "B")[1])["format"] == "B (1 byte)"


def test_raw_bytes_must_suffice(info):
    error = error_of(info(bytes(95), "--shape", "3,4", "--format", "d"))
    assert "needs 96 bytes from byte 0 on, the file has 95" in error
    assert "from byte 200 on" in error_of(info(bytes(95), "--shape", "0", "--format", "d", "--offset", "200"))


def test_raw_extents_follow_the_rule_of_extents(info):
    assert "at least 0" in error_of(info(bytes(95), "--shape=-1,2", "--format", "d"))
    assert "more than 2**63 - 1" in error_of(info(bytes(9), "--shape", f"{2**62},{2**62}", "--format", "d"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "COMMAND"),
        (["info"], "FILE"),
        (["info", "f", "--shape", "3"], "both --shape and --format"),
        (["info", "f", "--format", "d"], "both --shape and --format"),
        (["info", "f", "--offset", "3"], "both --shape and --format"),
        (["info", "f", "--layout", "left"], "both --shape and --format"),
        (["info", "f", "--shape", "3,x", "--format", "d"], "integers with commas"),
        (["info", "f", "--shape", "3,,4", "--format", "d"], "integers with commas"),
        (["info", "f", "--shape", "3", "--format", "3s"], "one letter of struct"),
        (["info", "f", "--shape", "3", "--format", "no\nletter"], "one letter of struct"),
        (["info", "f", "--shape", "3", "--format", ""], "one letter of struct"),
        (["info", "f", "--shape", "3", "--format", "é"], "one letter of struct"),
        (["info", "f", "--shape", "3", "--format", "d", "--offset", "-1"], "0 or more"),
        (["info", "f", "--shape", "3", "--format", "d", "--layout", "middle"], "--layout"),
    ],
)
def test_wrong_arguments_are_one_line(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    error = capsys.readouterr().err
    assert stop.value.code == 2
    assert error.startswith("mdview: error: ")
    assert message in error
    assert len(error.splitlines()) == 1


def test_help(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["info", "--help"])
    assert stop.value.code == 0
    assert "--shape" in capsys.readouterr().out


# Several files, dtypes, layouts.


def test_several_files_and_one_that_fails(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.npy").write_bytes(npy(np.eye(2)))
    (tmp_path / "b.npy").write_bytes(npy(np.eye(3)))
    assert main(["info", "a.npy", "b.npy"]) == 0
    both = capsys.readouterr().out
    assert main(["info", "a.npy", "none.npy", ".", "b.npy", "nul\0"]) == 2
    printed = capsys.readouterr()
    assert printed.out == both
    assert [line.split(": ")[2] for line in printed.err.splitlines()] == ["none.npy", ".", r"nul\x00"]


def test_a_name_that_begins_like_an_option(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-x.npy").write_bytes(npy(np.eye(2)))
    assert main(["info", "--", "-x.npy"]) == 0
    assert main(["info", "--shape", "2", "--format", "d", "--", "-x.npy", "-x.npy"]) == 0
    with pytest.raises(SystemExit):
        main(["info", "-x.npy"])
    assert capsys.readouterr().err.startswith("mdview: error: ")


def test_options_may_stand_between_files(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(bytes(16))
    assert main(["info", "a", "--shape", "2", "--dtype", "float64", "b"]) == 0
    assert capsys.readouterr().out.count("d (8 bytes)") == 2


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [("float64", "d (8 bytes)"), (">i4", ">i (4 bytes)"), ("bool", "? (1 byte)"), ("complex128", "Zd (16 bytes)")],
)
def test_dtypes_as_numpy_users_name_them(info, dtype, expected):
    assert about(info(bytes(64), "--shape", "4", "--dtype", dtype)[1])["format"] == expected


def test_any_layout_of_the_language(info):
    facts = about(info(bytes(136 * 8), "--shape", "10,12", "--format", "f8", "--layout", "tiled(4, 4)")[1])
    assert facts["layout"] == "LayoutTiled(4, 4, outer=LayoutRight(), inner=LayoutRight())"
    assert facts["span"] == "136 elements"
    error = error_of(info(bytes(136 * 8 - 1), "--shape", "10,12", "--format", "f8", "--layout", "tiled(4, 4)"))
    assert "needs 1088 bytes from byte 0 on, the file has 1087" in error
    assert "3 tile sizes" in error_of(info(b"", "--shape", "2,2", "--format", "d", "--layout", "tiled(4, 4, 4)"))


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ("tiled(4, 4) (3, 4)", "expected nothing behind the layout"),
        ("right (3,) [1:]", "expected nothing behind the layout"),
        ("tilde(4)", "did you mean tiled?"),
        ("", "expected a layout, the text ends"),
        ("nowhere:Layout", "ModuleNotFoundError"),
    ],
)
def test_what_is_no_layout_alone_is_one_line(layout, message, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["info", "f", "--shape", "3", "--format", "d", "--layout", layout])
    error = capsys.readouterr().err
    assert stop.value.code == 2
    assert error.startswith("mdview: error: argument --layout: ")
    assert message in error
    assert len(error.splitlines()) == 1
