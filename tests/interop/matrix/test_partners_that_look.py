"""Partners that take a view for an array of their own kind: the spellings of `docs/interop.md` work for all views."""

import numpy as np
import pytest

import mdview as md

VIEWS = {
    "plain": lambda view: view,
    "part": lambda view: view[1:, ::2],
    "flipped": md.flip,
    "tiled": lambda view: md.relayout(view, "tiled(2, 2)"),
    "padded": lambda view: md.pad(view, 1, "edge"),
}
SPELLINGS = {
    "dask": ("dask.array", lambda _, v: md.interop.dask.to_dask(v).compute()),
    "zarr": ("zarr", lambda zarr, v: zarr.array(np.asarray(v))[...]),
    "Pillow": ("PIL.Image", lambda image, v: np.asarray(image.fromarray(np.asarray(v)))),
    "polars": ("polars", lambda pl, v: np.array(pl.Series(np.asarray(v[0])).to_list())[None]),
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("partner", SPELLINGS)
def test_a_partner_takes_the_spelling_of_the_page(partner, view):
    package, call = SPELLINGS[partner]
    module = pytest.importorskip(package, reason=f"{package} is not installed")
    given = VIEWS[view](md.asview(np.arange(24, dtype="u1").reshape(4, 6)))
    expected = np.array(given.tolist())
    assert np.asarray(call(module, given)).tolist() == (expected[:1] if partner == "polars" else expected).tolist()
