"""The conformance suite: questions to implementations of mdspan in C++, with the answers that mdview expects.

`implementations` asks the questions; ``python -m mdview.conformance cpp`` is the command line. The folder `data` has
recorded answers of implementations.
"""

from mdview import _on_first_use

_on_first_use(globals())
