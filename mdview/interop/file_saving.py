"""File saving (`save`) and conversion to another layout (`relayout_file`), part by part in little memory."""

from __future__ import annotations

import mmap
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, BinaryIO, Final, TypeAlias, cast

from mdview.base import answer_calls, as_integer, as_text, import_numpy
from mdview.engines.bulk.progress import Progress, part_counter
from mdview.errors import ExtentsError, FileFormatError, LayoutError, WritingError
from mdview.index.extents import size_of
from mdview.interop.atomic_replace import replace_file, reserve
from mdview.interop.file_opening import Path, file_name, open_view
from mdview.interop.npy_headers import allocated, header_for, mapped_view, of_storage
from mdview.layouts.layout import Layout, unless_undecided
from mdview.mappings.mapping import AnyMapping, Mapping
from mdview.mappings.mapping_manipulation import kept_layout
from mdview.mappings.predicates import bounds
from mdview.mappings.slicing import select
from mdview.memory.data_types import DType, DTypeLike, read_dtype
from mdview.memory.exporters import Map
from mdview.operations.copy_fill_reduce import copy
from mdview.operations.creation import check_elements
from mdview.views.derived_views import AnyView, Box, part_at, ranges
from mdview.views.typing_protocols import AnySource
from mdview.views.view_base import ViewBase, check_view, placed_parts_of, storage_of

AT_ONCE: Final = 1 << 26
"""Bytes of a file that are written at once, before the system gets back their memory."""
_OTHER_FORMATS: Final = {
    ".npz": "take a name that ends in .npy, or numpy.savez(path, view)",
    ".zarr": "write to_zarr(view, path)",
    **dict.fromkeys((".h5", ".hdf5"), "write it with h5py, file['name'] = numpy.asarray(view)"),
    **dict.fromkeys((".tif", ".tiff"), "write it with tifffile, imwrite(path, numpy.asarray(view))"),
    ".parquet": "write it with pyarrow",
}
"""The hint for a file in another format, by the ending of its name."""
Fill: TypeAlias = Callable[[AnyView], None]
"""A function that stores to all elements of a new view."""


@answer_calls
def save(
    view: AnySource,
    path: Path,
    layout: Layout | str | None = None,
    dtype: DTypeLike | None = None,
    *,
    progress: Progress = False,
) -> None:
    """Write the elements of a view to a file, in any layout.

    The new file gets its name when it is complete and stored on the disk: until then, and after an error or a crash,
    the path leads to the old file, if there was one. A view of a replaced file keeps the old elements.

    Parameters
    ----------
    view
        Any view. The file gets the values that the view loads, also for padding.
    path
        The path of the new file. If the name ends in ``.npy`` or ``.NPY``, the file has a header, from which
        `open_view` makes the view again. NumPy reads such a file: in layout right or left as an array of the same
        shape, in any other layout as an array of one dimension with all elements that the layout allocates. A file with
        another name contains only the elements.
    layout
        The layout of the file, or its text, ``"tiled(64, 64)"``. By default the layout of the view, without the gaps of
        a part, or C order for a part of a view that is not strided.
    dtype
        The type of the items, see `open_view`; by default that of the view.
    progress
        As for `copy`: True for a bar, or a callable that gets the numbers of copied elements and of all elements.

    Raises
    ------
    OperandError, NullViewError, HaloError
        ``view`` is not a view, has no data, or has padding without values.
    LayoutError, RankError, NotationError
        The layout does not fit the extents, stores different elements at one offset, or has no text for a header.
    BufferFormatError, ElementError, ElementTypeError
        The elements are objects, or the format cannot hold an element.
    FileFormatError
        The name has the ending of another format, or the header would be too long.
    WritingError, OSError
        The file may not be written, or the disk is full.

    >>> from tempfile import TemporaryDirectory
    >>> from mdview import MDView, open_view
    >>> with TemporaryDirectory() as folder:
    ...     save(MDView(bytearray(range(12)), (3, 4)).T, f"{folder}/bytes.raw", "right")
    ...     open_view(f"{folder}/bytes.raw", "right (4, 3)", "B")[1].tolist()
    [1, 5, 9]
    """
    check_view(view, "what is saved")
    source = cast("AnyView", view)
    storage = storage_of(source)
    mapping = Mapping(source.extents, kept_layout(source.mapping) if layout is None else layout)
    items = of_storage(storage) if dtype is None else read_dtype(dtype)

    def fill(new: AnyView) -> None:
        with part_counter(progress, source.size) as done:
            # Two values for one element may come from two parts, so a layout that is not unique is copied at once.
            copy_parts(source, new, AT_ONCE if unless_undecided(lambda: mapping.is_unique) else sys.maxsize, done)
            check_elements(source, new)

    replace_elements(path, mapping, items, fill)


def replace_elements(path: Path, mapping: AnyMapping, items: DType, fill: Fill) -> None:
    """Call ``fill`` with a view of the items of a new file, which then replaces the file at ``path``.

    Raises
    ------
    FileFormatError
        The name has the ending of another format, or the header would be too long.
    WritingError, OSError
        See `replace_file`.
    """
    name = file_name(path)
    ending = os.path.splitext(name)[1].lower()  # noqa: PTH122 - the path is a string
    if ending in _OTHER_FORMATS:
        raise FileFormatError(
            f"{name!r} would hold bytes alone, and {ending} names another format: {_OTHER_FORMATS[ending]}"
        )
    header = header_for(mapping, items) if ending == ".npy" else b""
    replace_file(name, lambda file: fill_items(file, name, mapping, items, fill, before=header))


def fill_items(  # noqa: PLR0913 - the description of a file takes three arguments
    file: BinaryIO, name: str, mapping: AnyMapping, items: DType, fill: Fill, *, before: bytes = b"", after: bytes = b""
) -> None:
    """Call ``fill`` with a view of the items of a new file, between other bytes; reserve disk space for all bytes."""
    stop = len(before) + items.nbytes(allocated(mapping))
    reserve(file, stop + len(after))
    for begin, part in ((0, before), (stop, after)):
        file.seek(begin)
        file.write(part)
    file.flush()
    view = mapped_view(file, name, mapping, items, len(before), stores=True)
    region = storage_of(view).source
    try:
        fill(view)
        if region.nbytes:
            region.obj.flush()
    finally:
        view.release()
        with suppress(BufferError):  # views of parts still exist
            region.release()  # a system may refuse to rename a mapped file


MEMORY: Final = 1 << 27
"""The default of ``max_memory`` in `relayout_file`."""
LEAST_MEMORY: Final = 1 << 20


@answer_calls
def relayout_file(  # noqa: PLR0913 - the description of a file takes three arguments
    source: Path,
    target: Path,
    layout: Layout | str,
    mapping: AnyMapping | str | None = None,
    dtype: DTypeLike | None = None,
    *,
    offset: int = 0,
    max_memory: int = MEMORY,
    progress: Progress = False,
    layouts: Iterable[type[Layout]] = (),
) -> None:
    """Write the elements of a file to another file under another layout.

    The new file gets its name when it is complete and stored on the disk, see `mdview.interop.atomic_replace`:
    until then, and after an error or a crash, the target is unchanged. An interrupted conversion begins again from the
    start. ``target`` may be ``source``.

    Parameters
    ----------
    source
        The path of a ``.npy`` file, or of a file of raw bytes.
    target
        The path of the new file. If the name ends in ``.npy``, the file has a header, see `save`; else it contains
        only the elements.
    layout
        A layout for the extents of the source, or its text, ``"tiled(64, 64)"``.
    mapping, dtype, offset
        The mapping, the type and the first byte of the elements of the source, as for `open_view`.
    max_memory
        The most bytes of the files in memory at a time, at least 1 MiB. Python, NumPy and tables need more memory.
    progress
        As for `copy`: True for a bar, or a callable that gets the numbers of copied elements and of all elements.
    layouts
        Your own classes of layouts that the header of the source may name, see `open_view`.

    Raises
    ------
    WritingError
        The source has changed meanwhile, or the target is not a regular file. Nothing is replaced.
    FileFormatError, BufferFormatError, BufferSizeError
        The source does not have the expected format, or is too short; or the target has the ending of another format.
    LayoutError, RankError
        The layout does not fit the extents, or may store several elements at one offset.
    MissingExtraError
        NumPy is not installed.
    OSError
        A file cannot be read, or the disk is full.

    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> with TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/rows.npy", np.arange(16).reshape(4, 4))
    ...     relayout_file(f"{folder}/rows.npy", f"{folder}/tiles.npy", "tiled(2, 2)")
    ...     np.load(f"{folder}/tiles.npy").tolist()
    [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15]
    """
    memory = as_integer(max_memory, "max_memory")
    if memory < LEAST_MEMORY:
        raise ExtentsError(f"max_memory is {LEAST_MEMORY} bytes at least, got {as_text(memory)}")
    name, target = file_name(source), file_name(target)
    import_numpy()
    before = os.stat(name)  # noqa: PTH116 - the path is a string
    with open_view(name, mapping, dtype, offset=offset, layouts=layouts) as view:
        relaid = Mapping(view.extents, layout)
        if not unless_undecided(lambda: relaid.is_unique):
            raise LayoutError(
                f"{relaid!r} may store several elements in one place, where all but the last would be lost; "
                "save(open_view(source), target, layout) compares them"
            )
        items = of_storage(storage_of(view))

        def fill(new: AnyView) -> None:
            with part_counter(progress, relaid.size) as tell:

                def done(count: int) -> None:
                    tell(count)
                    after = os.stat(name)  # noqa: PTH116 - the path is a string
                    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
                        raise WritingError(f"{name!r} has changed while it was read; nothing is replaced")

                copy_parts(view, new, memory // 2, done)
                done(0)

        replace_elements(target, relaid, items, fill)


PAGE: Final = 1 << 15
"""Bytes that are read around a run of elements, since the system reads neighbouring pages, too."""


def copy_parts(source: AnyView, target: AnyView, most: int, done: Callable[[int], None]) -> None:
    """Copy the elements of a view to another view in parts; a part touches at most ``most`` bytes of each view."""
    size = -(-storage_of(target).bits // 8)
    for box in parts_of_space([source.mapping, target.mapping], size, most):
        copy(part_at(source, box), part_at(target, box))
        give_back(source, target)
        done(size_of([z - a for a, z in box]))


def give_back(*views: ViewBase) -> None:
    """Give the memory of mapped files back to the system; the pages stay in its cache, and no store is lost."""
    for view in views:
        storage = placed_parts_of(view)[0]
        region: Any = getattr(storage and storage.source, "obj", None)
        if isinstance(region, Map) and hasattr(mmap, "MADV_DONTNEED"):
            with suppress(OSError, ValueError):
                region.madvise(mmap.MADV_DONTNEED)


def parts_of_space(mappings: Sequence[AnyMapping], size: int, most: int) -> Iterator[Box]:
    """Cut the index space of mappings into boxes; a box touches at most ``most`` bytes under each mapping.

    Elements have ``size`` bytes; a box of one element may touch more than ``most`` bytes. For mappings in C order, the
    boxes follow each other in memory.

    >>> from mdview.mappings.mapping import Mapping
    >>> list(parts_of_space([Mapping((4, 3))], 10_000, 100_000))
    [((0, 2), (0, 3)), ((2, 4), (0, 3))]
    """
    extents = tuple(map(int, mappings[0].extents))
    tilings = [mapping.layout.tiling() for mapping in mappings]
    units = next((tiling.sizes for tiling in tilings if tiling is not None), (1,) * len(extents))

    def touched(box: Box) -> list[int]:
        return [_touched(box, mapping, size) for mapping in mappings]

    waiting: list[Box] = [tuple([(0, e) for e in extents])] if size_of(extents) else []
    while waiting:
        box = waiting.pop()
        cuts = [_halves(box, r, units[r]) for r, (a, z) in enumerate(box) if z - a > 1]
        if cuts and max(touched(box)) > most:
            sums = [sum(touched(lower)) for _, lower in cuts]
            waiting += cuts[sums.index(min(sums))]
        else:
            yield box


def _halves(box: Box, r: int, unit: int) -> tuple[Box, Box]:
    """Cut a box along dimension ``r``, and return the upper half first.

    The length of the lower half is a power of two. If it exceeds ``unit``, it is reduced to cut at a multiple of it.
    """
    a, z = box[r]
    low = 1 << ((z - a - 1).bit_length() - 1)
    low -= (a + low) % unit if low > unit else 0
    return (*box[:r], (a + low, z), *box[r + 1 :]), (*box[:r], (a, a + low), *box[r + 1 :])


def _touched(box: Box, mapping: AnyMapping, size: int) -> int:
    """Return an upper bound of the bytes that a box touches in a file: runs of elements, with `PAGE` bytes for each."""
    part, _ = select(mapping, ranges(box))
    strides = part.found_strides()
    length, runs = 1, 1
    if strides is None:
        low, high = unless_undecided(lambda: bounds(part) or (0, 0)) or (0, part.required_span_size)
        length += high - low
    else:
        for step, count in sorted(zip(map(abs, strides), part.extents, strict=True)):
            if (step - length) * size > PAGE:
                runs *= count
            else:
                length += (count - 1) * step
    return int(min(runs * (length * size + PAGE), part.size * (size + PAGE)))
