"""Every function on whole views does what one element after the other does.

`check` holds the functions of `samples.functions` against their definitions, over one sample. A store is
``accessor.store`` on a copy of the data. Items of one format, which no accessor changes, are compared bit for bit, NaNs
with their payload. Run as a script with a number this looks at every so many samples of a cover, without NumPy.
"""

import itertools
import sys
from contextlib import nullcontext
from math import prod

from definitions import LOADS, LOOKS_AT_NOTHING, ONCE, READS, STORES, seen
from one_by_one import Looked, content, copy_of, raw, shown
from samples.accessors import ACCESSORS, CountingAccessor
from samples.data import FORMATS, items_of
from samples.functions import FUNCTIONS, NotApplicableError
from samples.layouts import LAYOUTS, takes
from samples.variants import VARIANTS, indices_of
from samples.views import Kind, sample

from mdview import MDView, Writable
from mdview.errors import HaloError, LayoutError, MDViewError, ReadOnlyError, UndecidedError

SHAPES = [
    (4, 4),
    (5, 7),
    (33, 33),
    (2, 2),
    (7,),
    (3, 4, 5),
    (6, 6),
    (37, 29),
    (),
    (3, 0, 2),
    (9, 12, 11),
    (1100,),
    (24, 24),
]
"""Extents below and above the sizes from which engines take another way."""


MOST = 1300
"""How many elements a view in the cover has at most."""


def places_in(looked, call):
    """Positions of the target of a call in its items."""
    target = call.target
    if target is looked.view:
        return looked.inside
    if target.data is looked.view.data:
        return looked.inside[::-1]
    return [target.origin + target.mapping(*index) for index in indices_of(target.shape)]


def refusal(looked, call, places):
    """What refuses a target before anything is read."""
    if not isinstance(call.target.accessor, Writable):
        return ReadOnlyError
    return HaloError if None in places else None


class Places(dict):
    """What stores have left at positions, bit for bit; it says when another one leaves something else."""

    def look(self, items, place):
        row = raw(items)
        size = 0 if row is None else len(row) // len(items)
        part = shown(items[place]) if row is None else bytes(row[place * size : (place + 1) * size])
        if self.setdefault(place, part) != part:
            raise LayoutError


def copies_items(name, looked, call):
    """Tell whether items are moved as they are: both sides plain, of one format, and none of it padding."""
    source = looked.view if name.startswith("copy") and call.other is None else call.other
    if not isinstance(source, MDView) or not (source.accessor.is_plain and call.target.accessor.is_plain):
        return False
    return source.format == call.target.format and raw(items_of(source.data)) is not None and looked.is_total


def check_stores(name, looked, call, wanted):
    """Hold a call that stores against stores one by one; ``wanted`` gives the values."""
    target, places = call.target, places_in(looked, call)
    items = items_of(target.data)
    before = copy_of(items)
    expected, errors = copy_of(items), []
    refused, bits = refusal(looked, call, places), copies_items(name, looked, call)
    if refused:
        errors = [refused]
    elif bits:
        errors += move_items(looked, call, expected, places)
    else:
        values = given(wanted, looked, call, errors)
        errors += store_errors(target.accessor, expected, places, values, Places())
    looked.forget()
    try:
        result = call.run()
    except Exception as error:  # noqa: BLE001 - to be compared
        require(agrees(error, errors, looked), (error, errors))
        require(content(items, bits=False) == content(before, bits=False), f"changed data after {error}")
        return
    assert not errors, errors
    assert content(items, bits=bits) == content(expected, bits=bits)
    assert result is (target if name.startswith("transform") else None)
    if isinstance(looked.accessor, CountingAccessor) and target is looked.view:
        assert looked.accessor.stores == places


def given(wanted, looked, call, errors):
    """Values that are stored; those before an error where one cannot be had."""
    if looked.error is not None and uses_values(call):
        errors.append(type(looked.error))
        return looked.values
    try:
        return list(wanted(looked, call))
    except Exception as error:  # noqa: BLE001 - to be compared
        errors.append(type(error))
        return []


def uses_values(call):
    return call.other is None or callable(call.other)


def store_errors(accessor, items, places, values, left):
    try:
        for place, value in zip(places, values, strict=False):
            accessor.store(items, place, value)
            left.look(items, place)
    except Exception as error:  # noqa: BLE001 - to be compared
        return [type(error)]
    return []


def move_items(looked, call, expected, places):
    if call.other is None:
        source, origins = raw(copy_of(looked.items)), looked.places
    else:
        source = raw(items_of(call.other.data))
        origins = [call.other.mapping(*index) for index in indices_of(call.other.shape)]
    size, into = call.target.itemsize, raw(expected)
    left = Places()
    try:
        for out, place in zip(origins, places, strict=True):
            into[place * size : (place + 1) * size] = source[out * size : (out + 1) * size]
            left.look(expected, place)
    except LayoutError as error:
        return [type(error)]
    return []


def check_reads(name, looked, call):
    errors, expected = [], None
    if looked.error is not None and name not in LOOKS_AT_NOTHING | LOADS:
        errors.append(type(looked.error))
    else:
        try:
            expected = READS[name](looked, call)
        except Exception as error:  # noqa: BLE001 - to be compared
            errors.append(type(error))
    looked.forget()
    before = copy_of(looked.items)
    try:
        result = call.run()
        loads = list(looked.accessor.loads) if name in ONCE and isinstance(looked.accessor, CountingAccessor) else None
        found = seen(name, looked, result)
    except Exception as error:  # noqa: BLE001 - to be compared
        require(agrees(error, errors, looked), (error, errors))
        return
    assert content(looked.items, bits=True) == content(before, bits=True)
    assert loads is None or loads == [0 if place is None else place for place in looked.places]
    if name == "equal" and result is False and looked.error is not None:
        return  # the first difference comes before what cannot be read
    assert not errors, errors
    assert found == expected, first_difference(found, expected)


def require(holds, what):
    """Fail unless something holds."""
    assert holds, what


def agrees(error, errors, looked):
    """Tell whether an error is among those of single accesses, or says of types what they say of values.

    Questions to layouts have a budget; an array of no elements has a type that a function may not take.
    """
    if isinstance(error, (UndecidedError, *errors)):
        return True
    is_type_error = isinstance(error, TypeError) and not isinstance(error, MDViewError)
    return is_type_error and (not looked.places or any(issubclass(each, TypeError) for each in errors))


def first_difference(found, expected):
    """The first parts of two nested lists that differ, for people."""
    if isinstance(found, list | tuple) and isinstance(expected, list | tuple) and len(found) == len(expected):
        return next(first_difference(x, y) for x, y in zip(found, expected, strict=True) if x != y)
    return f"found {found}, expected {expected}"


def applies(name, any_bits):
    """Tell whether a function means something for a sample: arithmetic of NumPy warns of any bits."""
    function = FUNCTIONS[name]
    if function.needs_numpy and sys.modules.get("numpy") is None:
        return False
    return not (any_bits and "ufunc" in name)


def quiet():
    """Let NumPy compute with NaNs of any bits without a warning."""
    np = sys.modules.get("numpy")
    return nullcontext() if np is None else np.errstate(all="ignore")


def check(kind, shape, *, any_bits=False, names=None):
    """Hold all functions against the definition, over one sample each; return how many there were."""
    count, looked = 0, None
    for name in sorted(FUNCTIONS if names is None else names, key=STORES.__contains__):  # what stores comes last
        if looked is None or name in STORES:
            made = sample(kind, shape, any_bits=any_bits)
            if made is None:
                break
            looked = Looked(made, looked)
        if not applies(name, any_bits):
            continue
        try:
            with quiet():
                count += check_call(name, looked)
        except Exception as error:
            error.add_note(f"{name} of {kind} over {shape}{' of any bits' if any_bits else ''}: {looked.view.mapping}")
            raise
    return count


def check_call(name, looked):
    """Hold one function against the definition; tell whether it means anything for the sample."""
    try:
        call = FUNCTIONS[name].prepare(looked.view)
    except NotApplicableError:
        return False
    except Exception:
        if looked.error is not None:
            return False
        raise
    looked.forget()
    if name in STORES:
        check_stores(name, looked, call, STORES[name])
    else:
        check_reads(name, looked, call)
    return True


def cover(formats, *, step=1):
    """Kinds and shapes in which each layout meets each format, and the rest in turn, so that all pairs come up."""
    number = itertools.count()
    for i, layout in enumerate(LAYOUTS):
        for j, item_format in enumerate(formats):
            k = next(number)
            if k % step:
                continue
            accessor = [*ACCESSORS][(i + j * 7) % len(ACCESSORS)]
            variant = [*VARIANTS][(3 * i + j + k // 5) % len(VARIANTS)]
            shapes = SHAPES[k % len(SHAPES) :] + SHAPES[: k % len(SHAPES)]
            shape = next((each for each in shapes if fits(layout, variant, each)), (4, 4))
            yield Kind(layout, accessor, item_format, variant), shape, bool((i + j) % 2)


def fits(layout, variant, shape):
    """Tell whether extents are for a layout and a variant, and not too many elements."""
    way = VARIANTS[variant]
    return way.takes(shape) and prod(way.extents(shape)) <= MOST and takes(layout, shape)


def without_numpy(step):
    """Look at every so many of the cover in an interpreter that has no NumPy."""
    sys.modules["numpy"] = None
    formats = [name for name, made in FORMATS.items() if not made.needs_numpy]
    return sum([check(kind, shape, any_bits=any_bits) for kind, shape, any_bits in cover(formats, step=step)])


if __name__ == "__main__":
    print(without_numpy(int(sys.argv[1])))
