"""The exceptions of mdview: one hierarchy, in which each class also derives from a builtin exception.

A message states the rule, the dimension, the values, and a way to avoid the error.
"""

from __future__ import annotations


class MDViewError(Exception):
    """Base class of all errors that mdview raises."""


class ExtentsError(MDViewError, ValueError):
    """An extent is negative or too large, or extents do not fit an operation."""


class ExtentsTypeError(MDViewError, TypeError):
    """An extent, a stride or another parameter is not an integer."""


class RankError(MDViewError, ValueError):
    """The number of extents, strides, slices or indices differs from the rank."""


class RankTypeError(RankError, TypeError):
    """A view of rank 0 has no dimension, so it has no length and no iterator."""


class TooManyIndicesError(RankError, IndexError):
    """There are more indices in brackets than dimensions."""


class AxisError(MDViewError, ValueError, IndexError):
    """A dimension number lies outside the rank."""


class IndexOutOfRangeError(MDViewError, IndexError):
    """An index lies outside its extent, or an offset lies outside the data."""


class FlagError(MDViewError, KeyError):
    """A key is not the name of a flag of a view."""

    def __str__(self) -> str:
        """Return the message; a KeyError would quote it as a key."""
        return Exception.__str__(self)


class IndexTypeError(MDViewError, TypeError, IndexError):
    """An index is neither an integer nor a slice."""


class SliceError(MDViewError, ValueError, IndexError):
    """The bounds or the step of a slice are invalid, either by themselves or for the extent."""


class SliceTypeError(MDViewError, TypeError):
    """A slice is of the wrong type."""


class LayoutError(MDViewError, ValueError):
    """The parameters of a layout are invalid, either by themselves or for the extents."""


class LayoutTypeError(MDViewError, TypeError):
    """A layout is of the wrong type, often a class instead of an instance."""


class StrideError(LayoutError):
    """Strides are negative or zero, make two indices share an offset, or are not multiples of the item size."""


class NotStridedError(MDViewError, ValueError, AttributeError):
    """An operation needs the strides of a mapping that is not strided."""


class UndecidedError(MDViewError, RuntimeError):
    """An exact answer needs more work than its documented limit allows; no answer is guessed."""


class NotContiguousError(MDViewError, ValueError):
    """An operation needs a view whose elements are one contiguous run of memory."""


class BinsError(MDViewError, ValueError):
    """The ranges of bins lie outside of their buffer, or binned operands of one walk have bins of different sizes."""


class OperandError(MDViewError, TypeError):
    """An argument is of the wrong kind, for example not a view, or a call does not fit the parameters of a function."""

    unviewed: object = None
    """The argument that was passed instead of a view, and may export memory; None if no view was expected."""


class ConflictError(MDViewError, ValueError):
    """Several parallel writers would store to one tile, chunk or shard, so stores of a writer could be lost."""


class TileError(MDViewError, RuntimeError):
    """A function has failed for one tile; the other tiles are not affected."""


class BufferSizeError(MDViewError, ValueError):
    """The data has fewer elements than the mapping needs."""


class BufferFormatError(MDViewError, TypeError, ValueError):
    """The data is neither a buffer nor a sequence, or the format of its items cannot be read."""


class PlaceError(MDViewError, OSError):
    """The memory-mapped file of a pickled view cannot be opened, is too short, or is a different file."""


class FileFormatError(MDViewError, ValueError):
    """A file is not of the expected format: it is of another kind, cut off, compressed, or its header is wrong."""


class ZarrError(MDViewError, ValueError):
    """A zarr array is missing, damaged or invalid, or a view cannot be written as a zarr array."""


class CopyNeededError(ZarrError):
    """A zarr array cannot be viewed without a copy, for example because it is compressed."""


class WritingError(MDViewError, OSError):
    """A file cannot be written: it is not a regular file, has no permission to be written, or has changed meanwhile."""


class ElementError(MDViewError, ValueError, OverflowError):
    """A value is of the right type for the items of a view, but too large or too small for their format."""


class ElementTypeError(MDViewError, TypeError):
    """A value is of a type that the items of a view cannot hold, or the elements do not support an operation."""


class ReadOnlyError(MDViewError, TypeError, ValueError):
    """A store was attempted through a read-only accessor or into a read-only buffer.

    The class derives from ``TypeError``, which ``memoryview`` raises, and from ``ValueError``, which NumPy raises.
    """


class ThreadsError(MDViewError, TypeError, ValueError):
    """The number of threads is not a positive integer."""


class NullViewError(MDViewError, ValueError):
    """An operation needs the elements of a view without data (never bound, moved from, or released)."""


class HaloError(MDViewError, IndexError):
    """An index lies in the padding of a padded view, and an operation needs an element or an offset there."""


class ShapeError(MDViewError, ValueError):
    """Two shapes that must agree differ."""


class ConversionError(MDViewError, TypeError, ValueError):
    """No conversion exists between two types, or the precondition of the conversion does not hold for these values."""


class PropertyError(MDViewError, ValueError):
    """The properties of a view contradict each other."""


class AccessorError(MDViewError, ValueError):
    """An accessor cannot be applied to this data."""


class StepError(MDViewError, RuntimeError):
    """An atomic operation was repeated too often, because the item changed each time; the operation stored nothing."""


class AccessorTypeError(MDViewError, TypeError):
    """An accessor is of the wrong type."""


class AbsentAttributeError(MDViewError, AttributeError):
    """A view or a module has no such attribute, or a view does not offer its memory by the array interface."""


class ImmutableError(MDViewError, AttributeError):
    """A field of an immutable value cannot be set or deleted; make another value instead."""


class ExportError(MDViewError, ValueError, BufferError):
    """A view cannot share its memory with another library, or not in the form that the library asks for."""


class AbsentMethodError(MDViewError, NotImplementedError):
    """A user's own accessor does not define a method that an operation needs."""


class MissingExtraError(MDViewError, ImportError):
    """An optional dependency is not installed; the message names the extra that installs it."""


class CppTypeError(ConversionError):
    """A string is not a C++ type that mdview reads, or there is no C++ type for a view or for its numbers."""


class KernelError(MDViewError, TypeError):
    """A compiled kernel does not support a view, or an operation on the view."""


class NotationError(MDViewError, ValueError):
    """A string is not an expression of a layout, or a layout has no expression.

    ``line`` and ``column`` are the position of the error in the string, counted from 1.
    """

    line: int | None = None
    column: int | None = None


class ReshapeError(ShapeError):
    """The elements cannot be read under another shape without a copy."""


class BroadcastError(ShapeError):
    """An operation would expand or drop a dimension whose extent is not 1."""


class PaddingError(ExtentsError):
    """Padding is negative."""


class SymbolError(MDViewError, ValueError):
    """The bounds of a symbol contradict each other, or a value lies outside them."""


class SymbolicExtentError(MDViewError, TypeError, ValueError):
    """An operation needs the number of an unknown extent, or a fact that the bounds of its symbol do not decide."""


class SourceError(MDViewError, ValueError):
    """An offset cannot be written in C: its arithmetic is unknown or too large, or a name is not an identifier."""


class CertificationError(MDViewError, AssertionError):
    """A layout or an accessor breaks a law of `mdview.testing`; the message shows the smallest counterexamples."""


class TargetError(MDViewError, ValueError):
    """The subject of a certification is missing, or is neither a layout nor an accessor."""


class WitnessError(MDViewError, ValueError):
    """Offsets break a rule; the attributes of the error are numbers that prove this."""

    rule = ""

    def __str__(self) -> str:
        """Return the rule with the numbers, and the hint if there is one."""
        return self.rule.format(*self.args) + (self.args[-1] and f"; {self.args[-1]}")


class NotNested(WitnessError):  # noqa: N818 - it names the reason, as in a table of laws
    """No nested layout has the offsets: at the 1-D ``index`` it would have ``wanted``, but the offset is ``got``."""

    rule = "no nested layout has these offsets: index {0} needs {1}, and there is {2}"

    def __init__(self, index: int, wanted: int, got: int, way: str = "") -> None:
        """Keep the 1-D index, the wanted offset, the actual offset, and a hint."""
        super().__init__(index, wanted, got, way)
        self.index: int = index
        self.wanted: int = wanted
        self.got: int = got


class PairError(WitnessError):
    """Two 1-D indices ``i`` and ``j`` break a rule."""

    def __init__(self, i: int, j: int, way: str = "") -> None:
        """Keep both indices, and a hint."""
        super().__init__(i, j, way)
        self.i: int = i
        self.j: int = j


class Collision(PairError):  # noqa: N818 - it names the reason, as in a table of laws
    """Two 1-D indices ``i`` and ``j`` have the same offset, and an operation needs a different offset for each."""

    rule = "indices {0} and {1} have one offset"


class NotLinear(PairError):  # noqa: N818 - it names the reason, as in a table of laws
    """Offsets are not linear over bits: ``L(i ^ j)`` is not ``L(i) ^ L(j) ^ L(0)``."""

    rule = "offsets are not linear over bits: L({0} ^ {1}) is not L({0}) ^ L({1}) ^ L(0)"
