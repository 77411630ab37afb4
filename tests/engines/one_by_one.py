"""What a sample holds, read one by one; its items, copied and shown.

An element is ``accessor.read(items, position)``, and where an index lies is what `Sample.places` says.
"""

from itertools import chain

from samples.accessors import CountingAccessor
from samples.data import StructItems, items_of, np
from samples.variants import indices_of

from mdview import MDView
from mdview.atomics import AtomicRef


def shown(x):
    """What tells one value from another one: its type and its text; of a NaN not the payload."""
    if isinstance(x, AtomicRef):
        return "AtomicRef", shown(x.load())
    if isinstance(x, MDView):
        return "MDView", x.shape, [shown(x[index]) for index in indices_of(x.shape)]
    if isinstance(x, list):
        return [shown(each) for each in x]
    if type(x).__name__ == "ndarray":
        return x.dtype.str, x.shape, [shown(each) for each in x.reshape(-1).tolist()]
    return type(x), repr(x)


class Looked:
    """A sample and its values, one by one; an error where one cannot be read."""

    def __init__(self, made, like=None):
        self.made, self.view = made, made.view
        self.places, self.inside = (
            (made.places(), made.places(inside=True)) if like is None else (like.places, like.inside)
        )
        self.accessor, self.items = made.view.accessor, items_of(made.data)
        self.extents = tuple(map(int, made.view.extents))
        self.is_known = self.accessor.reads_items
        self.is_total = None not in self.inside
        self.values, self.error = [], None
        try:
            for place in self.places:
                self.values.append(self.read(place))
        except Exception as error:  # noqa: BLE001 - whatever it is, everybody raises it
            self.error = error
        self.forget()

    def read(self, place):
        read = self.accessor.read
        return read([self.made.constant], 0) if place is None else read(self.items, place)

    def forget(self):
        """Drop what a counting accessor has noted."""
        if isinstance(self.accessor, CountingAccessor):
            self.accessor.loads.clear()
            self.accessor.stores.clear()

    def loads(self):
        """What loads give."""
        load, constant = self.accessor.load, [self.made.constant]
        return [load(constant, 0) if place is None else load(self.items, place) for place in self.places]

    def nested(self, extents=None, values=None):
        """Nested lists of the values."""
        values = iter(self.values) if values is None else values
        extents = self.extents if extents is None else extents
        return [self.nested(extents[1:], values) for _ in range(extents[0])] if extents else next(values)

    def array(self):
        """The array that NumPy is given."""
        data = self.made.data
        dtype = None if isinstance(data, list | tuple) else np.asarray(data).dtype
        if isinstance(data, memoryview):
            dtype = np.dtype(dtype.str)
        if self.is_known and dtype is not None:
            made = np.empty(len(self.values), dtype)
        elif self.values and all(isinstance(x, int | float | complex) for x in self.values):
            made = np.array(self.values)
            if made.dtype.kind == "f" and all(isinstance(x, int) for x in self.values):  # which NumPy would round
                made = np.array(self.values, object if min(self.values) < 0 else "u8")
            return made.reshape(self.extents)
        else:
            made = np.empty(len(self.values), object)
        for k, value in enumerate(self.values):
            made[k] = value
        return made.reshape(self.extents)


def copy_of(items):
    if isinstance(items, StructItems):
        return StructItems(memoryview(bytearray(items.raw)), items.format)
    if isinstance(items, memoryview):
        return memoryview(bytearray(items)).cast(items.format)
    return list(items) if isinstance(items, list | tuple) else items.copy()


def raw(items):
    """Bytes of items; None of objects."""
    if isinstance(items, StructItems):
        return memoryview(items.raw).cast("B")
    if isinstance(items, memoryview):
        return items.cast("B")
    if isinstance(items, list | tuple) or items.dtype.hasobject:
        return None
    return memoryview(items.view("u1"))


def content(items, *, bits):
    """What items hold: their bits, or what they show."""
    held = raw(items) if bits else None
    return [shown(x) for x in items] if held is None else bytes(held)


def flat_of(other):
    """Values of a view, an array or nested lists, in index order."""
    if isinstance(other, MDView):
        return [other[index] for index in indices_of(other.shape)]
    if type(other).__name__ == "ndarray":
        return other.reshape(-1).tolist()
    return chain.from_iterable(map(flat_of, other)) if isinstance(other, list) else [other]


def elements_of(looked):
    """Positions of all elements, without padding."""
    return [place for place in looked.inside if place is not None]


def in_memory(looked):
    return sorted(elements_of(looked))
