"""Views in files, and a cluster of two processes, which ends with the module: idle workers take time."""

import warnings

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("dask.array")

import mdview as md  # noqa: E402

TILED = md.LayoutTiled(4, 4)


@pytest.fixture
def mapped(tmp_path):
    """Return what makes a view of a new file."""

    def make(name, extents, layout=TILED, values=None, dtype="f8"):
        mapping = md.Mapping(extents, layout)
        (tmp_path / name).write_bytes(bytes(max(mapping.required_span_size, 1) * np.dtype(dtype).itemsize))
        view = md.open_view(tmp_path / name, mapping, dtype, mode="r+")
        if values is not None:
            view[:] = values
        return view

    return make


@pytest.fixture(scope="module")
def cluster():
    """Return a client of two processes on this machine."""
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        local = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1", protocol="tcp"
        )
    client = distributed.Client(local, set_as_default=False, timeout=30)
    yield client
    client.close(timeout=60)
    local.close(timeout=60)  # a worker that has been killed may just be starting again
