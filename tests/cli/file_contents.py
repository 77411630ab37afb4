"""Contents of files, and what the command says of them."""

import io
import struct
import zipfile

import numpy as np


def npy(array, **options):
    file = io.BytesIO()
    np.lib.format.write_array(file, np.asanyarray(array), **options)
    return file.getvalue()


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def archive(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as opened:
        for name, content in members.items():
            opened.writestr(name.replace("_", "."), content)
    return file.getvalue()


def header(text, version=(1, 0)):
    return b"\x93NUMPY" + bytes(version) + struct.pack("<H" if version == (1, 0) else "<I", len(text)) + text.encode()


def about(output):
    """The facts of the only array in an output."""
    first, *lines = output.splitlines()
    assert not first.startswith(" ")
    return {name.strip(): text.strip() for name, text in (line.split(":", 1) for line in lines)}


def error_of(outcome):
    """The one line of error of a failed run."""
    status, output, error = outcome
    assert status == 2
    assert output == ""
    assert error.startswith("mdview: error: ")
    assert error.endswith("\n")
    assert len(error.splitlines()) == 1
    return error
