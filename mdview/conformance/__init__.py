"""The conformance suite: implementations of mdspan, and libraries that claim its semantics, beside mdview's answers.

`python_libraries` tests libraries of Python, through an adapter of a few functions; `implementations` tests those of
C++. ``python -m mdview.conformance`` is the command line.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    corpus="CannotRunError Departure Report Tally",
    implementations="ask_cpp",
    python_libraries="ask_python",
)
