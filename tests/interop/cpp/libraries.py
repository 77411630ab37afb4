"""The libraries that C++ is asked by: one for each implementation of mdspan, compiled once and kept in a cache."""

import ctypes
import sys
import tempfile
from pathlib import Path

import compiled

import mdview

HERE = Path(__file__).parent
HEADERS = Path(mdview.__file__).parent / "interop" / "cpp"
sys.path.insert(0, str(HERE.parents[1] / "conformance" / "cpp"))

from implementations import IMPLEMENTATIONS  # noqa: E402 - the path leads there

READ = {
    "const_stride": "mdspan<const double, dextents<std::int64_t, 2>, layout_stride>",
    "const_right": "mdspan<const double, dextents<std::int64_t, 2>>",
}
WRITE = {
    "right2": "mdspan<double, dextents<std::int64_t, 2>>",
    "right1": "mdspan<double, dextents<std::int32_t, 1>>",
    "fixed": "mdspan<double, extents<std::int32_t, 3, 4>, layout_right>",
    "fixed_left": "mdspan<double, extents<std::int64_t, 3, 4>, layout_left>",
    "left_mixed": "mdspan<float, extents<std::int32_t, 3, dynamic_extent>, layout_left>",
    "stride2": "mdspan<double, dextents<std::int64_t, 2>, layout_stride>",
    "stride_fixed": "mdspan<double, extents<std::int32_t, 3, 4>, layout_stride>",
    "stride3": "mdspan<std::int32_t, extents<std::int32_t, 2, dynamic_extent, 4>, layout_stride>",
    "right0": "mdspan<double, extents<std::int64_t>>",
    "stride0": "mdspan<double, extents<std::int64_t>, layout_stride>",
    "bytes": "mdspan<std::uint8_t, dextents<std::size_t, 3>, layout_right>",
    "narrow4": "mdspan<double, dextents<std::int8_t, 4>, layout_stride>",
    "short_index": "mdspan<std::int64_t, dextents<std::int16_t, 3>, layout_stride>",
}
RELAXED = {
    "relaxed2": "mdspan<double, dextents<std::int64_t, 2>, cuda::layout_stride_relaxed>",
    "relaxed_fixed": "mdspan<double, extents<std::int32_t, 3, 4>, cuda::layout_stride_relaxed>",
    "relaxed_int": "mdspan<double, dextents<std::int32_t, 2>, cuda::layout_stride_relaxed>",
    "relaxed0": "mdspan<double, extents<std::int64_t>, cuda::layout_stride_relaxed>",
}
RELAXED_READ = {"relaxed_const": "mdspan<const double, dextents<std::int64_t, 2>, cuda::layout_stride_relaxed>"}
ABIS = {"libc++": "std", "CCCL": "cuda::std"}


def types(name):
    """What the library of an implementation has, by name: the types that store, and the texts of all of them."""
    relaxed = name == "CCCL"
    write = WRITE | (RELAXED if relaxed else {})
    read = READ | (RELAXED_READ if relaxed else {})
    return write, {key: spelt(text, ABIS[name]) for key, text in (write | read).items()}


def spelt(text, namespace):
    for word in ("mdspan", "dextents", "extents", "layout_right", "layout_left", "layout_stride", "dynamic_extent"):
        text = text.replace(f" {word}", f" {namespace}::{word}")
    return f"{namespace}::{text}"


def program(name):
    write, every = types(name)
    lines = [f"{'WRITE' if key in write else 'READ'}({key}, {text})" for key, text in every.items()]
    return (HERE / "library.cpp").read_text(encoding="utf-8").replace("\nTYPES", "\n" + "\n".join(lines))


def build(name, text=None, flags=()):
    """Compile a library, and return its path."""
    compiler = IMPLEMENTATIONS[name].compiler()
    if name == "CCCL":
        flags = (*flags, "-DMDVIEW_CUDA")
    compile_it = [*compiler.compile, "-fPIC", "-fvisibility=hidden", *flags, f"-I{HEADERS}"]
    return compiled.program(program(name) if text is None else text, compile_it, [*compiler.link, "-shared"], ".so")


def compile_error(name, text):
    """What the compiler says of a program; nothing if it compiles."""
    compiler = IMPLEMENTATIONS[name].compiler()
    flags = ("-DMDVIEW_CUDA",) if name == "CCCL" else ()
    with tempfile.TemporaryDirectory() as folder:
        code = Path(folder, "program.cpp")
        code.write_text(text, encoding="utf-8")
        done = compiled.run_command(
            [*compiler.compile, *flags, f"-I{HEADERS}", str(code), "-o", str(code.with_suffix(".o"))]
        )
        return done.stderr if done.returncode else ""


def load(name):
    return ctypes.CDLL(str(build(name)))
