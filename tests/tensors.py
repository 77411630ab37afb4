"""The structures of DLPack, and capsules of tensors whose memory, shape and strides belong to the test."""

import ctypes
from array import array

API = ctypes.pythonapi
DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = (
        *(("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32)),
        *(("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)),
        *(("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64))),
        ("byte_offset", ctypes.c_uint64),
    )


class Versioned(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = (
        *(("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p)),
        *(("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", Tensor)),
    )


class Older(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = (("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


def address(capsule, name):
    get = API.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return get(capsule, name)


class Made:
    """A tensor of six doubles of this process, with fields as a test says, its capsule, and calls of its deleter."""

    def __init__(self, *, kind=Versioned, version=(1, 0), flags=0, deleter=True, shape=(2, 3), strides=None, **fields):
        self.items = array("d", range(6))
        self.deleted = []
        self.deleter = DELETER(self.deleted.append)
        self.shape, self.strides = [n if n is None else (ctypes.c_int64 * len(n))(*n) for n in (shape, strides)]
        self.managed = kind(deleter=ctypes.cast(self.deleter, ctypes.c_void_p) if deleter else None)
        if kind is Versioned:
            (self.managed.major, self.managed.minor), self.managed.flags = version, flags
        tensor = self.managed.tensor
        told = {"data": self.items.buffer_info()[0], "device": (1, 0), "code": 2, "bits": 64, "lanes": 1}
        for name, value in (told | {"ndim": len(shape or (1,))} | fields).items():
            setattr(tensor, name, value)
        for name in ("shape", "strides"):
            if getattr(self, name):
                setattr(tensor, name, ctypes.cast(getattr(self, name), ctypes.POINTER(ctypes.c_int64)))
        self.name = b"dltensor" if kind is Older else b"dltensor_versioned"

    def capsule(self):
        new = API.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.managed), self.name, None)


class Exporter:
    """Gives what it is told to, each time anew if that is a function."""

    def __init__(self, gives, device=(1, 0)):
        self.gives, self.device = gives, device

    def __dlpack__(self, **_):
        return self.gives() if callable(self.gives) else self.gives

    def __dlpack_device__(self):
        return self.device


def name_of(capsule):
    get = API.PyCapsule_GetName
    get.restype, get.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return get(capsule)
