"""Whether a library has the ABI that its caller takes it for: at compile time, and at run time by a probe."""

from __future__ import annotations

import ctypes
from struct import unpack_from
from typing import Any, Final

from mdview.base.texts import told
from mdview.errors import CppTypeError
from mdview.index.orders import left_strides, right_strides
from mdview.interop.cpp.abi import Field, Representation, Struct, portable, representation_of, structure
from mdview.interop.cpp.calling import CFunction, address_of
from mdview.interop.cpp.parsing import parse
from mdview.interop.cpp.type_values import RELAXED, CppType, element_kind, index_of
from mdview.interop.cpp.types import AnyView, type_of

_NAMESPACES: Final = {"cccl": "cuda::std", "kokkos": "Kokkos"}
"""Where the mdspan of an ABI is, unless it is in ``std``."""
_FACTS: Final = 64
_EXTENTS: Final = ((3, 2), (2, 1), (2, 0), (1, 0))
"""The first dynamic extent of an example and by how much the next is longer: the first that the index type holds."""
_ADDRESS: Final = 0x0123_4567_89AB_C000
"""The data of the object that a probe makes; it is not read."""


def assertions(source: AnyView | str, *, abi: str) -> str:
    """Return C++ code that does not compile where an mdspan type is not as the ABI has it.

    ``source`` is the text of a type, or a view that is to be passed.

    >>> print(assertions("std::mdspan<float, std::dims<1, int>>", abi="libc++"))  # doctest: +ELLIPSIS
    #include <type_traits>
    static_assert(sizeof(std::mdspan<float, ...>) == 16, "...");
    ...

    Raises
    ------
    CppTypeError
        There is no such type in this ABI.
    """
    found = parse(source).type if isinstance(source, str) else type_of(source, namespace=_NAMESPACES.get(abi))
    made = representation_of(structure(found, abi))
    size, is_signed = index_of(found.index)
    conditions = [
        (f"sizeof({found}) == {made.size}", f"{abi} has {made.text()}"),
        (f"alignof({found}) == {made.alignment}", f"{abi} aligns to {made.alignment} bytes"),
        (f"std::is_trivially_copyable_v<{found}>", "it goes where a C struct goes"),
        (f"{found}::rank() == {found.rank}", "the rank"),
        (f"sizeof({found}::index_type) == {size}", "the index type"),
        (f"{'' if is_signed else '!'}std::is_signed_v<{found}::index_type>", "the sign of the index type"),
    ]
    lines = [f'static_assert({condition}, "mdview: {why}");' for condition, why in conditions]
    return "\n".join(["#include <type_traits>", *lines]) + "\n"


def check_abi(probe: CFunction, text: str, abi: str) -> None:
    """Refuse a library whose mdspans are not what the ABI of a name says: ask the function ``probe`` that it exports.

    The header makes it: ``MDVIEW_PROBE(name, std::mdspan<...>)``.

    Raises
    ------
    CppTypeError
        The library has another type, or keeps it in another way; the message has the fields of both.
    """
    found = parse(text).type
    expected = representation_of(structure(found, abi))
    example = _example(found)
    facts = (ctypes.c_int64 * _FACTS)()
    call: Any = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(address_of(probe))
    call(ctypes.addressof(example), None, ctypes.addressof(facts))
    _check_facts(found, list(facts))
    size, alignment = facts[0], facts[1]
    memory = (ctypes.c_char * (size + alignment))()
    start = ctypes.addressof(memory) + -ctypes.addressof(memory) % alignment
    call(ctypes.addressof(example), start, ctypes.addressof(facts))
    made = ctypes.string_at(start, size)
    values = _values(found, example)
    is_same = (size, alignment) == (expected.size, expected.alignment)
    if is_same and all(_read(made, field) == values[field.name] for field in expected.fields):
        return
    message = f"{found} is not kept as {abi} keeps it: {abi} has {expected.text()}; the library has "
    raise CppTypeError(message + _found(made, alignment, expected, values).text())


def _check_facts(found: CppType, facts: list[int]) -> None:
    """Compare what the probe says of its type with the type that is asked for."""
    index_size, is_signed = index_of(found.index)
    kind = element_kind(found.element)
    statics = [-1 if e is None else e for e in found.extents]
    expected = {
        "rank": (facts[7], found.rank),
        "bytes of the index type": (facts[2], index_size),
        "sign of the index type": (facts[3], int(is_signed)),
        "const of the elements": (facts[6], int(found.is_const)),
    }
    if kind is not None:
        expected["bytes of an element"] = facts[4], int(kind[1:])
    expected |= {f"static extent of dimension {r}": (facts[8 + r], e) for r, e in enumerate(statics[: _FACTS - 8])}
    for what, (has, wanted) in expected.items():
        if has != wanted:
            raise CppTypeError(
                f"the probe is of another type than {told(str(found))}: its {what} is {has}, not {wanted}"
            )


def _example(found: CppType) -> Struct:
    """Return a portable struct with numbers that differ wherever the type leaves them free."""
    most = (1 << 8 * index_of(found.index)[0] - 1) - 1  # also the strides of CCCL's, which have a sign, hold so much
    tried = [[a + b * r if e is None else e for r, e in enumerate(found.extents)] for a, b in _EXTENTS]
    drawn = [(extents, _strides_of(found, extents, most)) for extents in tried]
    extents, strides = next((e, s) for e, s in drawn if (e == tried[-1]) or max(_span(e, s), *s, 0) < most)
    example = portable(found.rank)()
    example.data, example.rank = _ADDRESS, found.rank
    example.offset = 1 + max([0, *strides]) if found.layout == RELAXED else 0
    for r, (e, s) in enumerate(zip(extents, strides, strict=True)):
        example.extents[r], example.strides[r] = e, s
    return example


def _strides_of(found: CppType, extents: list[int], most: int) -> list[int]:
    """Return strides over these extents, which differ from one another where the layout leaves them free."""
    if found.order is not None:
        return list(right_strides(extents) if found.order == "right" else left_strides(extents))
    strides, step = [0] * len(extents), 2 * len(extents) + 3
    for r in reversed(range(len(extents))):
        strides[r], step = step, step * max(extents[r], 1) + 2
    return strides if _span(extents, strides) <= most else [max(1, s) for s in right_strides(extents)]


def _span(extents: list[int], strides: list[int]) -> int:
    return 1 + sum((max(e, 1) - 1) * s for e, s in zip(extents, strides, strict=True))


def _values(found: CppType, example: Struct) -> dict[str, int]:
    """Return the example's numbers, by the names of fields."""
    values = {"data": int(example.data), "offset": int(example.offset)}
    values |= {f"extent[{r}]": example.extents[r] for r in range(found.rank)}
    return values | {f"stride[{r}]": example.strides[r] for r in range(found.rank)}


def _read(made: bytes, field: Field) -> int:
    """Return the number in a field of an object; nothing fits one beyond its end."""
    if field.offset + field.size > len(made):
        return -1
    letter = {1: "b", 2: "h", 4: "i", 8: "q"}[field.size]
    return int(unpack_from(f"={letter if field.name != 'data' else 'Q'}", made, field.offset)[0])


def _found(made: bytes, alignment: int, expected: Representation, values: dict[str, int]) -> Representation:
    """Return the fields that an object shows: each where its number is found first, in a place of its own."""
    fields: list[Field] = []
    taken: set[int] = set()
    for field in sorted(expected.fields, key=lambda field: -field.size):  # small numbers are found in large ones
        for at in range(0, len(made) - field.size + 1, field.size):
            moved = Field(field.name, at, field.size)
            if at not in taken and _read(made, moved) == values[field.name]:
                taken.update(range(at, at + field.size))
                fields.append(moved)
                break
    return Representation(len(made), alignment, tuple(sorted(fields, key=lambda field: field.offset)))
