"""Implementations of C++ mdspan, compiled and asked here, answer as mdview does or depart from the draft as known."""

import comparison
import departures
import implementations
import pytest

pytestmark = [pytest.mark.deep, pytest.mark.no_cover]

LEAST_ANSWERS = 20_000
CASES = [(name, feature) for name, each in implementations.IMPLEMENTATIONS.items() for feature in each.features]
NAMES = list(implementations.IMPLEMENTATIONS)


@pytest.mark.parametrize(("name", "feature"), CASES)
def test_every_answer_is_mdviews_or_that_of_a_known_departure(name, feature):
    result = comparison.live(name, feature)
    assert not result.differences, result.report()
    assert set(result.shown) == {departure.name for departure in departures.of(name, feature)}


@pytest.mark.parametrize("name", NAMES)
def test_enough_is_asked(name):
    features = implementations.IMPLEMENTATIONS[name].features
    assert sum(len(comparison.asked(name, feature)) for feature in features) >= LEAST_ANSWERS


@pytest.mark.parametrize("case", departures.ILL_FORMED, ids=lambda case: case.name)
def test_what_is_known_not_to_compile_does_not(case):
    compiler = implementations.IMPLEMENTATIONS[case.implementation].compiler()
    assert implementations.compiles(compiler, case.sound)
    assert not implementations.compiles(compiler, case.broken)
