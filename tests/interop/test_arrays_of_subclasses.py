"""asview of arrays that have ways of their own: subclasses, and items that lie elsewhere."""

import numpy as np
import pytest

from mdview import asview
from mdview.errors import BufferFormatError


class Willful(np.ndarray):
    """A subclass whose methods give copies, and which says of itself what an array would not."""

    def ravel(self, *_):
        return np.ndarray.copy(self)

    def __getitem__(self, key):
        return np.array(np.ndarray.__getitem__(self.view(np.ndarray), key))

    @property
    def strides(self):
        return (1,) * self.ndim


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("turn", [np.array, np.transpose, np.flip, np.asfortranarray], ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", ["f8", ">f8", "f2", "c16", "M8[s]", "S3", "U3", "i4, i4", "O"])
@pytest.mark.parametrize("kind", [np.matrix, Willful])
def test_methods_of_a_subclass_have_no_say(kind, dtype, turn):
    plain = turn(np.arange(6).astype(dtype).reshape(2, 3))
    given = plain.view(kind)
    for _ in range(2):
        view = asview(given)
        assert view.data is given
        assert view.layout == asview(plain).layout
        assert np.asarray(view).tolist() == plain.tolist()
        assert np.shares_memory(np.asarray(view), plain)
    view[0, 1] = view[1, 0]
    assert plain[0, 1] == plain[1, 0]


def test_texts_that_lie_outside_of_their_array_are_refused():
    texts = np.array(["a", "bc"], dtype=np.dtypes.StringDType())
    for array in (texts, texts[::-1], texts[:0], texts[0:1].reshape(()), np.broadcast_to(texts, (3, 2))):
        with pytest.raises(BufferFormatError, match=r"lie outside of their array, .*asview\(array\.astype"):
            asview(array)
    assert asview(texts.astype("U8")).tolist() == ["a", "bc"]
    assert asview(texts.astype(object)).tolist() == ["a", "bc"]
