"""The command `mdview`: ``info FILE`` says how a file's elements lie, ``certify TARGET`` checks a layout's laws.

``info``: a ``.npy`` or ``.npz`` file is known by its first bytes and described from its headers, which NumPy reads.
Any other file is raw: ``--shape`` and ``--format`` say what its bytes are. Elements are never read, and nothing that a
header claims is taken for granted: it is compared with the size of the file. Whatever a file holds, the outcome is a
description, or one line of error and exit status 2.

``certify``: see `mdview.testing`; status 0 if every target is accepted, 1 if one is rejected, 2 if one cannot be found,
after a verdict on each of the others.

Whoever reads the output may stop reading it: the command ends with the status that it would have had.
"""

from __future__ import annotations

import argparse
import stat
import struct
import sys
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from io import SEEK_END, BytesIO
from pathlib import Path
from typing import IO, Any, Final, NoReturn, TextIO

from mdview.accessors.formats import native_format
from mdview.drawing.facts import count, facts
from mdview.errors import BufferFormatError, BufferSizeError, MDViewError
from mdview.index.orders import left_strides
from mdview.layouts.base import Layout
from mdview.layouts.left import LayoutLeft
from mdview.layouts.narrowest import narrowest_layout
from mdview.layouts.right import LayoutRight
from mdview.mappings.mapping import Mapping
from mdview.views.export import import_numpy

ABOUT: Final = "Say how the elements of a .npy, .npz or raw file lie in it, without reading them."
ABOUT_CERTIFY: Final = "Check a layout or accessor under all laws; show the smallest counterexample of each broken one."
REJECTED: Final = 1
FAILURE: Final = 2
LAYOUTS: Final[dict[str, Layout]] = {"right": LayoutRight(), "left": LayoutLeft()}
NPY_MAGIC: Final = b"\x93NUMPY"
HEADER_LENGTHS: Final = {(1, 0): "<H", (2, 0): "<I", (3, 0): "<I"}
"""How each version of the .npy format writes the length of its header."""
MOST_HEADER: Final = 10_000
"""How many bytes a header has at most that NumPy reads from a file it does not trust."""
ZIP_MAGICS: Final = (b"PK\x03\x04", b"PK\x05\x06")
EXPANSIONS: Final = {zipfile.ZIP_STORED: 1, zipfile.ZIP_DEFLATED: 1032}
"""How many bytes one byte of a member becomes at most, by its compression: those that NumPy writes."""
MAPPED: Final = "yes, mapped from the file"
LOADED: Final = "no, loading makes a copy"
MOST_TEXT: Final = 300
"""How many characters of an error are shown: those of other libraries may quote a whole file."""

Described = list[tuple[str, dict[str, str]]]
"""Arrays by name, each with its facts."""


class FileError(Exception):
    """A file cannot be described; the message says why."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, 1 for what is rejected, or 2 after one line on standard error.

    Parameters
    ----------
    argv
        The arguments; those of the process if None.

    Raises
    ------
    SystemExit
        The arguments themselves are wrong (status 2), or ask for help (status 0); or the output cannot be written (2).
    """
    options = _options(argv)
    status: int = options.run(options)
    _write("", sys.stdout)  # and what modules printed that a command has imported
    return status


def _info(options: argparse.Namespace) -> int:
    try:
        described = describe(options)
    except (FileError, MDViewError, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        _print(f"mdview: error: {_visible(str(options.file))}: {_one_line(reason)}", sys.stderr)
        return FAILURE
    for name, about in described:
        _print("\n".join([_visible(name), *[f"  {fact + ':':<12} {text}" for fact, text in about.items()]]), sys.stdout)
    return 0


def _certify(options: argparse.Namespace) -> int:
    from mdview.testing.target import certify  # noqa: PLC0415 - loads all operations, for this command only

    try:
        verdicts, missing = certify(options.targets, options.extents or ())
    except MDViewError as error:
        _print(f"mdview: error: {_one_line(str(error))}", sys.stderr)
        return FAILURE
    if verdicts:
        _print("\n\n".join(map(str, verdicts)), sys.stdout)
    for reason in missing:
        _print(f"mdview: error: {_one_line(str(reason))}", sys.stderr)
    if missing:
        return FAILURE
    return 0 if all(verdict.is_accepted for verdict in verdicts) else REJECTED


def describe(options: argparse.Namespace) -> Described:
    """Describe every array that the file of ``options`` holds.

    Raises
    ------
    FileError, MDViewError, OSError
        The file cannot be read as what it is, or is said to be.
    """
    path: Path = options.file
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise FileError("is a directory" if stat.S_ISDIR(status.st_mode) else "is no regular file")
    with path.open("rb") as file:
        if options.shape is not None:
            return [(str(path), _raw_facts(status.st_size, options))]
        start = file.read(len(NPY_MAGIC))
        file.seek(0)
        if start == NPY_MAGIC:
            return [(str(path), _npy_facts(file, status.st_size, MAPPED))]
        if start.startswith(ZIP_MAGICS):
            return _npz_facts(file, str(path))
    what = "begins like no .npy or .npz file" if start else "is empty"
    raise FileError(f"{what}; to view raw bytes, give --shape and --format")


# Raw files.


def _raw_facts(size: int, options: argparse.Namespace) -> dict[str, str]:
    layout = LAYOUTS[options.layout or "right"]
    item_format, offset, mapping = options.format, options.offset or 0, Mapping(options.shape, layout)
    itemsize = _itemsize(item_format)
    needed = mapping.required_span_size * itemsize
    if offset + needed > size:
        message = (
            f"{mapping!r} of {item_format!r} needs {count(needed, 'byte')} from byte {offset} on, the file has {size}; "
            f"give a smaller shape or offset"
        )
        raise BufferSizeError(message)
    return {**facts(mapping, item_format, itemsize), "read-only": MAPPED}


def _itemsize(item_format: str) -> int:
    """Bytes of one element; a complex number is two real ones."""
    return struct.calcsize(item_format.replace("Zf", "ff").replace("Zd", "dd"))


# NumPy's files, described from their headers.


def _npz_facts(file: IO[bytes], path: str) -> Described:
    described: Described = []
    size = file.seek(0, SEEK_END)
    with _reading("archive"), zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            name = f"{path}[{member.filename.removesuffix('.npy')}]"
            if not member.filename.endswith(".npy"):
                described.append((f"{name}: no array", {}))
                continue
            try:
                most = _most_bytes(member, size)
                with archive.open(member) as opened:
                    described.append((name, _npy_facts(opened, most, LOADED)))
            except (FileError, MDViewError) as error:
                raise FileError(f"member {member.filename!r} {error}") from None
    if not any(about for _, about in described):
        raise FileError("is an archive without arrays")
    return described


def _most_bytes(member: zipfile.ZipInfo, size: int) -> int:
    """Bytes that a member has at most in an archive of ``size`` bytes, whatever it says itself."""
    if member.compress_type not in EXPANSIONS:
        raise FileError("is compressed as NumPy compresses nothing; write the archive with numpy.savez_compressed")
    there = min(member.compress_size, size - member.header_offset)
    return min(member.file_size, there * EXPANSIONS[member.compress_type])


def _npy_facts(file: IO[bytes], size: int, readonly: str) -> dict[str, str]:
    """Facts from the header of an array that takes up ``size`` bytes with it."""
    numpy = import_numpy()
    with _reading("header"):
        shape, is_fortran, dtype = _header(file, numpy.lib.format)
        begin = file.tell()
        item_format = _format_of(dtype, numpy)
        layout = narrowest_layout(shape, left_strides(shape))[0] if is_fortran else LayoutRight()
        mapping = Mapping(shape, layout)
    if dtype.hasobject:
        raise FileError("holds pickled Python objects, which no view can look at")
    needed = mapping.size * dtype.itemsize
    if needed > size - begin:
        message = f"is truncated: its elements take {count(needed, 'byte')}, {size - begin} follow the header"
        raise FileError(message)
    return {**facts(mapping, item_format, dtype.itemsize), "read-only": readonly}


def _header(file: IO[bytes], npy: Any) -> tuple[tuple[int, ...], bool, Any]:
    """Shape, Fortran order and dtype, by ``numpy.lib.format``. Any: NumPy is not imported here."""
    version = npy.read_magic(file)
    if version not in HEADER_LENGTHS:
        raise FileError(f"has version {version[0]}.{version[1]} of the .npy format; 1.0 to 3.0 are known")
    start = file.read(struct.calcsize(HEADER_LENGTHS[version]))
    (length,) = struct.unpack(HEADER_LENGTHS[version], start)
    if length > MOST_HEADER:
        raise FileError(
            f"has a header of {length} bytes; {MOST_HEADER} at most are read of a file that may be anyone's"
        )
    # Version 3.0 is 2.0 whose names of fields are UTF-8, and those are not shown.
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    header: tuple[tuple[int, ...], bool, Any] = read(BytesIO(start + file.read(length)))
    return header


def _format_of(dtype: Any, numpy: Any) -> str:
    """Element format as a view has it: in the notation of `struct`, else NumPy's (records, strings, dates)."""
    text: str = dtype.str
    if dtype.kind not in "biufc":  # the format of a record names each byte between its fields
        return text
    try:
        return native_format(memoryview(numpy.empty(0, dtype)).format, dtype.itemsize)
    except (BufferFormatError, ValueError):
        return text


@contextmanager
def _reading(what: str) -> Iterator[None]:
    """Say in one error whatever other libraries raise over the bytes of a file; their warnings are dropped."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (FileError, MDViewError, OSError):
        raise
    except Exception as error:  # noqa: BLE001 - bytes from anywhere may break their reader in any way
        raise FileError(f"its {what} cannot be read: {str(error) or type(error).__name__}") from None


# Arguments and text.


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and which prints as the commands do."""

    def error(self, message: str) -> NoReturn:
        self.exit(FAILURE, f"mdview: error: {_one_line(message)}\n")

    def _print_message(self, message: str, file: Any = None) -> None:  # Any: a stream that texts are written to
        _write(message, file)


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = _Parser(prog="mdview", description="Multidimensional views of memory: std::mdspan for Python.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    info = commands.add_parser("info", help="say how the elements of a file lie", description=ABOUT)
    info.add_argument("file", type=Path, metavar="FILE", help=".npy, .npz, or raw bytes")
    raw = info.add_argument_group("raw bytes")
    raw.add_argument("--shape", type=_shape, metavar="N,M", help="extents; '' for a single element")
    raw.add_argument("--format", type=_item_format, metavar="LETTER", help="element format of struct: d, >i, Zd, ...")
    raw.add_argument("--offset", type=_offset, metavar="BYTES", help="where the elements begin; 0 by default")
    raw.add_argument("--layout", choices=sorted(LAYOUTS), help="last (right, the default) or first index fastest")
    info.set_defaults(run=_info)
    certify = commands.add_parser("certify", help="check the laws of a layout or accessor", description=ABOUT_CERTIFY)
    certify.add_argument("targets", nargs="+", metavar="MODULE:LAYOUT", help="a class, or an expression that makes one")
    certify.add_argument("--extents", type=_shape, action="append", metavar="N,M", help="try these; small ones if none")
    certify.set_defaults(run=_certify)
    options = parser.parse_args(argv)
    if options.run is _certify:
        return options
    given = [options.shape, options.format, options.offset, options.layout]
    if None in given[:2] and any(option is not None for option in given):
        parser.error("raw bytes need both --shape and --format")
    return options


def _shape(text: str) -> tuple[int, ...]:
    try:
        return tuple([int(part) for part in text.removesuffix(",").split(",")]) if text.strip() else ()
    except ValueError:
        message = f"a shape is integers with commas between them, 3,4, got {text!r}"
        raise argparse.ArgumentTypeError(message) from None


def _offset(text: str) -> int:
    try:
        if text.isdecimal():
            return int(text)
    except ValueError:  # more digits than Python reads
        pass
    message = f"an offset is a number of bytes, 0 or more, got {text!r}"
    raise argparse.ArgumentTypeError(message)


def _item_format(text: str) -> str:
    try:
        return native_format(text, _itemsize(text))
    except (struct.error, ValueError):
        message = (
            f"a format is one letter of struct, or Zf or Zd (complex), after an order (<, >) if need be, got {text!r}"
        )
        raise argparse.ArgumentTypeError(message) from None


def _print(text: str, stream: TextIO | None) -> None:
    """Write a line, or several."""
    _write(f"{text}\n", stream)


def _write(text: str, stream: TextIO | None) -> None:
    """Write at once; what the stream's encoding lacks is escaped, and a stream that nobody reads any more is closed.

    Raises
    ------
    SystemExit
        The output cannot be written for another reason; a line of error says so.
    """
    if stream is None or stream.closed:
        return
    encoding = stream.encoding or "utf-8"
    try:
        if text:
            stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except OSError as error:
        with suppress(OSError):
            stream.close()
        if stream is sys.stdout and not isinstance(error, BrokenPipeError):
            _print(f"mdview: error: the output cannot be written: {error.strerror}", sys.stderr)
            raise SystemExit(FAILURE) from None


def _one_line(text: str) -> str:
    """Return a text of any origin as one bounded line."""
    line = _visible(" ".join(text.split()))
    return line if len(line) <= MOST_TEXT else f"{line[: MOST_TEXT - 1]}…"


def _visible(text: str) -> str:
    """Return a text with what is not printable escaped: line ends, controls, undecodable bytes of a name."""
    return "".join([c if c.isprintable() else c.encode("unicode_escape").decode() for c in text])
