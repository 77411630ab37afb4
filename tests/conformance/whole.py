"""Answers are checked whole: every key that is expected, and none of its parts left out."""

from mdview.conformance.corpus import differing, same

__all__ = ["check", "difference", "observed", "same"]


def difference(answer, expected):
    """Say which keys differ, and how; empty if none does."""
    keys = differing(answer, expected)
    return "; ".join(f"{key} is {answer.get(key, 'absent')}, expected {expected.get(key, 'absent')}" for key in keys)


def observed(key, answer, expected):
    """Return an answer without the strides that are null in what is expected, since nobody can observe them."""
    if isinstance(expected, dict) and isinstance(answer, dict) and answer.keys() == expected.keys():
        return {name: observed(name, answer[name], value) for name, value in expected.items()}
    if "strides" in key and isinstance(expected, list) and len(expected) == len(answer):
        return [None if e is None else a for a, e in zip(answer, expected, strict=True)]
    return answer


def check(answer, expected):
    """Assert that an answer has every key that is expected, whole; it may have others."""
    assert expected, "nothing is asked"
    missing = expected.keys() - answer.keys()
    assert not missing, f"no answer to {missing}"
    found = difference({key: observed(key, answer[key], value) for key, value in expected.items()}, expected)
    assert not found, found
