"""Tensors of DLPack that others give: each field is checked before memory is read, and a capsule is used once."""

import gc
from array import array
from threading import Barrier, Thread

import numpy as np
import pytest
from processes import output_of
from tensors import Exporter, Made, Older, Versioned, name_of

import mdview as md
from mdview.errors import BufferFormatError, MDViewError

KINDS = {"versioned": {"kind": Versioned}, "older": {"kind": Older}}
WAYS = {"capsule": lambda made: made.capsule(), "object": lambda made: Exporter(made.capsule)}
"""How a tensor is handed over: as the bare capsule, or by an object that makes a new one each time."""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fields", [{}, {"strides": (3, 1)}, {"deleter": False}, {"shape": (), "ndim": 0}], ids=str)
def test_a_taken_tensor_is_deleted_once_and_after_all_views(way, kind, fields):
    made = Made(**KINDS[kind], **fields)
    view = md.asview(WAYS[way](made))
    capsules = len(made.deleted)  # an object is asked twice, and the other one is given back
    assert capsules == (way == "object" and fields.get("deleter", True))
    assert np.asarray(view).ctypes.data == made.items.buffer_info()[0]
    assert np.asarray(view).tolist() == np.array(made.items)[: view.size].reshape(view.shape).tolist()
    assert isinstance(view.accessor, md.ReadOnlyAccessor) is (kind == "older")
    part = view[...]
    view.release()
    del view
    gc.collect()
    assert len(made.deleted) == capsules
    del part
    gc.collect()
    assert len(made.deleted) == capsules + fields.get("deleter", True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_capsule_is_used_once(kind):
    made = Made(**KINDS[kind])
    capsule = made.capsule()
    view = md.asview(capsule)
    assert name_of(capsule) == b"used_" + made.name
    for again in (capsule, Exporter(capsule), Exporter(lambda: capsule)):
        with pytest.raises(BufferFormatError, match="used"):
            md.asview(again)
    same = Made(**KINDS[kind])
    with pytest.raises(BufferFormatError, match="used"):
        md.asview(Exporter(same.capsule()))  # which gives its one capsule twice
    gc.collect()
    assert (len(made.deleted), len(same.deleted)) == (0, 1)
    assert view.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


def test_a_capsule_of_another_library_is_taken_as_its_own_object_is():
    given = np.arange(6.0).reshape(2, 3)
    for capsule in (given.__dlpack__(), given.T.__dlpack__(max_version=(1, 0)), md.asview(given).__dlpack__()):
        assert np.shares_memory(np.asarray(md.asview(capsule)), given)
        with pytest.raises(ValueError, match="used"):
            md.asview(capsule)


def test_one_of_several_threads_takes_a_capsule():
    for _ in range(20):
        made, views, errors = Made(), [], []
        capsule, start = made.capsule(), Barrier(4)

        def take(capsule=capsule, start=start, views=views, errors=errors):
            start.wait()
            try:
                views.append(md.asview(capsule))
            except BufferFormatError as error:
                errors.append(error)

        threads = [Thread(target=take) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (len(views), len(errors), made.deleted) == (1, 3, [])
        views.clear()
        gc.collect()
        assert len(made.deleted) == 1


REFUSED = {
    # what a field says, and what the error names
    "device": ({"device": (2, 0)}, r"\(2, 0\)"),
    "device of another vendor": ({"device": (10, 3)}, r"\(10, 3\)"),
    "negative rank": ({"ndim": -1}, "rank -1"),
    "rank above 64": ({"ndim": 65}, "rank 65"),
    "rank of 31 bits": ({"ndim": 2**31 - 1}, "rank 2147483647"),
    "no shape": ({"shape": None, "ndim": 2}, "rank 2, and no shape"),
    "negative extent": ({"shape": (2, -3)}, "-3"),
    "all extents negative": ({"shape": (-2, -3)}, "-2"),
    "no memory": ({"data": None}, "no memory"),
    "an offset from no memory": ({"data": None, "byte_offset": 64}, "no memory"),
    "offset beyond all addresses": ({"byte_offset": 2**64 - 1}, "addresses"),
    "product of extents": ({"shape": (2**62, 2**62)}, "addresses"),
    "product that is 0 in 64 bits": ({"shape": (2**32, 2**32)}, "addresses"),
    "stride": ({"strides": (2**62, 1)}, "addresses"),
    "stride that is 0 in bytes": ({"strides": (2**61, 1)}, "addresses"),
    "negative stride": ({"strides": (-(2**60), 1)}, "addresses"),
    "lanes": ({"lanes": 2}, "2 lanes"),
    "no lanes": ({"lanes": 0}, "0 lanes"),
    "bits": ({"bits": 24}, "24 bits"),
    "no bits": ({"bits": 0}, "0 bits"),
    "code": ({"code": 99}, "code 99"),
    "a newer version": ({"version": (2, 0)}, "version 2"),
    "no version": ({"version": (0, 8)}, "version 0"),
    "numbers that share bytes": ({"code": 0, "bits": 4, "version": (1, 1), "shape": (2**62, 8)}, "addresses"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", REFUSED)
def test_a_field_that_cannot_be_is_refused_and_nothing_is_deleted_twice(name, way):
    fields, values = REFUSED[name]
    for kind in KINDS if "version" not in fields else ("versioned",):  # older tensors have no version
        made = Made(**KINDS[kind], **fields)
        with pytest.raises(MDViewError, match=values):
            md.asview(WAYS[way](made))
        gc.collect()
        assert len(made.deleted) in {0, 1}


def test_what_is_no_tensor_is_no_capsule():
    other = Made()
    other.name = b"mine"
    for given in (other.capsule(), Exporter(other.capsule), Exporter(3), Exporter(None)):
        with pytest.raises(BufferFormatError, match="capsule"):
            md.asview(given)
    with pytest.raises(BufferFormatError, match=r"\(2, 0\)"):
        md.asview(Exporter(lambda: 1 / 0, device=(2, 0)))  # which is not asked


class Told:
    """Tells of a buffer of 48 bytes beside it, or of its address, as a test says."""

    def __init__(self, *, shape, typestr="<f8", owns=None, by_address=False, **told):
        self.items = array("d", range(6))
        data = (self.items.buffer_info()[0], False) if by_address else self.items
        self.__array_interface__ = {"version": 3, "data": data, "shape": shape, "typestr": typestr} | told
        if owns is not None:
            self.nbytes = owns


WITHIN = {
    "all": ({"shape": (6,)}, [0, 1, 2, 3, 4, 5]),
    "offset": ({"shape": (2,), "offset": 32}, [4, 5]),
    "backwards": ({"shape": (3,), "offset": 40, "strides": (-16,)}, [5, 3, 1]),
    "stride of one": ({"shape": (1,), "offset": 40, "strides": (2**40,)}, [5]),
    "broadcast": ({"shape": (9,), "strides": (0,), "owns": 8}, [0] * 9),
    "of what it owns": ({"shape": (6,), "owns": 48, "by_address": True}, [0, 1, 2, 3, 4, 5]),
    "empty": ({"shape": (0,), "offset": 48}, []),
}
OUTSIDE = {
    "below": {"shape": (2,), "offset": -8},
    "below, by strides": {"shape": (2,), "offset": 8, "strides": (-16,)},
    "above": {"shape": (2,), "offset": 40},
    "far above": {"shape": (2,), "offset": 2**63 - 8},
    "beyond 64 bits": {"shape": (2,), "offset": 2**64},
    "more": {"shape": (7,)},
    "a part of an item more": {"shape": (6,), "offset": 1},
    "stride": {"shape": (2, 3), "strides": (32, 8)},
    "product": {"shape": (2**32, 2**32)},
    "product of bytes": {"shape": (2**61,)},
    "any extent": {"shape": (-1,)},
    "negative extents": {"shape": (-2, -3)},
    "fewer strides": {"shape": (2, 3), "strides": (8,)},
    "items of several": {"shape": (2,), "typestr": "(4,)f8"},
    "more than it owns": {"shape": (6,), "owns": 40, "by_address": True},
    "more than it owns of a buffer": {"shape": (6,), "owns": 40},
}


@pytest.mark.parametrize("name", WITHIN)
def test_what_lies_in_the_buffer_beside_it_is_viewed(name):
    told, values = WITHIN[name]
    assert md.asview(Told(**told)).tolist() == values


@pytest.mark.parametrize("name", OUTSIDE)
def test_what_lies_outside_of_the_buffer_beside_it_is_refused(name):
    with pytest.raises(MDViewError, match="__array_interface__ of Told"):
        md.asview(Told(**OUTSIDE[name]))


AT_EXIT = """
import numpy as np
from mdview import asview
kept = asview(np.arange(3.0).__dlpack__())
class Late:
    def __del__(self): print(kept.tolist())
late = Late()
"""


def test_a_tensor_that_is_held_to_the_end_is_given_back_there():
    output_of(AT_EXIT)
