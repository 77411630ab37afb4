"""Generate the pages of formats: one for each group of families, and a table of all families by owner.

By hand: ``python docs/generate_formats.py``. A test compares the pages with the generated texts.
"""

# ruff: noqa: INP001 - a script beside the pages, no module
from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mdview import LayoutComposed, Mapping, parse
from mdview.formats import expression_of
from mdview.formats.computed import GGML
from mdview.formats.families import FAMILIES, GROUPS, TABLES

FOLDER: Final = Path(__file__).parent / "formats"
TITLES: Final = {
    "chunks": ("Chunks and tiles", "Chunks and tiles of array stores, and orders along curves."),
    "images": ("Images and video", "Rows that are padded or turned, planes, bits, and mosaics of colours."),
    "records": (
        "Files of science",
        "Orders of dimensions, headers between rows, planes of bytes, halves of transforms.",
    ),
    "quantised": ("Quantised weights", "Codes of a few bits in blocks or words, and their scales."),
    "tensors": ("Tensors", "Blocked tensors of neural networks, and how threads of a GPU hold and share operands."),
    "matrices": ("Matrices", "Triangles, bands and diagonals of matrices, and blocks over processes."),
}
FACTS: Final = {
    "owner": "Owner",
    "items": "Items",
    "edges": "Edges",
    "surprise": "Surprise",
    "checked": "Checked with",
}
MADE: Final = "`python docs/generate_formats.py` writes this page from the tables of `mdview.formats`."
DRAWN: Final = 300
"""The most indices in a picture."""


def sentence(text: str) -> str:
    """Return a text of a table as a sentence."""
    return f"{text[0].upper()}{text[1:]}".replace("``", "`") + "."


def fact(key: str, text: str) -> str:
    """Return a fact as a cell of a table; names of owners and libraries keep the case of their first letter."""
    return f"{text.replace('``', '`')}." if key in {"owner", "checked"} else sentence(text)


def expanded(text: str) -> str:
    """Return the text of the notation into which an example of a family expands."""
    call, _, extents = text.rpartition(" (")
    name, _, arguments = call.partition("(")
    if name not in FAMILIES:
        name, arguments = "onednn", f"{name!r})"
    source = f"expression_of(FAMILIES[name], ({extents}, {arguments or ')'}"
    return str(eval(source, {"expression_of": expression_of, "FAMILIES": FAMILIES, "name": name}))  # noqa: S307 - ours


def section(name: str, row: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of a page on a family. Any: texts and lists of texts."""
    yield from ("", f"## {name}", "", sentence(row["summary"]), "")
    extents = f"({', '.join(row['extents'].split())})" if "extents" in row else "of any rank"
    yield from ("| | |", "|---|---|", f"| Extents | {extents} |")
    if "takes" in row:
        yield f"| Parameters | `{row['takes']}` |"
    yield from (f"| {title} | {fact(key, row[key])} |" for key, title in FACTS.items() if key in row)
    yield ""
    for text in row["examples"]:
        yield f"- `{text}` is `{expanded(text)}`"
    if "open" in row:
        yield from ("", f"To read it: `{row['open']}`")
    picture = row.get("picture", row["examples"][0])
    if parse(picture).size <= DRAWN:
        yield from ("", f"```{{picture}} {picture}", "```")


def page(group: str) -> str:
    """Return the page of a group."""
    title, about = TITLES[group]
    lines = [f"# {title}", "", f"{about} [Formats by their own names](../formats.md) is the index.", MADE]
    for name, row in TABLES[group].items():
        lines += section(name, row)
        lines += ggml_types() if name == "gguf" else []
    return "\n".join(lines) + "\n"


def ggml_types() -> Iterator[str]:
    """Yield the table of GGML's types, with their parts and items."""
    yield from ("", "| Type | Elements of a block | Bytes | Parts, with their items |", "|---|---|---|---|")
    for kind, row in GGML.items():
        parts = ", ".join(f"{name} `{part['items']}`" for name, part in row["parts"].items())
        yield f"| `{kind}` | {row['elements']} | {row['bytes']} | {parts} |"


def shape_of(mapping: Mapping[Any, Any]) -> str:
    """Return the name of the class of a layout in words; for a composed layout the class of its base."""
    layout = mapping.layout.base if isinstance(mapping.layout, LayoutComposed) else mapping.layout
    return re.sub(r"(?<!^)(?=[A-Z])", " ", type(layout).__name__.removeprefix("Layout")).lower()


def owners() -> str:
    """Return the table of all families by owner."""
    rows = [
        (
            row["owner"].partition(". ")[0].replace("``", "`"),
            name,
            group,
            shape_of(parse(row["examples"][0])),
            row["summary"],
        )
        for group in GROUPS
        for name, row in TABLES[group].items()
    ]
    lines = ["# Formats by owner", "", f"All {len(rows)} families, in the order of their owners' names.", MADE, ""]
    lines += ["| Owner | Format | Layout | What it is |", "|---|---|---|---|"]
    lines += [
        f"| {owner} | [`{name}`]({group}.md#{name}) | {layout} | {sentence(summary)} |"
        for owner, name, group, layout, summary in sorted(rows, key=lambda row: row[0].strip("`*").lower())
    ]
    return "\n".join(lines) + "\n"


def pages() -> dict[Path, str]:
    """Return all pages by their files."""
    return {FOLDER / "owners.md": owners()} | {FOLDER / f"{group}.md": page(group) for group in GROUPS}


if __name__ == "__main__":
    for file, text in pages().items():
        file.write_text(text, encoding="utf-8")
