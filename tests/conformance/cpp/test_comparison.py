"""The comparison itself: a wrong answer, a raised error and a repaired departure are each noticed."""

import departures
import explained
import implementations
import pytest

from mdview.conformance.answers import answer
from mdview.conformance.corpus import Compared, Question
from mdview.conformance.implementations import asked
from mdview.conformance.questions import FEATURES, drawn

MAPPING = Question("mapping", {"layout": "right", "static": [None, None], "extents": [2, 3]})
EMPTY = Question("mapping", {"layout": "stride", "static": [None], "extents": [0], "strides": [2]})
INVALID = Question("mapping", {"layout": "stride", "static": [None], "extents": [3], "strides": [0]})
TRUTH = {
    "layout": "right",
    "static_extents": [None, None],
    "extents": [2, 3],
    "strides": [3, 1],
    "span": 6,
    **dict.fromkeys(("unique", "exhaustive", "strided", "always_unique", "always_exhaustive", "always_strided"), True),
    "offsets": [0, 1, 2, 3, 4, 5],
}
OF_EMPTY = {
    **TRUTH,
    "layout": "stride",
    "static_extents": [None],
    "extents": [0],
    "strides": [2],
    "span": 0,
    "offsets": [],
    "exhaustive": False,
    "always_exhaustive": False,
}
LWG_4266 = departures.of("libc++", "mappings")


def compare(questions, theirs, known):
    pairs = zip(questions, theirs, strict=True)
    return explained.explain([Compared(q, answer(q), its) for q, its in pairs], known)


def test_equal_answers_have_no_difference():
    result = compare([MAPPING], [TRUTH], ())
    assert (result.answers, result.departing, result.differences) == (1, 0, [])


@pytest.mark.parametrize("wrong", [{"span": 5}, {"offsets": [0]}, {"depth": 1}])
def test_a_wrong_answer_is_reported_with_both_values(wrong):
    result = compare([MAPPING], [{**TRUTH, **wrong}], ())
    ((key, value),) = wrong.items()
    assert f"{key} should be {TRUTH.get(key, 'absent')}, is {value}" in result.report()


def test_an_error_of_mdview_is_a_difference():
    result = compare([INVALID], [{"span": 1}], ())
    assert "StrideError" in result.report()


def test_a_departure_explains_its_answer_and_is_counted():
    result = compare([EMPTY, MAPPING], [OF_EMPTY, TRUTH], LWG_4266)
    assert not result.differences
    assert (result.departing, dict(result.shown)) == (1, {"LWG 4266": 1})


def test_a_departure_that_was_repaired_is_reported():
    result = compare([EMPTY], [{**OF_EMPTY, "exhaustive": True}], LWG_4266)
    assert "exhaustive should be False, is True (departures: LWG 4266)" in result.report()


@pytest.mark.parametrize("feature", FEATURES)
def test_questions_are_the_same_in_every_run_and_have_answers(feature):
    offers = implementations.CCCL.offers | {"padded", "preconditions"}
    found = drawn(feature, offers)
    assert found == drawn(feature, offers)
    assert (found != drawn(feature, offers, "7")) == (feature not in {"relations of accessors", "preconditions"})
    for question in asked(found)[::97]:
        assert "raises" not in answer(question)


def test_a_missing_package_skips_and_names_the_extra(monkeypatch):
    monkeypatch.setattr(implementations, "has", lambda _: False)
    for make in (implementations.zig, implementations.cccl):
        with pytest.raises(pytest.skip.Exception, match="conformance"):
            make.__wrapped__()
