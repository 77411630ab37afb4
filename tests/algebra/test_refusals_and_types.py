"""The algebra says why it refuses, takes views for their mappings, and writes types of CuTe."""

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from mdview import LayoutComposed, LayoutRight, LayoutSwizzled, Mapping, MDView, algebra
from mdview.errors import NotNested, ShapeError
from mdview.interop.cpp import cpp_type

L = algebra.from_cute


def test_ragged_tiles_have_padding_where_the_last_tile_exceeds_the_mapping():
    with pytest.raises(ShapeError, match="13 is no"):
        algebra.logical_divide(L("13:1"), 4)
    ragged = algebra.logical_divide(L("13:1"), 4, ragged=True)
    assert [i + 4 * j for j in range(4) for i in range(4) if ragged.is_valid(i, j)] == [*range(13)]
    assert ragged(0, 3) == 12


def test_what_is_no_nested_layout_is_composed():
    composed = algebra.compose(L("(6,4):(1,10)"), L("(2,3):(3,2)"))
    assert type(composed.layout) is LayoutComposed
    with pytest.raises(NotNested, match="index 5 needs 7, and there is 11"):
        algebra.nested(composed)


def test_a_view_stands_for_its_mapping():
    view = MDView([*range(16)], (4, 4))
    tiles = algebra.zipped_divide(view, (2, 2))
    assert MDView.from_mapping(view.data, tiles).tolist()[0] == [0, 8, 2, 10]


TEXTS = (
    "(4,(2,2)):(2,(1,8))",
    "((2,2),(2,3)):((1,16),(4,32))",
    "Sw<2,0,3> o 0 o (8,8):(8,1)",
    "Sw<1,1,2> o 3 o (4,4):(4,1)",
)
PROGRAM = """#include <cute/tensor.hpp>
#include <cstdio>
int main() {{
  auto tell = [](auto m) {{ for (int i = 0; i < cute::size(m); ++i) std::printf("%d ", int(m(i))); std::puts(""); }};
{calls}
}}
"""


def _headers():
    """Folders of headers: CUTLASS in CUTLASS_PATH or beside this environment, and CUDA's packages."""
    packages = Path(sysconfig.get_path("purelib"))
    folders = [Path(os.environ.get("CUTLASS_PATH", packages / "cutlass_library" / "source")) / "include"]
    return [*folders, *[packages / "nvidia" / name / "include" for name in ("cuda_cccl", "cuda_runtime", "cuda_nvcc")]]


@pytest.mark.deep
def test_cute_has_the_offsets_of_the_types_that_are_written(tmp_path):
    compiler, headers = shutil.which("g++"), _headers()
    if compiler is None or not all(folder.is_dir() for folder in headers):
        pytest.skip("needs g++, CUTLASS_PATH, and nvidia-cuda-{cccl,nvcc,runtime}-cu12")
    mappings = [*map(L, TEXTS)]
    calls = "\n".join(f"  tell({cpp_type(m, namespace='cute')}{{}});" for m in mappings)
    (tmp_path / "tell.cpp").write_text(PROGRAM.format(calls=calls), encoding="utf-8")
    folders = [f"-I{folder}" for folder in headers]
    subprocess.run([compiler, "-std=c++17", "-w", *folders, "tell.cpp", "-o", "tell"], cwd=tmp_path, check=True)
    told = subprocess.run([tmp_path / "tell"], check=True, capture_output=True, text=True).stdout.splitlines()
    assert [[*map(int, line.split())] for line in told] == [offsets_in_f(m) for m in mappings]


def offsets_in_f(mapping):
    rows, columns = mapping.extents
    return [mapping(i, j) for j in range(columns) for i in range(rows)]


def test_types_of_cute_are_written_as_recorded():
    swizzled = Mapping((8, 8), LayoutSwizzled(LayoutRight(), 2, 0, 3))
    assert cpp_type(swizzled, namespace="cute") == (
        "cute::ComposedLayout<cute::Swizzle<2, 0, 3>, cute::Int<0>, cute::Layout<cute::Shape<cute::Int<8>, "
        "cute::Int<8>>, cute::Stride<cute::Int<8>, cute::Int<1>>>>"
    )
    assert cpp_type(L("(4,(2)):(2,(1))"), namespace="cute") == (
        "cute::Layout<cute::Shape<cute::Int<4>, cute::Shape<cute::Int<2>>>, "
        "cute::Stride<cute::Int<2>, cute::Stride<cute::Int<1>>>>"
    )
