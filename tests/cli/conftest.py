"""Fixtures of the command's tests."""

import pytest

from mdview.cli import main


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    """Run a command in a folder of its own; give status, output, error."""
    monkeypatch.chdir(tmp_path)

    def ran(*arguments):
        try:
            status = main([*arguments])
        except SystemExit as stop:
            status = stop.code
        return status, *capsys.readouterr()

    return ran


@pytest.fixture
def fails(run):
    """Run a command that fails with one line of error; give that line."""

    def failed(*arguments):
        status, output, error = run(*arguments)
        assert (status, output) == (2, ""), arguments
        assert error.startswith("mdview: error: "), arguments
        assert (error.count("\n"), error[-1]) == (1, "\n"), error
        assert len(error) < 600
        return error

    return failed


@pytest.fixture
def info(run, tmp_path):
    """Run `mdview info` on a file of these bytes; give its facts."""

    def facts(content, *arguments):
        (tmp_path / "file").write_bytes(content)
        status, output, error = run("info", "file", *arguments)
        assert (status, error) == (0, "")
        first, *lines = output.splitlines()
        assert first == "file"
        return {name.strip(): text.strip() for name, text in (line.split(":", 1) for line in lines)}

    return facts
