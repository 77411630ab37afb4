"""What has memory gives a view that shares it, which stores where the memory is not read-only; others are refused."""

import re
from importlib.util import find_spec

import numpy as np
import pytest
from producers import PRODUCERS, REFUSED, kept
from running import produced

from mdview import MDView, asview
from mdview.errors import BufferFormatError

WAY = re.compile(r"asview\((?:[^()]|\([^()]*\))*\)")
GIVEN = ("array", "values", "batch", "dataset", "frame", "image", "pointer", "series", "stream", "table", "value")
"""What refusals call the object that they speak of."""


@pytest.mark.parametrize("name", PRODUCERS)
def test_a_producer_gives_what_its_line_says(name):
    producer = PRODUCERS[name]
    package = producer.package.partition(".")[0]
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    found = produced(name)
    assert producer.gives(found), found


@pytest.mark.parametrize("name", [name for name, each in PRODUCERS.items() if "asview" in each.way or "(" in each.way])
def test_some_way_that_a_refusal_names_leads_to_a_view(name):
    producer, keep, leads = PRODUCERS[name], kept(), False
    if producer.is_alone or producer.outcome != REFUSED or find_spec(producer.package.partition(".")[0]) is None:
        pytest.skip(f"{producer.package} is not installed, or has a process of its own")
    given = producer.make(keep)
    with pytest.raises(BufferFormatError) as told:
        asview(given)
    for way in WAY.findall(str(told.value)):
        names = {"asview": asview, "np": np, "value": 0, **dict.fromkeys(GIVEN, given)}
        for name_of in ({}, {"value": 0}):
            try:
                # No view is kept: Python closes a BytesIO before its views in one cycle, such as the error's with us.
                leads |= isinstance(eval(way, names | name_of), MDView)  # noqa: S307 - our own words
            except Exception:  # noqa: BLE001, S112 - another way is for another object of the type
                continue
    assert leads or not WAY.search(str(told.value))
