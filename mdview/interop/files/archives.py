"""Archives: where in an ``.npz`` file the bytes of a member lie, if they are stored as they are."""

from __future__ import annotations

import struct
from typing import IO, TYPE_CHECKING, Final

from mdview.base.texts import shown, told
from mdview.errors import FileFormatError
from mdview.interop.files.headers import reading

if TYPE_CHECKING:
    import zipfile

MAGICS: Final = (b"PK\x03\x04", b"PK\x05\x06")
SUFFIX: Final = ".npy"
LOCAL_HEADER: Final = struct.Struct("<4s22xHH")
"""What is before a member: a magic number, and after other things how long a name and a field of extras are."""
IS_ENCRYPTED: Final = 1
MOST_NAMES: Final = 5
"""How many names of members an error has."""


def stored_range(file: IO[bytes], size: int, member: str | None) -> tuple[int, int]:
    """Return at which byte of an archive a member begins, and at which one it ends.

    Parameters
    ----------
    file
        The archive, which has ``size`` bytes.
    member
        Its name, with or without ``.npy``; None for the only array that there is.

    Raises
    ------
    FileFormatError
        There is no such member, it is compressed or encrypted, or it does not lie where the archive says.
    """
    import zipfile  # noqa: PLC0415 - for archives only

    with reading("archive"), zipfile.ZipFile(file) as archive:
        found = _chosen(archive, member)
        if found.flag_bits & IS_ENCRYPTED:
            message = f"has the member {found.filename!r} encrypted; unpack it first"
            raise FileFormatError(message)
        if found.compress_type != zipfile.ZIP_STORED:
            message = (
                f"has the member {found.filename!r} compressed, and what is compressed cannot be mapped; write it with "
                f"numpy.savez, or load it: asview(numpy.load(path)[{found.filename.removesuffix(SUFFIX)!r}])"
            )
            raise FileFormatError(message)
        file.seek(found.header_offset)
        magic, name, extra = LOCAL_HEADER.unpack(file.read(LOCAL_HEADER.size))
        begin = found.header_offset + LOCAL_HEADER.size + name + extra
        stop = begin + found.file_size
        if (
            magic != MAGICS[0]
            or found.file_size != found.compress_size
            or not begin <= stop <= archive.start_dir <= size
        ):
            message = f"is damaged: the member {found.filename!r} does not lie in bytes {begin} to {stop} of {size}"
            raise FileFormatError(message)
        return begin, stop


def _chosen(archive: zipfile.ZipFile, member: str | None) -> zipfile.ZipInfo:
    """Return the member of a name, or the only array."""
    names = archive.namelist()
    arrays = [name for name in names if name.endswith(SUFFIX)]
    if member is None and len(arrays) == 1:
        return archive.getinfo(arrays[0])
    for name in () if member is None else (f"{member}{SUFFIX}", member):
        if name in arrays:
            return archive.getinfo(name)
    known = ", ".join([shown(name.removesuffix(SUFFIX), repr) for name in arrays[:MOST_NAMES]]) or "none"
    more = f" and {len(arrays) - MOST_NAMES} more" if len(arrays) > MOST_NAMES else ""
    what = f"has {len(arrays)} arrays; name one: member=" if member is None else f"has no array {told(member)}"
    message = f"{what}; its arrays are {known}{more}"
    raise FileFormatError(message)
