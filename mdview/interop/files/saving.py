"""A view is saved to a file of any layout, which takes the place of an old one at once or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

from mdview.accessors.base import Accessor
from mdview.accessors.default import DefaultAccessor
from mdview.accessors.places import mapped_bytes
from mdview.engines.bulk.progress import Progress, counted
from mdview.errors import FileFormatError
from mdview.index.extents import size_of
from mdview.interop.files.headers import allocated, header_for
from mdview.interop.files.item_formats import of_storage, read_format
from mdview.interop.files.opening import Contents, Path, file_name, view_over
from mdview.interop.files.replacing import replacing, reserve
from mdview.layouts.base import Layout
from mdview.layouts.right import LayoutRight
from mdview.mappings.dense import dense_like
from mdview.mappings.facts import AnyMapping
from mdview.mappings.language.reading import layout as read_layout
from mdview.mappings.mapping import Mapping
from mdview.operations.creation import check_elements, copy_elements
from mdview.views.base import check_view, parts_of
from mdview.views.derive import part_at
from mdview.views.view import MDView

# Any: elements of any type.
AnyView = MDView[Any, tuple[int, ...], Layout, Accessor[Any, Any]]
Ranges = tuple[tuple[int, int], ...]

AT_ONCE: Final = 1 << 26
"""Bytes of elements that are written at once; the memory that they take is given back before the next ones."""


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
    >>> from mdview import open_view
    >>> with TemporaryDirectory() as folder:
    ...     save(MDView(bytearray(range(12)), (3, 4)).T, f"{folder}/bytes.raw", "right")
    ...     open_view(f"{folder}/bytes.raw", "right (4, 3)", "B")[1].tolist()
    [1, 5, 9]
    """
    check_view(view, "what is saved")
    storage = parts_of(view).checked_storage()
    mapping = Mapping(view.extents, _layout(view.mapping, layout))
    items = of_storage(storage) if item_format is None else read_format(item_format)
    name = file_name(path)
    if name.endswith(".npz"):
        message = f"{name!r} would be an archive, which save does not write; take a name that ends in .npy"
        raise FileFormatError(message)
    header = header_for(mapping, items) if name.endswith(".npy") else b""
    stop = len(header) + allocated(mapping) * items.size
    contents = Contents(mapping, items, len(header), stop)
    with replacing(name) as file, counted(progress, view.size) as done:
        reserve(file, stop)
        file.seek(0)
        file.write(header)
        file.flush()
        _fill(view, contents, mapped_bytes(file.fileno(), name, len(header), stop, readonly=False), done)


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


def _fill(view: AnyView, contents: Contents, region: memoryview, done: Callable[[int], None]) -> None:
    """Store the elements of a view in mapped bytes, for which there is room on the disk."""
    made = view_over(region, contents, DefaultAccessor())
    if not made.size:
        return
    for ranges in parts(made.mapping, max(1, AT_ONCE // contents.items.size)):
        copy_elements(part_at(view, view.mapping, ranges), part_at(made, made.mapping, ranges))
        _give_back(region)
        done(size_of([z - a for a, z in ranges]))
    check_elements(view, made)
    region.obj.flush()  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue] - of a map
    made.release()


def _give_back(region: memoryview) -> None:
    """Let the system take the memory of pages that are in the file, which it writes when it likes."""
    import mmap  # noqa: PLC0415 - it has been loaded

    if hasattr(mmap, "MADV_DONTNEED"):
        with suppress(OSError, ValueError):
            region.obj.madvise(mmap.MADV_DONTNEED)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]


def parts(mapping: AnyMapping, most: int) -> Iterator[Ranges]:
    """Cut an index space into boxes of up to ``most`` elements, along what is slowest in memory, between tiles.

    >>> list(parts(Mapping((4, 3)), 6))
    [((0, 2), (0, 3)), ((2, 4), (0, 3))]
    """
    tiling, strides = mapping.layout.tiling(), mapping.found_strides()
    axes: Sequence[int] = range(mapping.rank)
    if strides is not None:
        axes = sorted(axes, key=lambda r: -abs(strides[r]))
    elif tiling is not None and tiling.first_is_fastest:
        axes = axes[::-1]
    units = (1,) * mapping.rank if tiling is None else tiling.sizes
    return _cut(tuple([(0, int(e)) for e in mapping.extents]), axes, units, most)


def _cut(box: Ranges, axes: Sequence[int], units: Sequence[int], most: int) -> Iterator[Ranges]:
    size = size_of([z - a for a, z in box])
    axis = next((r for r in axes if box[r][1] - box[r][0] > units[r]), None)
    if size <= most or axis is None:
        yield box
        return
    first, last = box[axis]
    step = max(1, (last - first) * most // size // units[axis]) * units[axis]
    for begin in range(first, last, step):
        yield from _cut((*box[:axis], (begin, min(begin + step, last)), *box[axis + 1 :]), axes, units, most)
