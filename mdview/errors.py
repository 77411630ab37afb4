"""The exceptions of mdview: one hierarchy, and each one is also the builtin that callers already catch.

A message states the rule, the place (which dimension), the values, and the way out.
"""

from __future__ import annotations


class MDViewError(Exception):
    """Base of every error that mdview raises on purpose."""


class ExtentsError(MDViewError, ValueError):
    """An extent is negative or too large, or extents do not fit the operation."""


class ExtentsTypeError(MDViewError, TypeError):
    """An extent, stride or other parameter is no integer."""


class RankError(MDViewError, ValueError):
    """The number of extents, strides, slices or indices differs from the rank."""


class RankTypeError(RankError, TypeError):
    """A view of rank 0 is asked for what only dimensions have: a length, an iteration."""


class TooManyIndicesError(RankError, IndexError):
    """More indices than dimensions in brackets."""


class AxisError(MDViewError, ValueError, IndexError):
    """A dimension number lies outside the rank."""


class IndexOutOfRangeError(MDViewError, IndexError):
    """An index lies outside its extent, or an offset outside the data."""


class FlagError(MDViewError, KeyError):
    """A key names no flag of a view."""

    def __str__(self) -> str:
        """Return the message; a KeyError would quote it as a key."""
        return Exception.__str__(self)


class IndexTypeError(MDViewError, TypeError, IndexError):
    """An index is neither an integer nor a slice."""


class SliceError(MDViewError, ValueError, IndexError):
    """The bounds or the step of a slice break its rule."""


class SliceTypeError(MDViewError, TypeError):
    """A slice is of the wrong type."""


class LayoutError(MDViewError, ValueError):
    """A layout's parameters break its rule, alone or with these extents."""


class LayoutTypeError(MDViewError, TypeError):
    """A layout is of the wrong type, often a class instead of an instance."""


class StrideError(LayoutError):
    """Strides are negative, zero, not unique, or no multiple of the item size."""


class NotStridedError(MDViewError, ValueError, AttributeError):
    """A stride was asked of a mapping that has none."""


class UndecidedError(MDViewError, RuntimeError):
    """An exact answer would cost more than its documented budget; nothing was guessed."""


class NotContiguousError(MDViewError, ValueError):
    """One run of memory was asked of a view whose elements are not that."""


class BinsError(MDViewError, ValueError):
    """The ranges of bins lie outside their buffer, or bins that are walked in step do not have the same sizes."""


class OperandError(MDViewError, TypeError):
    """An argument is of the wrong kind: no view, mapping or function, or a function of another number of values."""

    unviewed: object = None
    """The argument that stands where a view belongs, which may hold memory."""


class ConflictError(MDViewError, ValueError):
    """Parallel writers would store to one tile, chunk or shard, and one may undo what another has stored."""


class TileError(MDViewError, RuntimeError):
    """A function has failed for one tile; the others are not affected."""


class BufferSizeError(MDViewError, ValueError):
    """The data is shorter than what the mapping can reach."""


class BufferFormatError(MDViewError, TypeError, ValueError):
    """The data is no buffer or sequence, or its element format cannot be read."""


class PlaceError(MDViewError, OSError):
    """The file in which a view lies cannot be opened on arrival or is another one, or the view lies in none."""


class FileFormatError(MDViewError, ValueError):
    """A file is not what it is opened as: of another kind, cut off, compressed, or its header makes no sense."""


class ZarrError(MDViewError, ValueError):
    """An array of zarr is missing, damaged or breaks a rule, or a view cannot be written as one."""


class CopyNeededError(ZarrError):
    """An array of zarr cannot be viewed where it lies: it is compressed, say; the message has the way out."""


class WritingError(MDViewError, OSError):
    """A file is not written: it is no plain file, or it may not be replaced or has changed."""


class ElementError(MDViewError, ValueError, OverflowError):
    """A value is of the right type for the items of a view, and too large or too small for their format."""


class ElementTypeError(MDViewError, TypeError):
    """A value is of a type that the items of a view cannot hold, or the elements have no such operation."""


class ReadOnlyError(MDViewError, TypeError, ValueError):
    """A store through a read-only accessor or into a read-only buffer.

    Both ``TypeError`` (as ``memoryview`` raises) and ``ValueError`` (as NumPy raises).
    """


class ThreadsError(MDViewError, TypeError, ValueError):
    """The number of threads for some work is no positive integer."""


class NullViewError(MDViewError, ValueError):
    """An element was asked of a view without data (never bound, moved from, or released)."""


class HaloError(MDViewError, IndexError):
    """An index lies in the padding of a padded view, where nothing may be stored, or nothing says what it reads as."""


class ShapeError(MDViewError, ValueError):
    """Two shapes that must agree differ."""


class ConversionError(MDViewError, TypeError, ValueError):
    """No conversion exists between two kinds, or its precondition does not hold for these values."""


class PropertyError(MDViewError, ValueError):
    """Properties of a view contradict each other."""


class AccessorError(MDViewError, ValueError):
    """An accessor cannot be applied to this data."""


class StepError(MDViewError, RuntimeError):
    """An atomic step was tried often, and never undisturbed; nothing has changed."""


class AccessorTypeError(MDViewError, TypeError):
    """An accessor is of the wrong type."""


class AbsentAttributeError(MDViewError, AttributeError):
    """A view has no such attribute, for which there is a function; or it exports no memory."""


class ImmutableError(MDViewError, AttributeError):
    """A value is immutable; make another one."""


class ExportError(MDViewError, ValueError, BufferError):
    """A view cannot share its memory with another library, or not in the form that it asks for."""


class AbsentMethodError(MDViewError, NotImplementedError):
    """A user's own accessor does not define a method that is needed."""


class MissingExtraError(MDViewError, ImportError):
    """An optional partner is not installed; the message names the extra that brings it."""


class CppTypeError(ConversionError):
    """A text is no C++ type that mdview reads, no C++ type says what a view is, or a type does not hold its numbers."""


class KernelError(MDViewError, TypeError):
    """A compiled kernel cannot take this view, or cannot do this with it."""


class NotationError(MDViewError, ValueError):
    """A text is no expression of a layout, or a layout has no text; ``line`` and ``column`` count from 1."""

    line: int | None = None
    column: int | None = None


class ReshapeError(ShapeError):
    """The elements cannot be read under another shape without a copy."""


class BroadcastError(ShapeError):
    """A dimension that is no plain singleton would have to change its extent, or to vanish."""


class PaddingError(ExtentsError):
    """Padding is negative."""


class SymbolError(MDViewError, ValueError):
    """The bounds of a symbol contradict each other, or a value lies outside them."""


class SymbolicExtentError(MDViewError, TypeError, ValueError):
    """An operation needs the number behind a symbol that has none, or a fact that the symbol's bounds do not settle."""


class SourceError(MDViewError, ValueError):
    """An offset cannot be written in another language: its arithmetic is not known or too large, or a name is none."""


class CertificationError(MDViewError, AssertionError):
    """A layout or an accessor breaks a law of `mdview.testing`; the message shows the smallest counterexamples."""


class TargetError(MDViewError, ValueError):
    """The subject of a certification is missing, or is neither a layout nor an accessor."""


class WitnessError(MDViewError, ValueError):
    """Offsets break a rule; the error has the numbers that show it."""

    rule = ""

    def __str__(self) -> str:
        """Return the rule with the numbers, and the way out."""
        return self.rule.format(*self.args) + (self.args[-1] and f"; {self.args[-1]}")


class NotNested(WitnessError):  # noqa: N818 - it names the reason, as in a table of laws
    """The offsets are those of no nested layout: digits need ``wanted`` at the 1-D ``index``, which has ``got``."""

    rule = "no nested layout has these offsets: index {0} needs {1}, and there is {2}"

    def __init__(self, index: int, wanted: int, got: int, way: str = "") -> None:
        """Take the 1-D index, both numbers, and a way out."""
        super().__init__(index, wanted, got, way)
        self.index: int = index
        self.wanted: int = wanted
        self.got: int = got


class PairError(WitnessError):
    """Two 1-D indices ``i`` and ``j`` break a rule."""

    def __init__(self, i: int, j: int, way: str = "") -> None:
        """Take both indices, and a way out."""
        super().__init__(i, j, way)
        self.i: int = i
        self.j: int = j


class Collision(PairError):  # noqa: N818 - it names the reason, as in a table of laws
    """Two 1-D indices ``i`` and ``j`` have one offset, where each must have one of its own."""

    rule = "indices {0} and {1} have one offset"


class NotLinear(PairError):  # noqa: N818 - it names the reason, as in a table of laws
    """Offsets are not linear over bits: ``L(i ^ j)`` is not ``L(i) ^ L(j) ^ L(0)``."""

    rule = "offsets are not linear over bits: L({0} ^ {1}) is not L({0}) ^ L({1}) ^ L(0)"
