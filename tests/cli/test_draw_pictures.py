"""Files of pictures: written whole or not at all, with the rights they had, through links and into pipes."""

import os
import stat
import threading
from argparse import ArgumentTypeError
from pathlib import Path

import pytest

from mdview.cli.output import FileError
from mdview.cli.pictures import picture_path, replace


def test_a_file_is_replaced(tmp_path):
    path = tmp_path / "a.svg"
    for content in ("one, and longer", "two ü"):
        replace(path, content)
        assert path.read_text(encoding="utf-8") == f"{content}\n"
    assert [*tmp_path.iterdir()] == [path]


def test_an_error_leaves_the_file_and_nothing_beside_it(tmp_path, monkeypatch):
    path = tmp_path / "a.svg"
    path.write_text("before")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        replace(path, "after")
    assert path.read_text() == "before"
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")
def test_the_rights_stay_and_new_files_have_the_usual_ones(tmp_path):
    path, plain, new = tmp_path / "a.svg", tmp_path / "plain", tmp_path / "new.svg"
    path.write_text("before")
    path.chmod(0o640)
    replace(path, "after")
    plain.write_text("")
    replace(new, "new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert new.stat().st_mode == plain.stat().st_mode


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_a_link_goes_on_to_lead_to_the_file(tmp_path):
    (tmp_path / "folder").mkdir()
    link, target = tmp_path / "link.svg", tmp_path / "folder" / "target.svg"
    link.symlink_to(target)
    replace(link, "one")
    assert link.is_symlink()
    assert target.read_text() == "one\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_written_to(tmp_path):
    path, found = tmp_path / "pipe.svg", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: found.append(path.read_text()), daemon=True)
    reader.start()
    replace(path, "through")
    reader.join(10)
    assert found == ["through\n"]
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_what_cannot_be_written_says_why(tmp_path, monkeypatch):
    (tmp_path / "d.svg").mkdir()
    (tmp_path / "a.svg").write_text("before")
    with pytest.raises(FileError, match="is a directory"):
        replace(tmp_path / "d.svg", "")
    with pytest.raises(FileError, match="there is no folder 'nowhere'"):
        replace(Path("nowhere") / "a.svg", "")
    with pytest.raises(FileError, match="there is no folder"):
        replace(tmp_path / "a.svg" / "b.svg", "")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(FileError, match="may not be written"):
        replace(tmp_path / "a.svg", "")
    assert (tmp_path / "a.svg").read_text() == "before"


@pytest.mark.parametrize("name", ["a", "a.", "a.png", ".svg", "a.svg.gz", "svg", "-"])
def test_other_endings_are_refused_with_those_there_are(name):
    with pytest.raises(ArgumentTypeError, match=r"\.svg, \.html or \.txt"):
        picture_path(name)
