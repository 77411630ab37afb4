"""Memory formats of oneDNN, asked of the library itself through its C interface.

Debian 12 ships version 2 (`libdnnl2`), PyPI version 3 (`onednn-cpu-gomp`, into the folder ``lib`` of the environment).

A format tag has a number that depends on the version of the library, so its letters are looked up by the text that the
library prints for each number.
"""

import ctypes
import math
import sys
from pathlib import Path

DESCRIPTOR_BYTES = 1024
"""More than ``sizeof(dnnl_memory_desc_t)`` of any release of version 2, which is 696."""
TAGS = 1000
F32 = 3
CPU = 1


class OneDNN:
    """The library, with an engine and a stream."""

    def __init__(self, library):
        self.library = library
        library.dnnl_fmt_tag2str.restype = ctypes.c_char_p
        library.dnnl_memory_desc_get_size.restype = ctypes.c_size_t
        self.tags = {library.dnnl_fmt_tag2str(number): number for number in reversed(range(1, TAGS))}
        self.engine = ctypes.c_void_p()
        self.stream = ctypes.c_void_p()
        self.call("dnnl_engine_create", ctypes.byref(self.engine), CPU, ctypes.c_size_t(0))
        self.call("dnnl_stream_create", ctypes.byref(self.stream), self.engine, 1)

    def call(self, name, *arguments):
        """Call a function of the library; all return a status."""
        status = getattr(self.library, name)(*arguments)
        if status:
            message = f"{name} returned {status}"
            raise RuntimeError(message)

    def descriptor(self, shape, tag):
        """Describe a tensor of floats."""
        dims = (ctypes.c_int64 * len(shape))(*shape)
        if hasattr(self.library, "dnnl_memory_desc_create_with_tag"):  # version 3 allocates it
            made = ctypes.c_void_p()
            number = self.tags[tag.encode()]
            self.call("dnnl_memory_desc_create_with_tag", ctypes.byref(made), len(shape), dims, F32, number)
            return made
        made = ctypes.create_string_buffer(DESCRIPTOR_BYTES)
        self.call("dnnl_memory_desc_init_by_tag", made, len(shape), dims, F32, self.tags[tag.encode()])
        return made

    def reordered(self, shape, plain, tag):
        """Return 1, 2, ..., the elements of a tensor in the order ``plain``, as stored in the format ``tag``."""
        source, target = self.descriptor(shape, plain), self.descriptor(shape, tag)
        count = math.prod(shape)
        values = (ctypes.c_float * count)(*range(1, count + 1))
        stored = (ctypes.c_float * (self.library.dnnl_memory_desc_get_size(target) // 4))()
        self._reorder(source, values, target, stored)
        return [int(x) for x in stored]

    def into(self, shape, tag, memory, plain):
        """Return an array of NumPy's floats in a format as a new one in another."""
        target = memory.__class__(shape, memory.dtype)
        data = [array.ctypes.data_as(ctypes.c_void_p) for array in (memory, target)]
        self._reorder(self.descriptor(shape, tag), data[0], self.descriptor(shape, plain), data[1])
        return target

    def _reorder(self, source, values, target, stored):
        description, primitive = ctypes.c_void_p(), ctypes.c_void_p()
        made = ctypes.byref(description)
        self.call("dnnl_reorder_primitive_desc_create", made, source, self.engine, target, self.engine, None)
        self.call("dnnl_primitive_create", ctypes.byref(primitive), description)
        arguments = (_Argument * 2)()
        for argument, number, (described, data) in zip(
            arguments, (1, 17), ((source, values), (target, stored)), strict=True
        ):  # DNNL_ARG_FROM is 1, DNNL_ARG_TO is 17
            argument.number = number
            memory = ctypes.c_void_p()
            self.call("dnnl_memory_create", ctypes.byref(memory), described, self.engine, data)
            argument.memory = memory
        self.call("dnnl_primitive_execute", primitive, self.stream, 2, arguments)
        self.call("dnnl_stream_wait", self.stream)


class _Argument(ctypes.Structure):
    _fields_ = (("number", ctypes.c_int), ("memory", ctypes.c_void_p))


def load(version):
    """Return the library of version 2 or 3, or None where there is none."""
    name = f"libdnnl.so.{version}"
    for path in (Path(sys.prefix) / "lib" / name, name):
        try:
            return OneDNN(ctypes.CDLL(str(path)))
        except OSError:
            continue
    return None
