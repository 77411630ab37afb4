"""What mdview and an implementation answer to the drawn questions is worked out once in a test run, whoever asks."""

from functools import cache

import pytest

from mdview.conformance import implementations, questions


def once(function):
    """A function that remembers its results by its last argument, which is kept, and the others."""
    known = {}

    def call(*given):
        key = (*given[:-1], id(given[-1]))
        if key not in known:
            known[key] = given[-1], function(*given)
        return known[key][1]

    return call


@pytest.fixture(scope="session", autouse=True)
def answered_once():
    kept = cache(questions.drawn)
    with pytest.MonkeyPatch.context() as patch:
        for module in (questions, implementations):
            patch.setattr(module, "drawn", lambda feature, offers, seed=None: kept(feature, offers, seed))
        for name in ("answer", "replies"):
            patch.setattr(implementations, name, once(getattr(implementations, name)))
        yield
