"""Outcomes of an input: which errors are allowed, and the one that says that something else happened."""

from hostile import OwnError

from mdview.errors import MDViewError


class Wrong(AssertionError):  # noqa: N818 - it is read as a word
    """An outcome that is not allowed."""


def refused(error):
    """Tell whether an error is one that a hostile input may lead to."""
    return isinstance(error, MDViewError | OwnError)
