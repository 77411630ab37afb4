"""The systems' cases: mdview answers each; what is not asked is little, and each departure and choice is a real one."""

import pytest
import rules
import systems_adapter as systems
import systems_nx
import systems_p0009r00
import systems_rules
import test_systems_numojo
import test_systems_p3959
import test_systems_scipp

HANDLERS = {
    "nx": systems_nx.HANDLERS,
    "numojo": test_systems_numojo.HANDLERS,
    "p0009r00": systems_p0009r00.HANDLERS,
    "p3959": test_systems_p3959.HANDLERS,
    "scipp": test_systems_scipp.HANDLERS,
}

CASES = [case for system in HANDLERS for case in systems.cases(system)]
CONTESTED = [case for case in CASES if "alternatives" in case]


@pytest.mark.parametrize("case", [param for system in HANDLERS for param in systems.asked(system)])
def test_a_case_of_the_documents(case):
    systems.check(case, HANDLERS[case["system"]])


@pytest.mark.parametrize("system", HANDLERS)
def test_every_operation_of_the_documents_has_a_handler(system):
    assert {param.values[0]["op"] for param in systems.asked(system)} == set(HANDLERS[system])


def test_every_rule_concerns_some_case():
    assert rules.idle([*systems_rules.SKIPS, *systems_rules.DEPARTURES], CASES) == []


def test_a_departure_is_another_answer_than_the_case():
    assert rules.agreeing(systems_rules.DEPARTURES, CASES, lambda case: case["expect"]) == []


def test_what_is_left_out_is_about_labels():
    left_out = [case for case in CASES if rules.reason_to_skip(case, systems_rules.SKIPS)]
    assert {case["system"] for case in left_out} == {"scipp"}
    assert (len(CASES), len(left_out)) == (636, 9)


@pytest.mark.parametrize("case", CONTESTED, ids=lambda case: case["id"])
def test_a_contested_answer_is_chosen_once(case):
    assert case["policy"] == "contested"
    assert [choice.applies(case) for choice in systems_rules.CHOICES].count(True) == 1


def test_every_choice_is_about_some_case():
    assert [choice for choice in systems_rules.CHOICES if not any(map(choice.applies, CONTESTED))] == []


def test_every_kind_of_error_is_raised_by_some_case():
    errors = [(case, systems.wanted(case).get("error")) for case in CASES]
    raised = [
        systems_rules.OF_OPERATION.get((case["op"], error["kind"]), error["kind"])
        for case, error in errors
        if error and not rules.reason_to_skip(case, systems_rules.SKIPS)
    ]
    assert set(raised) == set(systems_rules.REFUSALS)


def test_what_is_read_in_a_special_way_is_there():
    """Keys that are not asked, that are part of the question, or whose null says that nobody can tell."""
    keys = {key for case in CASES for key in case["expect"]}
    null = {key for case in CASES for key, value in case["expect"].items() if value is None}
    assert keys >= systems_rules.INFORMATIVE | systems.POSED
    assert null >= systems.UNSPECIFIED
    asked = {(case["op"], case["expect"]["error"]["kind"]) for case in CASES if "error" in case["expect"]}
    assert asked >= systems_rules.OF_OPERATION.keys()
