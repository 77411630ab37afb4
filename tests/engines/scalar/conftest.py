"""Every test of the scalar engine begins without access plans: what another test has asked for decides nothing."""

import pytest

from mdview.engines.scalar import access_plans


@pytest.fixture(autouse=True)
def no_access_plans(monkeypatch):
    for cache in ("_bound", "_classes", "plans"):
        monkeypatch.setattr(access_plans, cache, {})
