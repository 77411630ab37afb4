"""Implementations of C++ mdspan, compiled and asked here, answer as mdview does or depart from the draft as known."""

import departures
import explained
import implementations
import pytest

from mdview.conformance import implementations as command

pytestmark = pytest.mark.deep

LEAST_ANSWERS = 20_000
CASES = [(name, feature) for name, each in implementations.IMPLEMENTATIONS.items() for feature in each.features]
NAMES = list(implementations.IMPLEMENTATIONS)


@pytest.mark.parametrize(("name", "feature"), CASES)
def test_every_answer_is_mdviews_or_that_of_a_known_departure(name, feature):
    result = explained.live(name, feature)
    assert not result.differences, result.report()
    assert set(result.shown) == {departure.name for departure in departures.of(name, feature)}


@pytest.mark.parametrize("name", NAMES)
def test_the_command_finds_what_is_offered_and_counts_as_the_page_does(name):
    implementation = implementations.IMPLEMENTATIONS[name]
    target = command.probed(implementation.compiler())
    assert target == implementation.target
    report = command.report(target)
    assert {row.feature for row in report.rows if row.offered} == set(implementation.features)
    for row in report.rows:
        known = explained.live(name, row.feature) if row.offered else explained.Explained()
        assert sum(each.answers for each in row.departures) == row.departed
        assert (row.asked, row.departed) == (known.answers, known.departing)


@pytest.mark.parametrize("name", NAMES)
def test_enough_is_asked(name):
    features = implementations.IMPLEMENTATIONS[name].features
    assert sum(len(command.asked(explained.asks(name, feature))) for feature in features) >= LEAST_ANSWERS


@pytest.mark.parametrize("case", departures.ILL_FORMED, ids=lambda case: case.name)
def test_what_is_known_not_to_compile_does_not(case):
    target = implementations.IMPLEMENTATIONS[case.implementation].target
    assert command.refused(target, [case.sound, case.broken]) == [case.broken]
