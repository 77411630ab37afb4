"""Reports are read to the letter: the verdict on each planted bug is the one in ``reports.txt``.

``python tests/testing/test_reports.py`` writes the file. What changes in it is for a person to read: each
counterexample names the smallest place, what its law asks for there, and what was found instead.
"""

import re
import sys
from pathlib import Path

import pytest
from planted import ACCESSORS, LAYOUTS, SMALL, Dense, fresh

from mdview import LayoutStride, MDView
from mdview.testing import examine_accessor, examine_layout, view_laws
from mdview.testing.bound import Bound

FILE = Path(__file__).with_name("reports.txt")
HEAD = "=== "


def verdict_on_layout(name):
    layout, _, _ = fresh(LAYOUTS, name)
    only = SMALL if isinstance(layout, Dense) else [extents for extents in SMALL if len(extents) == 2]
    return report(examine_layout(layout, *only))


def verdict_on_accessor(name):
    return report(examine_accessor(fresh(ACCESSORS, name)[0]))


def report(verdict):
    """The text, without the messages of errors, which are read elsewhere, and without hashes."""
    text = re.sub(r"(\w+(Error|Warning)): .*", r"\1", str(verdict))
    return re.sub(r"-?\d{6,}", "N", text)


def known():
    """What the file says, by name."""
    found = {}
    for part in FILE.read_text(encoding="utf-8").split(HEAD)[1:]:
        name, _, text = part.partition("\n")
        found[name] = text.rstrip("\n")
    return found


REPORTS = known() if FILE.exists() else {}


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_report_on_a_layout_is_the_one_that_was_read(name):
    assert verdict_on_layout(name) == REPORTS[f"layout: {name}"]


@pytest.mark.parametrize("name", ACCESSORS)
def test_the_report_on_an_accessor_is_the_one_that_was_read(name):
    assert verdict_on_accessor(name) == REPORTS[f"accessor: {name}"]


def test_no_report_is_left_over():
    assert [*REPORTS] == [f"layout: {name}" for name in LAYOUTS] + [f"accessor: {name}" for name in ACCESSORS]


PLACES = {
    "scalar engine": "view[...] (0, 0), extents are dynamic: the element at offset 0 - the element at offset -1",
    "scalar store": "view[...] = x (0, 0): offset 0 changes - offsets [-1, 0] differ",
    "bulk engine": "call view.tolist(): offsets [0, 1, 2, 3, 4, 5] - offsets [-1, 0, 1, 2, 3, 4]",
    "array engine": "call values of all elements: offsets [0, 1, 2, 3, 4, 5] - offsets [-1, 0, 1, 2, 3, 4]",
    "numpy": "call np.asarray(view): offsets [0, 1, 2, 3, 4, 5] - offsets [-1, 0, 1, 2, 3, 4]",
}


@pytest.mark.parametrize("law", PLACES)
def test_the_report_on_an_engine_that_is_off_by_one_names_the_way_it_was_asked(law, monkeypatch):
    made = MDView.from_mapping
    shifted = staticmethod(lambda data, mapping, *rest, origin=0: made(data, mapping, *rest, origin=origin - 1))
    monkeypatch.setattr(MDView, "from_mapping", shifted)
    [one] = [one for one in view_laws.VIEW_LAWS if one.name == law]
    finding = one.check(Bound(LayoutStride(), (2, 3)))
    where = ", ".join([f"{label} {text}" for label, text in finding.place])
    assert f"{where}: {finding.expected} - {finding.got}" == PLACES[law]


if __name__ == "__main__":
    texts = {f"layout: {name}": verdict_on_layout(name) for name in LAYOUTS}
    texts |= {f"accessor: {name}": verdict_on_accessor(name) for name in ACCESSORS}
    FILE.write_text("\n\n".join([f"{HEAD}{name}\n{text}" for name, text in texts.items()]) + "\n", encoding="utf-8")
    sys.stdout.write(f"{FILE}: {len(texts)} reports\n")
