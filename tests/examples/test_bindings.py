"""The examples of bindings: functions of C++ take views by nanobind and pybind11, without a copy, or refuse them."""

import importlib.util
import sys
from array import array
from hashlib import sha256
from importlib import metadata
from pathlib import Path

import compiled as compiled_programs
import pytest

import mdview as md
from mdview.errors import MDViewError

pytestmark = pytest.mark.deep

TESTS = Path(__file__).parents[1]
FOLDER = TESTS.parent / "examples" / "bindings"
sys.path.append(str(TESTS / "conformance" / "cpp"))
import implementations  # noqa: E402 - the path leads there

SPEC = importlib.util.spec_from_file_location("build_bindings", FOLDER / "build.py")
building = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(building)

HAS_BUFFERS = sys.version_info >= (3, 12)
"""Whether a class of Python can export a buffer."""


def module_of(name, package):
    """The compiled example, built once for its sources, its package, its compiler and this Python."""
    pytest.importorskip("numpy")
    pytest.importorskip(package)
    if implementations.host() is None:
        pytest.importorskip("ziglang")
    inputs = [(FOLDER / each).read_text(encoding="utf-8") for each in (f"{name}.cpp", "build.py")]
    inputs += [sys.version, metadata.version(package), *building.compiler(), *map(str, building.mdspan_headers())]
    folder = compiled_programs.cache_folder() / f"bindings-{sha256(''.join(inputs).encode()).hexdigest()[:32]}"
    with compiled_programs.locked(folder.with_suffix(".lock")):
        folder.mkdir(exist_ok=True)
        found = next(folder.glob(f"{name}*"), None) or compiled(name, folder)
    spec = importlib.util.spec_from_file_location(name, found)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiled(name, folder):
    """Compile into a part of the folder, so that what is in the folder is whole."""
    part = folder / "part"
    part.mkdir(exist_ok=True)
    target = part / f"{name}.so"
    result = compiled_programs.run_command(building.command(name, target))
    assert result.returncode == 0, result.stderr
    return target.replace(folder / target.name)


@pytest.fixture(scope="module")
def nanobind():
    return module_of("nanobind_example", "nanobind")


@pytest.fixture(scope="module")
def pybind11():
    return module_of("pybind11_example", "pybind11")


@pytest.fixture(params=["nanobind", "pybind11"])
def module(request):
    return request.getfixturevalue(request.param)


def numbers(count=24):
    return array("d", range(count))


VIEWS = {
    "right": lambda data: md.MDView(data, (4, 6)),
    "left": lambda data: md.MDView(data, (4, 6), md.LayoutLeft()),
    "padded": lambda data: md.MDView(data, (3, 5), md.LayoutRightPadded(8)),
    "flipped": lambda data: md.flip(md.MDView(data, (4, 6))),
    "backwards along rows": lambda data: md.MDView(data, (4, 6))[:, ::-2],
    "transposed": lambda data: md.permute_dims(md.MDView(data, (4, 6)), (1, 0)),
    "window": lambda data: md.subview(md.MDView(data, (4, 6)), (1, 3), (2, 5)),
    "one row of a cube": lambda data: md.MDView(data, (2, 3, 4))[1],
    "tile": lambda data: md.subview(md.MDView(data, (4, 6), md.LayoutTiled(2, 3)), (2, 4), (3, 6)),
    "one element": lambda data: md.MDView(data, (4, 6))[3:, 5:],
    "empty": lambda data: md.MDView(data, (4, 6))[4:],
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_function_takes_a_view_where_it_lies(module, name):
    """With its shape, its strides and its address; it reads, and it writes into the view alone."""
    data = numbers()
    view = VIEWS[name](data)
    # Where classes export no buffers nanobind takes DLPack, which exports no negative strides.
    if "nanobind" in module.__name__ and min(view.strides) < 0 and not HAS_BUFFERS:
        with pytest.raises(TypeError):
            module.describe(view)
        return
    shape, strides, address = module.describe(view)
    assert shape == tuple(view.extents)
    if view.size > 1:
        assert strides == view.strides
        assert address == data.buffer_info()[0] + data.index(view[0, 0]) * data.itemsize
    before = view.tolist()
    assert module.total(view) == module.total(md.readonly(view)) == sum(map(sum, before))
    module.scale(view, 10.0)
    assert view.tolist() == [[10 * x for x in row] for row in before]
    touched = [k for k, x in enumerate(data) if x != k]
    assert len(touched) == view.size - (0.0 in [x for row in before for x in row])


def test_a_broadcast_view_is_read_with_a_stride_of_0(module):
    view = md.broadcast_to(md.MDView(numbers(), (6,)), (4, 6))
    assert module.describe(view)[1] == (0, 1)
    assert module.total(view) == 60


REFUSED = {
    "read-only": lambda data: md.readonly(md.MDView(data, (4, 6))),
    "of bytes": lambda data: md.MDView(memoryview(bytes(data)).cast("d"), (4, 6), accessor=md.ReadOnlyAccessor()),
    "tiled": lambda data: md.MDView(data, (4, 6), md.LayoutTiled(2, 3)),
    "of float32": lambda data: md.MDView(array("f", data), (4, 6)),
    "of rank 1": lambda data: md.MDView(data, (24,)),
    "atomic": lambda data: md.atomic(md.MDView(data, (4, 6))),
    "scaled": lambda data: md.MDView(data, (4, 6), accessor=md.accessors.ScaledAccessor(2.0)),
    "released": lambda data: released(md.MDView(data, (4, 6))),
}


def released(view):
    view.release()
    return view


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_written_in_place_is_refused_and_stays_as_it_is(module, name):
    data = numbers()
    view = REFUSED[name](data)
    scales = [module.scale, *([module.scale_buffer] if hasattr(module, "scale_buffer") and HAS_BUFFERS else [])]
    for scale in scales:
        with pytest.raises((TypeError, ValueError, BufferError, MDViewError)):
            scale(view, 10.0)
    assert data == numbers()
    if name != "released":
        kept = view.tolist()[0]
        assert (kept[1] if isinstance(kept, list) else kept) in {0.0, 1.0, 2.0}


def test_the_memory_stays_locked_while_the_view_lives(module):
    data = numbers()
    view = md.MDView(data, (4, 6))
    module.scale(view, 2.0)
    with pytest.raises(BufferError):
        data.append(1.0)
    view.release()
    data.append(1.0)


def test_a_view_as_mdspan(nanobind):
    if not hasattr(nanobind, "number"):
        pytest.skip("the library of this C++ compiler has no <mdspan>: pip install 'mdview-layouts[conformance]'")
    data = numbers()
    for name in ("right", "left", "padded", "transposed", "window", "tile", "empty"):
        view = VIEWS[name](data)
        nanobind.number(view)
        rows, columns = view.extents
        assert view.tolist() == [[10.0 * i + j for j in range(columns)] for i in range(rows)]
    with pytest.raises((TypeError, ValueError)):  # neither DLPack nor a layout of C++ has negative strides
        nanobind.number(md.flip(md.MDView(data, (4, 6))))


def test_a_copy_will_do_for_reading_what_is_not_strided(pybind11):
    view = md.MDView(numbers(), (4, 6), md.LayoutTiled(2, 3))
    assert pybind11.total(view) == 276


@pytest.mark.skipif(not HAS_BUFFERS, reason="classes export buffers from Python 3.12 on")
@pytest.mark.parametrize("name", VIEWS)
def test_a_buffer_of_pybind11_is_the_view_itself(pybind11, name):
    data = numbers()
    view = VIEWS[name](data)
    before = view.tolist()
    pybind11.scale_buffer(view, 10.0)
    assert view.tolist() == [[10 * x for x in row] for row in before]


@pytest.mark.skipif(HAS_BUFFERS, reason="classes export buffers from Python 3.12 on")
def test_below_python_3_12_a_view_is_no_buffer(pybind11):
    with pytest.raises(TypeError):
        pybind11.scale_buffer(md.MDView(numbers(), (4, 6)), 10.0)


def test_the_program_of_the_page_runs(module, monkeypatch):
    page = (TESTS.parent / "docs" / "interop.md").read_text(encoding="utf-8")
    partner = module.__name__.removesuffix("_example")
    program = page.split(f"### {partner}\n\n```python\n")[1].split("```")[0]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(program, {})


def test_building_names_what_is_missing():
    with pytest.raises(
        ModuleNotFoundError, match=r"no_such_package is missing: pip install 'mdview-layouts\[bindings\]'"
    ):
        building.folder_of("no_such_package")
