"""A staging buffer has the format of the target and takes a bounded amount of memory."""

import errno
import os
import subprocess
import sys
from array import array
from mmap import mmap
from pathlib import Path

import numpy as np
import pytest

from mdview import MDView, copy, flip
from mdview.accessors.buffers import Storage
from mdview.engines.bulk import staging

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("limit", [0, 1 << 20])
@pytest.mark.parametrize("source", [array("h", [1, 2]), np.array([1, 2], ">i4"), np.array([1j, 2])])
def test_values_are_staged_in_the_format_of_the_target(source, limit, monkeypatch):
    monkeypatch.setattr(staging, "MOST_MEMORY", limit)
    items = Storage(source).items
    held = staging.staged(items, iter([5, 6, 7]), 3)
    assert list(held) == [5, 6, 7]
    raw = getattr(held, "raw", held)
    assert isinstance(raw.obj, mmap if limit == 0 else bytearray)


def test_objects_are_staged_in_a_list():
    assert staging.staged([0], ["a", None], 2) == ["a", None]
    assert staging.staging_buffer(Storage(array("d")).items, 0) == []


def test_a_value_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="items of format 'b' take integers from -128 to 127, got int 200"):
        staging.staged(memoryview(array("b", [1])), [1, 200], 2)


def test_items_of_an_array_are_staged_in_one():
    dates = np.array(["2020-01-01"], "M8[D]")
    held = staging.staged(dates, [dates[0]] * 2, 2)
    assert held.dtype == dates.dtype
    assert held.tolist() == dates.tolist() * 2


# A disk without space for it.

COPIES = {
    "into a permutation": "copy(permute_dims(view, (1, 0)), view)",
    "flipped": "copy(flip(view, (0, 1)), view)",
    "of another format": "copy(bitcast(flip(view, 1), 'q'), view)",
    "through a slice": "view[:, :] = flip(view, 0)",
    "of values": "copy(scaled(view, 2.0), view)",
    "of part": "copy(view[1:], view[:-1])",
    "into tiles": "copy(view, MDView.from_mapping(numbers, Mapping((512, 512), LayoutTiled(8, 8))))",
}
ON_A_FULL_DISK = """
import sys
{load}
from array import array
from mdview import *
from mdview.engines.bulk import staging
staging.MOST_MEMORY = 1 << 16
numbers = array("d", range(512 * 512))
view, before = MDView(numbers, (512, 512)), bytes(numbers)
scaled = lambda view, factor: MDView(view.data, view.extents, accessor=ScaledAccessor(factor))
try:
    {copy}
except OSError as error:
    assert bytes(numbers) == before
    print(type(error).__name__, error)
"""
FULL = 'mount -t tmpfs -o size=1m none "$0" && TMPDIR="$0" exec "$@"'
"""Has a command keep its temporary files on a disk of 1 MiB."""


@pytest.fixture
def on_a_full_disk(tmp_path):
    """Run code where little space is left for temporary files."""
    place = ["unshare", "-Urm", "sh", "-c", FULL, str(tmp_path)]
    try:
        subprocess.run([*place, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this system mounts no file system of a given size without privileges")

    def run(code):
        return subprocess.run(
            [*place, sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
        )

    return run


@pytest.mark.parametrize("load", ["import numpy", "sys.modules['numpy'] = None"], ids=["NumPy", "Python alone"])
@pytest.mark.parametrize("code", COPIES.values(), ids=COPIES)
def test_a_full_disk_is_an_error_and_nothing_changes(code, load, on_a_full_disk):
    ran = on_a_full_disk(ON_A_FULL_DISK.format(load=load, copy=code))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("OSError [Errno 28] No space left on device: a copy keeps ")


def test_a_file_system_that_reserves_nothing_is_written_to(on_a_full_disk):
    code = ON_A_FULL_DISK.format(load="import os; del os.posix_fallocate", copy=COPIES["flipped"])
    ran = on_a_full_disk(code)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "No space left on device" in ran.stdout


@pytest.fixture
def numbers(monkeypatch):
    """Numbers, of which each copy onto themselves takes a temporary file."""
    monkeypatch.setattr(staging, "MOST_MEMORY", 0)
    return array("d", range(5000))


def test_a_refused_reservation_changes_nothing(numbers, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EDQUOT, "Disk quota exceeded")

    monkeypatch.setattr(os, "posix_fallocate", refuse, raising=False)
    view, before = MDView(numbers, (5000,)), bytes(numbers)
    with pytest.raises(OSError, match="a copy keeps 40000 bytes in ") as caught:
        copy(flip(view), view)
    assert (caught.value.errno, bytes(numbers)) == (errno.EDQUOT, before)


@pytest.mark.parametrize("number", [None, errno.EINVAL, errno.EOPNOTSUPP])
def test_where_nothing_reserves_space_zeros_are_written(number, numbers, monkeypatch):
    def refuse(*_):
        raise OSError(number, "not here")

    if number is None:
        monkeypatch.delattr(os, "posix_fallocate", raising=False)
    else:
        monkeypatch.setattr(os, "posix_fallocate", refuse, raising=False)
    monkeypatch.setattr(staging, "ZEROS", 999)
    view = MDView(numbers, (5000,))
    copy(flip(view), view)
    assert numbers.tolist() == [*range(4999, -1, -1)]


def test_more_than_a_file_can_have_is_an_error():
    with pytest.raises(OSError, match="a copy keeps 36893488147419103232 bytes"):
        staging.staging_buffer(memoryview(array("d", [1.0])), 1 << 62)
