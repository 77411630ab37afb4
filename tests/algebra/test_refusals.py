"""What the algebra refuses says which rule, index or step it is, and what to do."""

import os
import pickle
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from mdview import LayoutRight, LayoutSwizzled, Mapping, MDView, algebra, errors, pad
from mdview.algebra import f2
from mdview.interop.cpp import cpp_type

L = algebra.from_cute
CASES = {
    "no mapping": (lambda: algebra.compose(3, L("4:1")), "a must be a view or a mapping, got int 3"),
    "order": (lambda: algebra.coalesce(L("4:1"), order="A"), "order must be 'F', as CuTe has it, or 'C'"),
    "outside": (lambda: algebra.compose(L("8:1"), L("16:1")), "index 15 of b has value 15, and there are 8 indices"),
    "too long": (lambda: algebra.zipped_divide(L("2:1"), 3), "index 2 of b.*make it smaller, or ragged=True"),
    "tile": (lambda: algebra.compose(L("(2,2):(1,2)"), (3,)), "index 2 of tiler 0.*make it smaller"),
    "below": (lambda: algebra.compose(L("8:1"), L("4:-1")), "index 3 of b has value -3"),
    "tilers": (lambda: algebra.zipped_divide(L("8:1"), (2, 2)), "2 tilers for the 1 dimensions"),
    "13 by 4": (lambda: algebra.logical_divide(L("13:1"), 4), "13 is no multiple of 4.*pad to 16, or ragged=True"),
    "5 by 4": (lambda: algebra.zipped_divide(L("(5,4):(1,5)"), (4, 4)), "5 is no multiple of 4"),
    "shape": (lambda: algebra.tile_to_shape(L("(2,2):(1,2)"), (4, 5)), "extent 5 of dimension 1.*2.*pad to 6"),
    "step": (lambda: algebra.complement(L("(2,2):(1,3)"), 12), "step 3 is no multiple of 2"),
    "shared": (lambda: algebra.left_inverse(L("(2,2):(1,1)")), "indices 1 and 2 have one offset"),
    "leaf": (lambda: algebra.refine(L("(6,4):(1,10)"), (4, 6)), "a part of 4 ends within a digit of 6"),
    "size": (lambda: algebra.refine(L("6:1"), (4, 2)), "a shape of 6 elements is needed"),
    "padding": (lambda: algebra.nested(pad(Mapping((4,)), 1)), "has padding"),
    "recast": (lambda: algebra.recast(L("6:2"), 32, 8), "part 6:2 is no whole number"),
    "bits": (lambda: f2.linear(L("12:1")), "extent 12 of dimension 0 is no power of two; pad to 16"),
    "coordinate": (lambda: algebra.at_coordinate(L("(2,3):(1,2)"), (1, 3)), "coordinate 3 is out of range for 3"),
    "text": (lambda: L("(4,8):(1,)x"), "written as"),
    "form": (lambda: L("(4,8):1"), "have one form"),
    "origin": (lambda: cpp_type(L("1 o 4:1"), namespace="cute"), "add it to the pointer"),
    "view": (lambda: MDView(bytearray(4), (4,), L("4:-1").layout), "make its origin 3 more"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_error_has_the_place_and_the_way_out(case):
    with pytest.raises(errors.MDViewError, match=case[1]) as refused:
        case[0]()
    again = pickle.loads(pickle.dumps(refused.value))  # noqa: S301 - what was written a moment ago
    assert (str(again), vars(again)) == (str(refused.value), vars(refused.value))


def test_operations_explain_their_steps_and_what_blocks_them():
    told = algebra.explain(algebra.compose, L("(6,4):(1,10)"), L("(2,3):(3,2)"))
    assert "index 5 needs 7, and there is 11; the result is a LayoutComposed" in told
    assert "blocked: ShapeError: 13 is no" in algebra.explain(algebra.logical_divide, L("13:1"), 4)
    ragged = algebra.logical_divide(L("13:1"), 4, ragged=True)
    assert [i + 4 * j for j in range(4) for i in range(4) if ragged.is_valid(i, j)] == [*range(13)]
    assert ragged(0, 3) == 12


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
