"""What mdview answers to the drawn questions is worked out once in a test run, whoever else is asked them."""

from functools import cache

import pytest

from mdview.conformance import answers, questions


@pytest.fixture(scope="session", autouse=True)
def answered_once():
    kept, answer, known = cache(questions.drawn), answers.answer, {}

    def once(kind, given):
        _, found = known.get(id(given)) or known.setdefault(id(given), (given, answer(kind, given)))
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(questions, "drawn", lambda feature, offers, seed=None: kept(feature, offers, seed))
        patch.setattr(answers, "answer", once)
        yield
