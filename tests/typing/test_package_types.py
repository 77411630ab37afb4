"""What other tools say of the types of the package: stubtest, which compares them with the run time, and pyright."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest
from checkers import ROOT, program

pytestmark = pytest.mark.deep
KINDS = {
    r"\.(_as_\w+|_serves|_reads|_element|_rank_witness) is not present": "methods for checkers, which protocols ask for",
    r"\.(_?[A-Z]\w*|_\w+) is not present": "type variables and aliases of a stub, and names under TYPE_CHECKING",
    r"\.Dyn\b": "an extent is an int for checkers; the run time has a mark that is no type of values",
    r"numba_api\.|callable subtype": "classes that are made in a function",
    r"(view_brackets|key_types) failed to import": "stubs of what checkers alone know",
    r"does not have \*args parameter \"_\"": "methods of frozen values refuse whatever they are called with",
    r"@property on stub": "properties that a decorator or a slot makes",
    r"is not a (Union|type alias|subclass of tuple)|not a type$|unknown mypy node": "aliases, which are texts until used",
    r"variable differs from runtime type": "functions that a table makes, and callable objects that have their types",
    r"does not have \*+(kw)?args parameter \"(args|kwargs)\"|parameter \"__arg\d\"": "functions that a cache wraps",
    r"_NamedTuple|metaclass differs": "classes that a metaclass or a library makes",
    r"corpus|cost_model|loop_costs|caches|tracing|offset_analysis|(numba|conformance|testing|symbolic)\.": "made by a decorator of caches, or of tests",
    r"^mdview\.typeof_view": "a name for modules below, which the stub of the package has for them alone",
    r"(views|operations|conversions|mappings|iteration|index|layouts|interop|base)\.\S+ is inconsistent, "
    r"(stub|runtime)( parameter| does not have)": "an overload is narrower than the function: it has its own parameters",
}


def test_each_difference_is_of_a_kind_that_has_a_reason():
    command = [program("stubtest"), "mdview", "--concise", "--ignore-missing-stub", "--mypy-config-file=pyproject.toml"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=ROOT, check=False)
    found = [line for line in done.stdout.splitlines() if line.startswith("mdview")]
    assert found, done.stdout + done.stderr
    assert [line for line in found if not any(re.search(kind, line) for kind in KINDS)] == []
    assert [kind for kind in KINDS if not any(re.search(kind, line) for line in found)] == []


def test_the_type_of_every_public_name_is_known(tmp_path):
    command = [sys.executable, "-m", "pyright", "--verifytypes", "mdview", "--ignoreexternal", "--outputjson"]
    done = subprocess.run(
        [*command, "--pythonpath", sys.executable],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    found = json.loads(done.stdout)["typeCompleteness"]
    assert found["packageRootDirectory"] == str(ROOT / "mdview")
    unknown = [s["name"] for s in found["symbols"] if s["isExported"] and not s["isTypeKnown"]]
    assert (unknown, found["completenessScore"]) == ([], 1)
