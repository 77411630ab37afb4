"""Say where the indices of an expression lie, and why.

That is why they are or are not strided, unique, exhaustive, contiguous.

for example:
  mdview explain "tiled(4, 4) (10, 12) [1:6:2, ::-1]"
  mdview explain "morton (8, 8)" "right (8, 8)"
  mdview explain "tiled(2, 3) (4, 6)" --c i,j
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import Final

from mdview.base.texts import shown
from mdview.cli.arguments import Parser, names
from mdview.cli.output import answer_each
from mdview.drawing.facts import facts, facts_text
from mdview.mappings.language.reading import parse
from mdview.views.explaining import explain

LEFT_OUT: Final = {"format", "layout", "size"}
"""Facts about elements, of which a mapping knows nothing, and what its text says."""


def add_arguments(parser: Parser) -> None:
    """Add what the command takes."""
    parser.add_expressions()
    parser.add_argument("--c", type=names, metavar="NAMES", help="write the offset in C, too, of variables: i,j")


def run(options: Namespace, _: Parser) -> int:
    """Explain each expression."""
    return answer_each(options.expressions, lambda text: explanation(text, options.c))


def explanation(text: str, variables: Sequence[str] | None = None) -> str:
    """Return an expression, what is known of it, and the sentences that say why.

    >>> print(explanation("right (2, 3)", ["i", "j"]).splitlines()[-1])
      in C:        ((int64_t)i * INT64_C(3) + (int64_t)j)
    """
    mapping = parse(text)
    about = {"mapping": shown(mapping, repr)}
    about |= {name: fact for name, fact in facts(mapping).items() if name not in LEFT_OUT}
    lines = [" ".join(text.split()), facts_text(about), "", *[f"  {line}" for line in explain(mapping).splitlines()]]
    if variables is not None:
        lines += ["", facts_text({"in C": mapping.to_c(variables)})]
    return "\n".join(lines)
