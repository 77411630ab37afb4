"""Fixtures of the command's tests."""

import os

import pytest

from mdview.cli import main


@pytest.fixture
def info(tmp_path, capsys):
    """Run `mdview info` on a file of these bytes; give status, output, error."""

    def run(content, *arguments, name="file.bin"):
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        status = main(["info", str(path), *arguments])
        captured = capsys.readouterr()
        return status, captured.out.replace(str(tmp_path) + os.sep, ""), captured.err

    return run
