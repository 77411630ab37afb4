"""Answers are compared whole: the same keys, the same entries, the same kinds of values.

True is not 1, and a static extent is no plain number; but 1.0 is 1, as JSON has it.
"""

from typing import Any

NUMBERS = {int, float}


def same(answer: Any, expected: Any) -> bool:
    """Tell whether an answer is what is expected; a tuple stands for a list of JSON."""
    if isinstance(expected, dict):
        return (
            isinstance(answer, dict)
            and answer.keys() == expected.keys()
            and all(same(answer[key], value) for key, value in expected.items())
        )
    if isinstance(expected, list):
        return isinstance(answer, list | tuple) and len(answer) == len(expected) and all(map(same, answer, expected))
    return (type(answer) is type(expected) or {type(answer), type(expected)} == NUMBERS) and answer == expected


def difference(answer: dict[str, Any], expected: dict[str, Any]) -> str:
    """Say which keys differ, and how; empty if none does. A key that one of the two lacks differs."""
    keys = [
        key
        for key in {**expected, **answer}
        if key not in answer or key not in expected or not same(answer[key], expected[key])
    ]
    return "; ".join(f"{key} is {answer.get(key, 'absent')}, expected {expected.get(key, 'absent')}" for key in keys)


def observed(key: str, answer: Any, expected: Any) -> Any:
    """Return an answer without the strides that are null in what is expected, since nobody can observe them."""
    if isinstance(expected, dict) and isinstance(answer, dict) and answer.keys() == expected.keys():
        return {name: observed(name, answer[name], value) for name, value in expected.items()}
    if "strides" in key and isinstance(expected, list) and len(expected) == len(answer):
        return [None if e is None else a for a, e in zip(answer, expected, strict=True)]
    return answer


def check(answer: dict[str, Any], expected: dict[str, Any]) -> None:
    """Assert that an answer has every key that is expected, whole; it may have others."""
    assert expected, "nothing is asked"
    missing = expected.keys() - answer.keys()
    assert not missing, f"no answer to {missing}"
    found = difference({key: observed(key, answer[key], value) for key, value in expected.items()}, expected)
    assert not found, found
