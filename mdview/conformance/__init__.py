"""The conformance suite: questions to implementations of mdspan in C++ and to similar libraries, with expected answers.

`implementations` asks implementations in C++ and expects mdview's answers. `python_libraries` asks libraries of Python
through an adapter of a few functions and expects recorded answers. ``python -m mdview.conformance`` is the command
line.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    corpus="CannotRunError Departure Report Tally",
    implementations="ask_cpp",
    python_libraries="ask_python",
)
