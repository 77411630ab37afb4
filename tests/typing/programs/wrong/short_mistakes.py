"""Mistakes that take a line or two: a function for each, named for what is wrong in it."""

import math
from array import array
from typing import NewType, TypeVar

import numpy as np

import mdview as md
from mdview.iteration import Binned, elements
from mdview.operations import conjugated, scaled, transposed

Rows = NewType("Rows", int)
Columns = NewType("Columns", int)
M = TypeVar("M", bound=int)
K = TypeVar("K", bound=int)


def add_to_readonly(histogram: md.MDView[int, md.Dims1, md.LayoutRight, md.ReadOnlyAccessor[int]], value: int) -> None:
    """`+=` on an element stores it."""
    histogram[value] += 1  # error: the view is read-only


def byte_strides_of_tiles(view: md.MDView[float, md.Dims2, md.LayoutTiled]) -> int:
    """Tiles have no strides in bytes either."""
    return view.byte_strides[0]  # error: only strided layouts have strides


def strides_of_tiles(view: md.MDView[float, md.Dims2, md.LayoutTiled]) -> int:
    """Tiles have no strides."""
    return view.strides[0]  # error: only strided layouts have strides


def cell_of_text(events: Binned[float], cell: int) -> list[str]:
    """A cell of binned events is a view of them."""
    return list(elements(events[cell]))  # error: the events are numbers


def write(line: md.MDView[float, md.Dims1, md.LayoutRight]) -> None:
    print(bytes(line.size))


def column_for_row(table: md.MDView[float, md.Dims2]) -> None:
    """A column of C order has strides."""
    write(table[0])
    write(table[:, 0])  # error: LayoutStride is not LayoutRight


def flipped_for_right(line: md.MDView[float, md.Dims1]) -> None:
    """What is turned around is in C order no more."""
    write(md.flip(line))  # error: the layout of the result is another one


def conjugated_text(line: md.MDView[complex, md.Dims1]) -> str:
    """Conjugates of complex numbers are complex."""
    return conjugated(line)[0]  # error: the elements are numbers


def element_as_row(table: md.MDView[float, md.Dims2]) -> int:
    """Two indices into a matrix are an element, which has no parts."""
    return len(table[0, 0])  # error: a number has no length


def element_of_numpy(count: int) -> str:
    """The elements of an array of floats are numbers."""
    return "first: " + md.MDView(np.zeros(count), (count,))[0]  # error: a number is no text; str(view[0]) is


def extents_as_floats(values: list[float]) -> int:
    """Half of the rows are as many only if the quotient is an integer."""
    return len(md.MDView(values, (len(values) / 2, 2)))  # error: a quotient is no integer; // gives one


def extents_as_text(header: str) -> int:
    """Extents are integers."""
    rows, columns = header.split("x")
    return len(md.MDView([0.0] * 6, (rows, columns)))  # error: text is no extent; int(rows) is


def fill_with_text(table: md.MDView[float, md.Dims2]) -> None:
    """`fill` takes an element."""
    md.fill(table, "0")  # error: text is no number


def float_as_index(table: md.MDView[float, md.Dims2]) -> float:
    """Half of an odd number of rows."""
    return table[len(table) / 2, 0]  # error: a quotient is no integer; // gives one


def shout(text: str) -> str:
    return text.upper()


def function_of_text(numbers: md.MDView[float, md.Dims1]) -> None:
    """`transform` with a function of texts over numbers."""
    print(md.transform(shout, numbers))  # error: the elements are numbers


def halve(line: md.MDView[float, md.Dims1]) -> None:
    for i in range(len(line)):
        line[i] /= 2


def integers_for_floats() -> None:
    """Who may write floats may not have the integers of another one."""
    counts = md.MDView(array("q", [1, 2]), (2,))
    halve(counts)  # error: halves are no integers


def layout_class(values: list[float]) -> int:
    """A layout is an object."""
    return len(md.MDView(values, (2, len(values) // 2), md.LayoutLeft))  # error: LayoutLeft() is a layout


def list_as_index(table: md.MDView[float, md.Dims2], rows: list[int]) -> float:
    """Lists of indices are NumPy's: nothing would be shared with the view."""
    return sum(table[rows])  # error: a list is no index


def memory_of_text() -> None:
    """The memory of numbers holds no text."""
    view = md.MDView(array("d", [1.0, 2.0]), (2,))
    memory: memoryview[bytes] = view.memoryview()  # error: the items are floats
    print(memory)


def names_exchanged(rows: Rows, columns: Columns) -> md.MDView[float, md.Extents[md.Dim[Rows], md.Dim[Columns]]]:
    """Rows are not columns, also where both are integers."""
    data = [0.0] * (rows * columns)
    return md.MDView(data, (md.dim(columns), md.dim(rows)))  # error: columns are not rows


def number_as_data(count: int) -> int:
    """Data is a buffer or a sequence."""
    return len(md.MDView(0.0, (count,)))  # error: a number holds no elements; [0.0] * count does


def order_of_elements(table: md.MDView[float, md.Dims2]) -> float:
    """Elements come by index or by place in memory."""
    return sum(elements(table, order="F"))  # error: "index" or "memory"


def order_of_no_steps(counts: md.MDView[int, md.Dims1]) -> None:
    """A memory order that there is not."""
    shared = md.atomic(counts, order="consume")  # error: there is no such memory order
    print(shared)
    print(md.AtomicAccessor[int](order="strong"))  # error: there is no such memory order


def volume(cube: md.MDView[float, md.Dims3, md.Layout, md.Accessor[float, float]]) -> int:
    return cube.size


def rank_of_part(batch: md.MDView[float, md.Dims4]) -> list[int]:
    """A part of rank 2 where one of rank 3 is wanted."""
    return [volume(batch[k, 0]) for k in range(len(batch))]  # error: two indices of four leave rank 2


def rank_of_tile(table: md.MDView[float, md.Dims2]) -> list[float]:
    """A tile of a matrix is a matrix."""
    return [tile[0] for tile in md.tiles(table, (2, 2))]  # error: a row of the tile is no number


def clear(line: md.MDView[float, md.Dims1, md.Layout, md.Writable[float, float]]) -> None:
    for i in range(len(line)):
        line[i] = 0.0


def reading_for_writing(line: md.MDView[float, md.Dims1]) -> None:
    """A function that writes does not take what only reads."""
    clear(md.readonly(line))  # error: a read-only accessor has no store


def joined(first: str, second: str) -> str:
    return first + second


def reduce_texts(numbers: md.MDView[int, md.Dims1]) -> str:
    """`reduce` with a function of texts over numbers."""
    return md.reduce(joined, numbers)  # error: the elements are numbers


def reference_as_element(plain: md.MDView[int, md.Dims2], shared_with: md.MDView[int, md.Dims2]) -> None:
    """An element of an atomic view is a reference, which is no number."""
    shared = md.atomic(shared_with)
    plain[0, 0] = shared[0, 1]  # error: a reference is no number; load() gives one


def reference_as_number(counts: md.MDView[float, md.Dims1, md.LayoutRight, md.AtomicAccessor[float]]) -> float:
    """A reference where a number is wanted."""
    smallest: float = counts[0]  # error: a reference is no number; load() gives one
    return math.sqrt(smallest)


def half(number: float) -> float:
    return number / 2


def results_as_text(numbers: md.MDView[float, md.Dims1]) -> None:
    """What `transform` gives has the type that the function returns."""
    halves = md.transform(half, numbers)
    print(halves[0].upper())  # error: the results are numbers


def results_elsewhere(table: md.MDView[float, md.Dims2], texts: md.MDView[str, md.Dims2]) -> None:
    """The elements of `out=` take the results."""
    md.transform(half, table, out=texts)  # error: halves are no texts


def scaled_store(line: md.MDView[float, md.Dims1]) -> None:
    """A scaled view is for reading."""
    twice = scaled(2.0, line)
    twice[0] = 1.0  # error: what is computed cannot be stored to


def sequence_of_text(table: md.MDView[float, md.Dims2]) -> None:
    """A sequence that fills a row holds elements."""
    table[0] = ["a", "b"]  # error: texts are no numbers


def shape_of_floats(table: md.MDView[float, md.Dims2]) -> int:
    """A shape for a reshape is made of integers."""
    return md.reshape(table, (table.size / 2, 2)).size  # error: a quotient is no integer; // gives one


def slice_of_text(table: md.MDView[float, md.Dims2]) -> int:
    """A slice is made of numbers."""
    return md.subview(table, "1:2", md.ALL).size  # error: slice(1, 2), or (1, 2)


def store_into_bytes(width: int) -> bytes:
    """Bytes do not change."""
    data = bytes(3 * width)
    pixels = md.MDView(data, (width, 3))  # error: bytes are read-only; ReadOnlyAccessor() reads them
    pixels[0, 0] = 255
    return data


def store_into_readonly_part(table: md.MDView[float, md.Dims2, md.LayoutRight, md.ReadOnlyAccessor[float]]) -> None:
    """A row of a view for reading is one for reading."""
    for row in table:
        row[0] = row[0] / sum(row)  # error: rows are read-only as well


def store_to_bytes(data: bytes, other: bytearray) -> None:
    """Bytes are read-only, and so is a view of them."""
    md.asview(other)[0] = 1
    md.asview(data)[0] = 1  # error: bytes cannot be stored to


def text_as_element(table: md.MDView[float, md.Dims2], lines: list[str]) -> None:
    """Text into a view of numbers."""
    for i, line in enumerate(lines):
        table[i, 0] = line  # error: text is no number; float(line) is


def text_as_index(table: md.MDView[float, md.Dims2]) -> list[float]:
    """Columns have numbers and no names."""
    return [table[i, "price"] for i in range(len(table))]  # error: an index is an integer


def text_of_number(line: md.MDView[int, md.Dims1]) -> list[str]:
    """Iterating over rank 1 gives elements."""
    return [word.upper() for word in line]  # error: the elements are numbers


def tile_of_text(values: list[float]) -> int:
    """Sizes of tiles are integers."""
    return len(md.MDView(values, (4, 4), md.LayoutTiled("2x2")))  # error: sizes are numbers, one for each dimension


def too_few_slices(table: md.MDView[float, md.Dims2]) -> int:
    """`subview` takes a slice for each dimension."""
    return md.subview(table, 1).size  # error: a matrix takes two; ALL is all of a dimension


def transposed_cube(cube: md.MDView[float, md.Dims3]) -> int:
    """The transpose is one of matrices; permute_dims takes any rank."""
    return transposed(cube).size  # error: rank 3 is no matrix


def unknown_error(line: md.MDView[float, md.Dims1]) -> float:
    """An error of another library's name."""
    try:
        return line[-1]
    except md.errors.OutOfBoundsError:  # error: it is IndexOutOfRangeError
        return 0.0


def unknown_method(table: md.MDView[float, md.Dims2]) -> float:
    """NumPy's methods are no methods of a view."""
    return table.mean()  # error: a view computes nothing; reduce does


def matvec(
    a: md.MDView[float, md.Extents[md.Dim[M], md.Dim[K]]], x: md.MDView[float, md.Extents[md.Dim[K]]]
) -> list[float]:
    return [sum(u * v for u, v in zip(row, x, strict=True)) for row in a]


def vector_too_long() -> None:
    """A matrix of four columns and a vector of three elements."""
    matrix = md.MDView([1.0] * 12, (md.dim(3), md.dim(4)))
    vector = md.MDView([1.0] * 3, (md.dim(3),))
    print(matvec(matrix, vector))  # error: 4 columns, 3 elements


def view_of_list(values: list[float]) -> None:
    """`asview` shares memory, and a list has none of numbers."""
    print(md.asview(values))  # error: a list has no memory to share; MDView takes it


def view_of_nothing(count: int, table: dict[str, float]) -> None:
    """Neither numbers nor dictionaries have memory that a view could share."""
    print(md.asview(count))  # error: a number has no memory
    print(md.asview(table))  # error: nor has a dictionary
    print(md.asview("text"))  # error: nor has a text before it is encoded
    print(md.asview(b"text").size)
