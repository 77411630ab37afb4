"""The header compiles wherever an mdspan does, without a warning, and says what it needs where there is none."""

import tempfile
from pathlib import Path

import compiled
import libraries
import pytest

from mdview.interop import cpp

pytestmark = pytest.mark.deep
STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic", "-Wshadow")
WITHOUT = ("-fno-exceptions", "-fno-rtti")

PROGRAM = """
#include "mdview.hpp"
#include "mdview.hpp"
namespace md = mdview::md;
using strided = md::mdspan<double, md::dextents<int, 2>, md::layout_stride>;
using mixed = md::mdspan<const float, md::extents<unsigned char, 3, md::dynamic_extent>>;
using scalar = md::mdspan<bool, md::extents<signed char>>;
template <class M>
int there_and_back(const mdview::strided<M::rank()>* s) {
  return static_cast<int>(mdview::check<M>(mdview::from(mdview::as<M>(*s))));
}
extern "C" MDVIEW_EXPORT int f(const mdview::strided<2>* s) { return there_and_back<strided>(s); }
extern "C" MDVIEW_EXPORT int g(const mdview::strided<2>* s) { return there_and_back<mixed>(s); }
extern "C" MDVIEW_EXPORT int h(const mdview::strided<0>* s) { return there_and_back<scalar>(s); }
"""
KOKKOS = """
#include <mdspan>
namespace Kokkos {
using std::mdspan, std::extents, std::dextents, std::dynamic_extent, std::layout_right, std::layout_left;
using std::layout_stride;
}
"""


def errors(name, *flags):
    """What the compiler of an implementation says of the program."""
    compiler = libraries.IMPLEMENTATIONS[name].compiler()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "mdspan").mkdir()
        Path(folder, "mdspan", "mdspan.hpp").write_text(KOKKOS, encoding="utf-8")
        code = Path(folder, "program.cpp")
        code.write_text(PROGRAM, encoding="utf-8")
        places = [f"-I{folder}", f"-I{cpp.include_folder()}", str(code), "-o", str(code.with_suffix(".o"))]
        done = compiled.run_command([*compiler.compile, *STRICT, *flags, *places])
        return done.stderr if done.returncode else ""


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("libc++", ("-std=c++23", "-fexceptions", "-frtti", "-Wconversion")),
        ("libc++", ("-DMDVIEW_KOKKOS", *WITHOUT)),
        ("CCCL", ("-DMDVIEW_CUDA", "-std=c++17")),
        ("CCCL", ("-DMDVIEW_CUDA", "-std=c++20", *WITHOUT)),
    ],
)
def test_the_header_compiles_without_a_warning(name, flags):
    assert errors(name, *flags) == ""


@pytest.mark.parametrize("standard", ["-std=c++17", "-std=c++20"])
def test_a_library_without_mdspan_is_told_the_ways_out(standard):
    found = errors("libc++", standard)
    assert "mdview.hpp needs std::mdspan: compile as C++23" in found
    assert "define MDVIEW_CUDA" in found
