"""Arithmetic of what stands for a value: every operator loads the value and gives what it gives for that.

A result is a plain value, whatever becomes of the element afterwards. So ``total += ref`` adds to ``total``, while
``ref += x`` is a step on the element, which the class of the reference defines.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

# Any, in this module: the operators of the values, and what they give, are the business of the element type.


class Loading:
    """The abstract class of references whose operators load."""

    __slots__ = ()

    @abstractmethod
    def load(self) -> Any:
        """Return the value."""

    def __add__(self, other: Any) -> Any:
        """Sum with the loaded value."""
        return self.load() + value_of(other)

    def __radd__(self, other: Any) -> Any:
        """Sum with the loaded value."""
        return value_of(other) + self.load()

    def __sub__(self, other: Any) -> Any:
        """Difference of the loaded value."""
        return self.load() - value_of(other)

    def __rsub__(self, other: Any) -> Any:
        """Difference by the loaded value."""
        return value_of(other) - self.load()

    def __mul__(self, other: Any) -> Any:
        """Product with the loaded value."""
        return self.load() * value_of(other)

    def __rmul__(self, other: Any) -> Any:
        """Product with the loaded value."""
        return value_of(other) * self.load()

    def __truediv__(self, other: Any) -> Any:
        """Quotient of the loaded value."""
        return self.load() / value_of(other)

    def __rtruediv__(self, other: Any) -> Any:
        """Quotient by the loaded value."""
        return value_of(other) / self.load()

    def __floordiv__(self, other: Any) -> Any:
        """Quotient of the loaded value, rounded down."""
        return self.load() // value_of(other)

    def __rfloordiv__(self, other: Any) -> Any:
        """Quotient by the loaded value, rounded down."""
        return value_of(other) // self.load()

    def __mod__(self, other: Any) -> Any:
        """Remainder of the loaded value."""
        return self.load() % value_of(other)

    def __rmod__(self, other: Any) -> Any:
        """Remainder by the loaded value."""
        return value_of(other) % self.load()

    def __pow__(self, other: Any) -> Any:
        """Power of the loaded value."""
        return self.load() ** value_of(other)

    def __rpow__(self, other: Any) -> Any:
        """Power by the loaded value."""
        return value_of(other) ** self.load()

    def __and__(self, other: Any) -> Any:
        """Bitwise and with the loaded value."""
        return self.load() & value_of(other)

    def __rand__(self, other: Any) -> Any:
        """Bitwise and with the loaded value."""
        return value_of(other) & self.load()

    def __or__(self, other: Any) -> Any:
        """Bitwise or with the loaded value."""
        return self.load() | value_of(other)

    def __ror__(self, other: Any) -> Any:
        """Bitwise or with the loaded value."""
        return value_of(other) | self.load()

    def __xor__(self, other: Any) -> Any:
        """Bitwise exclusive or with the loaded value."""
        return self.load() ^ value_of(other)

    def __rxor__(self, other: Any) -> Any:
        """Bitwise exclusive or with the loaded value."""
        return value_of(other) ^ self.load()

    def __lshift__(self, other: Any) -> Any:
        """The loaded value shifted to the left."""
        return self.load() << value_of(other)

    def __rlshift__(self, other: Any) -> Any:
        """Something shifted by the loaded value to the left."""
        return value_of(other) << self.load()

    def __rshift__(self, other: Any) -> Any:
        """The loaded value shifted to the right."""
        return self.load() >> value_of(other)

    def __rrshift__(self, other: Any) -> Any:
        """Something shifted by the loaded value to the right."""
        return value_of(other) >> self.load()

    def __lt__(self, other: Any) -> Any:
        """Tell whether the loaded value is less than another one."""
        return self.load() < value_of(other)

    def __le__(self, other: Any) -> Any:
        """Tell whether the loaded value is at most another one."""
        return self.load() <= value_of(other)

    def __gt__(self, other: Any) -> Any:
        """Tell whether the loaded value is greater than another one."""
        return self.load() > value_of(other)

    def __ge__(self, other: Any) -> Any:
        """Tell whether the loaded value is at least another one."""
        return self.load() >= value_of(other)

    def __neg__(self) -> Any:
        """Negative of the loaded value."""
        return -self.load()

    def __pos__(self) -> Any:
        """The loaded value."""
        return +self.load()

    def __invert__(self) -> Any:
        """Bitwise complement of the loaded value."""
        return ~self.load()

    def __abs__(self) -> Any:
        """Absolute value of the loaded value."""
        return abs(self.load())

    def __divmod__(self, other: Any) -> Any:
        """Quotient and remainder of the loaded value."""
        return divmod(self.load(), value_of(other))

    def __rdivmod__(self, other: Any) -> Any:
        """Quotient and remainder by the loaded value."""
        return divmod(value_of(other), self.load())

    def __round__(self, *digits: int) -> Any:
        """Loaded value, rounded."""
        return round(self.load(), *digits)


def value_of(given: Any) -> Any:
    """Return what a reference loads, and anything else as it is."""
    return given.load() if isinstance(given, Loading) else given
