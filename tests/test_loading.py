"""Threads may make the first calls of a process, which import modules and partners, at once and in any order."""

import ast
import os
import sys
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest
from processes import output_of

import mdview

ROOT = Path(mdview.__file__).parents[1]


@cache
def trees():
    """The code of each module by its name."""
    paths = {
        path.relative_to(ROOT).with_suffix("").as_posix().replace("/", "."): path
        for path in ROOT.glob("mdview/**/*.py")
    }
    return {name.removesuffix(".__init__"): ast.parse(path.read_text("utf-8")) for name, path in sorted(paths.items())}


PROCESSES = int(os.environ.get("MDVIEW_PROCESSES", "2"))
"""How many fresh processes make the first calls in threads; 200 take a quarter of an hour."""

AT_ONCE = """
import copy, pickle, sys, threading
from array import array
sys.setswitchinterval(1e-5)
barrier, errors = threading.Barrier(20), []

def kernel():
    import numba
    from mdview import LayoutTiled, MDView
    view = MDView(array("d", range(16)), (4, 4), LayoutTiled(2, 2))
    assert numba.njit(lambda v: v[1, 0] + v[0, 1])(view) == 3

def step():
    from mdview import MDView, atomic
    assert atomic(MDView(array("q", [4]), (1,)))[0].fetch_add(1) == 4

def large():
    import numpy as np
    from mdview import asview, copy
    source, target = np.arange(1 << 18).reshape(512, 512), np.zeros((512, 512), int)
    copy(asview(source.T), asview(target))
    assert (target == source.T).all()

def small():
    from mdview import LayoutTiled, MDView, copy, full, transform, zeros
    view = full((30, 40), 2.0, layout=LayoutTiled(4, 4))
    target = zeros((30, 40))
    copy(view, target)
    assert transform(abs, target).tolist() == view[:].tolist()

def travels():
    from mdview import MDView, equal
    view = MDView(array("d", range(6000)), (120, 50))[::2, ::-1]
    assert equal(pickle.loads(pickle.dumps(view)), view) and equal(copy.deepcopy(view), view)

def shared():
    from multiprocessing.shared_memory import SharedMemory
    from mdview import MDView, asview
    memory = SharedMemory(create=True, size=64)
    asview(memory).release()
    memory.close()
    memory.unlink()

def arrays():
    import numpy as np
    from mdview import MDView, asview
    assert asview(np.arange(6)[::-2]).tolist() == [5, 3, 1]
    assert np.asarray(MDView([1, 2], (2,))).tolist() == [1, 2]

WORKS = [kernel, step, large, small, travels, shared, arrays]

def work(k):
    barrier.wait()
    for j in range(len(WORKS)):
        try:
            WORKS[(j + k) % len(WORKS)]()
        except BaseException as error:
            errors.append((WORKS[(j + k) % len(WORKS)].__name__, repr(error)))

threads = [threading.Thread(target=work, args=(k,)) for k in range(20)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert not errors, errors
"""


def test_twenty_threads_may_make_the_first_calls_of_a_process():
    pytest.importorskip("numba")
    for _ in range(PROCESSES):
        assert output_of(AT_ONCE) == ""


LOOKUPS = """
import collections.abc  # which fails by itself where several threads load it first: Python 3.13.0
import random, sys, threading
from importlib import import_module
sys.setswitchinterval(1e-6)
seed, *modules = sys.argv[1:]
rng, barrier, errors = random.Random(int(seed)), threading.Barrier(20), []
some = rng.sample(modules, rng.choice((3, 8, len(modules))))
WAYS = [import_module, lambda name: exec(f"import {name}; {name}"), lambda name: exec(f"from {name} import *", {})]

def work(names, way):
    barrier.wait()
    for name in names:
        try:
            way(name)
        except BaseException as error:
            errors.append((name, repr(error)))

works = [(rng.choices(some, k=rng.choice((1, 3, 10))), rng.choice(WAYS)) for _ in range(20)]
threads = [threading.Thread(target=work, args=args) for args in works]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert not errors, errors
"""


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(1, 40))])
def test_twenty_threads_may_load_any_modules_in_any_order(seed):
    apart = ("__main__", "numba", "compiled_accessors", "dask", "zarr")
    assert (
        output_of(LOOKUPS, seed, *[name for name in trees() if not set(apart) & {*name.split(".")}], timeout=60) == ""
    )


def loads(name):
    """The modules that a module waits for while it is loaded: its package, and those that it imports."""
    yield name.rpartition(".")[0]
    for node in trees()[name].body:
        if isinstance(node, ast.ImportFrom) and node.module in trees():
            yield node.module
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in trees() else first_used(node.module).get(alias.name, node.module)


@cache
def first_used(package):
    """The modules from which a package loads its names on first use."""
    stub = ROOT.joinpath(*package.split("."), "__init__.pyi")
    nodes = ast.parse(stub.read_text("utf-8")).body if stub.exists() else []
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module != package]
    return {alias.name: node.module for node in imports for alias in node.names}


def packages_late(tree):
    """The modules of other libraries that a module imports before their package, which may import them itself."""
    loaded = set()
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for name in [node.module] if isinstance(node, ast.ImportFrom) else names:
            package, is_inner, _ = name.partition(".")
            if is_inner and package not in loaded | sys.stdlib_module_names | {"mdview"}:
                yield name
            loaded.add(package)


def test_a_module_of_a_library_is_imported_after_its_package():
    """A thread that has locked ``numpy.typing``, and waits for NumPy, gives half of it to the one that loads NumPy."""
    assert {name: late for name, tree in trees().items() if (late := [*packages_late(tree)])} == {}


@pytest.mark.parametrize("name", ["mdview.index", "mdview.index.extents", "mdview.layouts.tiled"])
def test_a_loaded_module_that_python_has_not_bound_yet_is_answered(name, monkeypatch):
    module, (package, _, child) = import_module(name), name.rpartition(".")
    monkeypatch.delattr(sys.modules[package], child)
    assert getattr(sys.modules[package], child) is module


def test_no_module_waits_for_one_that_waits_for_it():
    graph = {name: {*loads(name)} - {"", name} for name in trees()}
    assert {name for name in graph if any(each.startswith(f"{name}.") for each in graph[name])} == set()
    assert {*TopologicalSorter(graph).static_order()} >= {*trees()}


def test_what_a_module_asks_of_those_above_it_is_listed():
    for name, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "import_module" and name != "mdview":
                assert not ast.unparse(node.args[0]).strip("'\"f{").startswith(("mdview", "__name__")), name
