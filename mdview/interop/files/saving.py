"""Files are written in any layout, from a view or another file, and take the place of old ones at once or not at all.

`save` writes the elements of a view. `relayout_file` writes those of a file again, in little memory whatever its size.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import Final, TypeAlias

from mdview.accessors.policies import DefaultAccessor, ReadOnlyAccessor
from mdview.base.integers import as_integer
from mdview.base.texts import shown
from mdview.base.values import replace
from mdview.engines.bulk.progress import Progress, counted
from mdview.errors import ExtentsError, FileFormatError, LayoutError, WritingError
from mdview.interop.files.headers import ItemFormat, allocated, header_for, of_storage, read_format
from mdview.interop.files.opening import (
    Contents,
    Path,
    contents_of,
    file_name,
    naming,
    opened,
    request_of,
    view_over,
)
from mdview.interop.files.parts import AnyView, copy_parts, parts_of_space
from mdview.interop.files.replacing import replacing, reserve
from mdview.layouts.base import Layout, check_layout_kind, unless_undecided
from mdview.layouts.strided import LayoutRight
from mdview.mappings.dense import dense_like
from mdview.mappings.language import reading
from mdview.mappings.language.reading import layout as read_layout
from mdview.mappings.mapping import AnyMapping, Mapping
from mdview.memory.maps import mapped_bytes
from mdview.operations.creation import check_elements, copy_elements
from mdview.views.base import check_view, parts_of
from mdview.views.export import import_numpy

AT_ONCE: Final = 1 << 26
"""Bytes of a file that are written at once; the memory that they take is given back before the next ones."""


def save(
    view: AnyView,
    path: Path,
    layout: Layout | str | None = None,
    item_format: str | None = None,
    *,
    progress: Progress = False,
) -> None:
    """Write the elements of a view to a file, in any layout.

    The new file gets its name when it is complete and stored on the disk: until then, and after an error or a crash,
    the path leads to what was there. A view of the file that is replaced keeps the old elements.

    Parameters
    ----------
    view
        Any view. What its accessor computes is written as it reads, padding as what it reads as.
    path
        Where the file goes. A name that ends in ``.npy`` gets a header, from which `open_view` makes the view again;
        NumPy reads it as an array, in layout right and left as that of the view, else as one of one dimension with all
        that the layout allocates. Under any other name the file is the elements alone.
    layout
        Where they shall lie, as a layout or the text of one, ``"tiled(64, 64)"``. By default that of the view; of a
        part without gaps, and C order where the view is a part of what is not strided.
    item_format
        Of the items, see `open_view`; that of the view by default.
    progress
        As for `copy`: True for a bar, or a callable that gets the elements done and all elements.

    Raises
    ------
    OperandError, NullViewError, HaloError
        Not a view, or one that has no data, or that has padding without values.
    LayoutError, RankError, NotationError
        The layout does not go with the extents, has one place for elements that differ, or has no text for a header.
    BufferFormatError, ElementError, ElementTypeError
        The elements are objects, or the format cannot hold one of them.
    FileFormatError
        The name is that of an archive, or the header would be too long.
    WritingError, OSError
        Another process writes the file, or it may not be written, or the disk is full.

    >>> from tempfile import TemporaryDirectory
    >>> from mdview import MDView, open_view
    >>> with TemporaryDirectory() as folder:
    ...     save(MDView(bytearray(range(12)), (3, 4)).T, f"{folder}/bytes.raw", "right")
    ...     open_view(f"{folder}/bytes.raw", "right (4, 3)", "B")[1].tolist()
    [1, 5, 9]
    """
    check_view(view, "what is saved")
    storage = parts_of(view).checked_storage()
    mapping = Mapping(view.extents, _layout(view.mapping, layout))
    items = of_storage(storage) if item_format is None else read_format(item_format)
    with written(file_name(path), mapping, items) as (contents, region), counted(progress, view.size) as done:
        made = view_over(region, contents, DefaultAccessor())
        parts = parts_of_space([mapping], items.size, AT_ONCE)
        copy_parts(view, made, parts, [region], done, copy_elements)
        check_elements(view, made)
        made.release()


@contextmanager
def written(name: str, mapping: AnyMapping, items: ItemFormat) -> Iterator[tuple[Contents, memoryview]]:
    """Give what a new file has behind its header, and its bytes, for which there is room on the disk.

    Raises
    ------
    FileFormatError
        The name is that of an archive, or the header would be too long.
    WritingError, OSError
        See `replacing`.
    """
    if name.endswith(".npz"):
        raise FileFormatError(f"{name!r} would be an archive, which is not written; take a name that ends in .npy")
    header = header_for(mapping, items) if name.endswith(".npy") else b""
    contents = Contents(mapping, items, len(header), len(header) + allocated(mapping) * items.size)
    with replacing(name) as file:
        reserve(file, contents.stop)
        file.seek(0)
        file.write(header)
        file.flush()
        region = mapped_bytes(file.fileno(), name, contents.begin, contents.stop, readonly=False)
        yield contents, region
        if region:
            region.obj.flush()  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue] - of a map
            region.release()  # a system may refuse to rename what is mapped


def _layout(mapping: AnyMapping, given: object) -> Layout:
    """Return the layout that is asked for, or that of a mapping if it has no gaps that only slicing makes."""
    if isinstance(given, str):
        return read_layout(given)
    if given is not None:
        return given  # type: ignore[return-value]  # pyright: ignore[reportReturnType] - a mapping refuses others
    if mapping.found_strides() is not None:
        return dense_like(mapping).layout
    layout = mapping.layout
    return layout if layout.composition(mapping.extents).base is layout else LayoutRight()


Side: TypeAlias = tuple[memoryview, Contents]
MEMORY: Final = 1 << 27
"""Bytes of files in memory at a time, unless other ones are asked for."""
LEAST_MEMORY: Final = 1 << 20


def relayout_file(  # noqa: PLR0913 - what a file is takes three words
    source: Path,
    target: Path,
    layout: Layout | str,
    mapping: AnyMapping | str | None = None,
    item_format: str | None = None,
    *,
    member: str | None = None,
    offset: int = 0,
    max_memory: int = MEMORY,
    progress: Progress = False,
    check: bool = False,
    layouts: Iterable[type[Layout]] = (),
) -> None:
    """Write the elements of a file to another file under another layout.

    The new file gets its name when it is complete and stored on the disk, see `mdview.interop.files.replacing`: until
    then, and after an error or a crash, the target is what it was. A run that was stopped is run again from the start.
    ``target`` may be ``source``.

    Parameters
    ----------
    source
        What `open_view` takes: a ``.npy`` file, the ``member`` of an archive that is stored plain, or raw bytes, of
        which ``mapping``, ``item_format`` and ``offset`` tell what they are.
    target
        Where the new file goes. A name that ends in ``.npy`` gets a header, see `save`, any other one bytes alone.
    layout
        A layout for the extents of the source, or the text of one: ``"tiled(64, 64)"``.
    max_memory
        How many bytes of the files are in memory at a time, 1 MiB at least; Python, NumPy and tables come in addition.
    progress
        As for `copy`: True for a bar, or a callable that gets the elements done and all elements.
    check
        Whether both files are read again, before the new one gets its name, and the checksums of their elements in
        index order compared.
    layouts
        The classes of your own that the header of the source may name, see `open_view`.

    Raises
    ------
    WritingError
        The source has changed meanwhile, or the new file does not have its elements; another process writes the target;
        or it is no plain file. Nothing is replaced.
    FileFormatError, BufferFormatError, BufferSizeError
        The source is not what it is said to be, or too short; or the target would be an archive.
    LayoutError, RankError
        The layout does not fit the extents, or stores several elements in one place: that needs ``check``.
    MissingExtraError
        NumPy is not installed.
    OSError
        A file cannot be read, or the disk is full.

    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> with TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/rows.npy", np.arange(16).reshape(4, 4))
    ...     relayout_file(f"{folder}/rows.npy", f"{folder}/tiles.npy", "tiled(2, 2)", check=True)
    ...     np.load(f"{folder}/tiles.npy").tolist()
    [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15]
    """
    memory = as_integer(max_memory, "max_memory")
    if memory < LEAST_MEMORY:
        raise ExtentsError(f"max_memory is {LEAST_MEMORY} bytes at least, got {shown(memory)}")
    import_numpy()
    name, into = file_name(source), file_name(target)
    request = request_of(mapping, item_format, member, offset, layouts, stores=False)
    with opened(name, stores=False) as descriptor:
        before = os.fstat(descriptor)
        with naming(name):
            found = contents_of(descriptor, request)
        made = _mapping(found.mapping, layout, check=check)
        region = mapped_bytes(descriptor, name, found.begin, found.stop, readonly=True)
        with (
            written(into, made, found.items) as (contents, space),
            counted(progress, made.size * (1 + 2 * check)) as tell,
        ):

            def done(count: int) -> None:
                tell(count)
                _refuse_changes(before, os.fstat(descriptor), name)

            if found.items.size:  # texts may be empty
                _move((region, found), (space, contents), memory // 2, done, check=check)
            done(0)


def _mapping(source: AnyMapping, given: Layout | str, *, check: bool) -> AnyMapping:
    """Return what the new file has; refuse to store several elements in one place, unless they are compared."""
    layout = reading.layout(given) if isinstance(given, str) else given
    check_layout_kind("a file is written under", layout)
    mapping = Mapping(source.extents, layout)
    if check or unless_undecided(lambda: mapping.is_unique):
        return mapping
    raise LayoutError(
        f"{mapping!r} may store several elements in one place, where all but the last would be lost; with check they "
        "are compared"
    )


def _move(source: Side, target: Side, most: int, done: Callable[[int], None], *, check: bool) -> None:
    """Copy all elements, and compare them where that is asked for; of each side at most so many bytes are in memory."""
    read, stored, regions = _bytes(*source), _bytes(*target), [source[0], target[0]]
    copy_parts(read, stored, parts_of_space([read.mapping, stored.mapping], read.itemsize, most), regions, done)
    if check:
        first, second = [_checksum(view, most // 2, regions, done) for view in (read, stored)]
        if first != second:
            raise WritingError(
                f"the new file has other elements than the source (SHA-256 {second}, {first}); nothing is replaced"
            )


def _bytes(region: memoryview, contents: Contents) -> AnyView:
    """Return a view of the bytes of elements, which are moved whatever they mean."""
    size = contents.items.size
    items = read_format(f"u{size}" if size in {1, 2, 4, 8} else f"V{size}")
    return view_over(
        region, replace(contents, items=items), ReadOnlyAccessor() if region.readonly else DefaultAccessor()
    )


def _refuse_changes(before: os.stat_result, after: os.stat_result, name: str) -> None:
    """Refuse a source that another process has changed meanwhile."""
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise WritingError(f"{name!r} has changed while it was read; nothing is replaced")


def _checksum(view: AnyView, most: int, regions: Sequence[memoryview], done: Callable[[int], None]) -> str:
    """Return the checksum of all elements in index order, which is the same for all layouts."""
    digest = sha256(usedforsecurity=False)

    def read(part: AnyView, _: object) -> None:
        digest.update(part.tobytes())

    copy_parts(view, view, parts_of_space([Mapping(view.extents)], view.itemsize, most), regions, done, read)
    return digest.hexdigest()
