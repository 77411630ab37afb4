"""What has memory gives a view that shares it, which stores where the memory is not read-only; others are refused."""

from importlib.util import find_spec

import pytest
from producers import PRODUCERS
from running import produced


@pytest.mark.parametrize("name", PRODUCERS)
def test_a_producer_gives_what_its_line_says(name):
    producer = PRODUCERS[name]
    package = producer.package.partition(".")[0]
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    found = produced(name)
    assert producer.gives(found), found
