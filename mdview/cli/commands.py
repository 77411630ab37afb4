"""The commands of the command line: info, draw, explain, certify, relayout.

`info` and `relayout` take files, `draw` and `explain` expressions, `certify` names of layouts and accessors. A function
takes the arguments of its command and returns the exit status.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from json import dumps
from pathlib import Path
from typing import Any, Final

from mdview import Accessor, Layout, open_view, relayout_file
from mdview.base import as_text
from mdview.cli import answer_each, visible
from mdview.drawing import to_html, to_svg, to_text
from mdview.drawing.mapping_summary import fact_rows, facts_text
from mdview.errors import CopyNeededError, NotationError, TargetError
from mdview.index.extents import as_extents
from mdview.interop.atomic_replace import replace_file
from mdview.interop.npy_headers import of_storage
from mdview.interop.zarr_import import arrays_in, chunk_sizes, from_zarr
from mdview.mappings.notation import parser as notation
from mdview.memory.data_types import of_dtype, read_dtype
from mdview.testing import examine_accessor, examine_layout
from mdview.testing.certification import item_maker
from mdview.views.explanation import explain as explained
from mdview.views.view_base import storage_of


def trusted_layouts(module: str | None) -> list[type[Layout]]:
    """Import a module and return the layouts that it and its submodules define.

    Headers of files may refer to these layouts by name.

    Raises
    ------
    TargetError
        The module cannot be imported.
    """
    if module is None:
        return []
    try:
        import_module(module)
    except (Exception, SystemExit) as error:  # a module of a user may raise anything
        raise TargetError(f"{module!r} cannot be imported: {type(error).__name__}: {error}") from error
    kinds = list[type[Layout]](Layout.__subclasses__())
    for kind in kinds:
        kinds += kind.__subclasses__()
    return [kind for kind in kinds if f"{kind.__module__}.".startswith(f"{module}.")]


def info(files: Sequence[str], *, json: bool, module: str | None, **raw: Any) -> int:  # Any: parameters of `open_view`
    """Print the facts about the elements of files, without reading the elements."""

    def written(name: str, facts: dict[str, str]) -> str:
        return dumps({"file": name, **facts}) if json else f"{visible(name)}\n{facts_text(facts)}"

    def described(path: str) -> str:
        if any((Path(path) / name).is_file() for name in ("zarr.json", ".zarray", ".zgroup")):
            return "\n".join([written(name, _facts_of_zarr(array)) for name, array in arrays_in(path)])
        with open_view(path, layouts=trusted_layouts(module), **raw) as view:
            return written(path, _facts_of(view))

    return answer_each(files, described, "" if json else "\n")


def _facts_of(view: Any) -> dict[str, str]:  # Any: a view of any file
    items = of_storage(storage_of(view))
    return fact_rows(view.mapping, items.name, items.bits)


def _facts_of_zarr(array: Any) -> dict[str, str]:  # Any: a zarr array
    """Return the facts about a view of a zarr array, or about its chunks if zarr must decode them."""
    try:
        with from_zarr(array, copy=False) as view:
            return _facts_of(view)
    except CopyNeededError:
        chunks, shards = chunk_sizes(array)
        facts = {"shape": array.shape, "format": of_dtype(array.dtype).name, "chunks": chunks, "shards": shards}
        return {name: str(fact) for name, fact in facts.items() if fact is not None}


# Any: parameters of `relayout_file`.
def relayout(source: str, target: str, layout: str, *, force: bool, module: str | None, **options: Any) -> int:
    """Write the elements of a file to another file, under another layout."""
    has_bar = sys.stderr is not None and sys.stderr.isatty() and find_spec("tqdm") is not None

    def write(path: str) -> str:
        if Path(target).exists() and not force:
            raise TargetError(f"{target!r} exists; --force replaces it, once the new file is complete")
        relayout_file(path, target, layout, layouts=trusted_layouts(module), progress=has_bar, **options)
        return ""

    return answer_each([source], write)


ENDINGS: Final[dict[str, Callable[..., str]]] = {".svg": to_svg, ".html": to_html, ".txt": to_text}


def draw(expressions: Sequence[str], *, output: str | None, after: str | None, **options: Any) -> int:
    """Print or save a picture of the mapping of each expression: its indices, and their positions in memory.

    ``Any`` stands for options of pictures.
    """
    look = {name: option for name, option in options.items() if option}

    def shown(text: str) -> str:
        to_picture = ENDINGS.get(".txt" if output is None else Path(output).suffix.lower())
        if to_picture is None or (output is not None and len(expressions) > 1):
            raise TargetError(f"a file FILE.svg, FILE.html or FILE.txt shows one EXPRESSION, got {output!r}")
        if to_picture is to_text and look.get("walk"):
            raise TargetError("--walk is for pictures in .svg and .html: give -o FILE.svg")
        texts = [text] if after is None else [text, f"{text} {after}"]
        title = " → ".join([visible(" ".join(part.split())) for part in texts])
        picture = to_picture(*map(notation.parse, texts), **{"title": title, **look})
        if output is None:
            return picture
        data = f"{picture}\n".encode("utf-8", "backslashreplace")
        replace_file(output, lambda file: file.write(data))
        return ""

    return answer_each(expressions, shown)


def explain(expressions: Sequence[str], *, c: str | None) -> int:
    """Print for each expression its mapping, and why the mapping is or is not strided, unique and exhaustive."""
    names = None if c is None else [name.strip() for name in c.split(",") if name.strip()]
    return answer_each(expressions, lambda text: explanation(text, names))


def explanation(text: str, variables: Sequence[str] | None = None) -> str:
    """Return the explanation of an expression: the facts about its mapping, with reasons.

    With ``variables``, a C function of these variables follows, which computes the offset.

    >>> print(explanation("right (2, 3)", ["i", "j"]).partition("#")[2])
    include <stdint.h>
    <BLANKLINE>
    static inline int64_t offset(int64_t i, int64_t j) {
        return ((i * INT64_C(3)) + j);
    }
    """
    mapping = notation.parse(text)
    lines = [" ".join(text.split()), *[f"  {line}" for line in explained(mapping).splitlines()]]
    if variables is not None:
        lines += ["", "#include <stdint.h>", "", mapping.to_c(variables, function="offset").rstrip()]
    return "\n".join(lines)


def certify(targets: Sequence[str], *, dtype: str, extents: Sequence[Any] | None) -> int:  # Any: extents
    """Test layouts or accessors under all laws; print the smallest counterexample of each broken law."""
    is_accepted: list[bool] = []

    def verdict(text: str) -> str:
        target = resolve(text)
        if isinstance(target, Layout):
            answer = examine_layout(target, *map(as_extents, extents or ()))
        else:
            answer = examine_accessor(target, item_maker(read_dtype(dtype)))
        is_accepted.append(answer.is_accepted)
        return str(answer)

    return answer_each(targets, verdict) or int(not all(is_accepted))


PATH: Final = re.compile(r"\w+(\.\w+)*")
"""The name of a module."""


def resolve(target: str) -> Layout | Accessor[Any, Any]:  # Any: accessors are of elements of any type
    """Return the layout or accessor of a target: ``module:expression``, or a layout in the notation.

    The value of the expression is a layout, an accessor, or a class of layouts or accessors that can be called without
    arguments.

    Raises
    ------
    TargetError
        The target cannot be made, or is neither a layout nor an accessor.
    """
    module, _, expression = target.partition(":")
    try:
        if not PATH.fullmatch(module) or not expression.strip():
            return notation.parse_layout(target)
        names = import_module(module)
        value = eval(expression, {name: getattr(names, name) for name in dir(names)})  # noqa: S307 - the caller's own
        value = value() if isinstance(value, type) else value
    except NotationError as error:
        reason = str(error).partition("\n")[0]
        rule = "a target is package.module:Layout or package.module:Layout(arguments)"
        raise TargetError(f"{rule}, got {target!r}, which is no layout of the language either: {reason}") from None
    except (Exception, SystemExit) as error:  # a module of a user may raise anything
        raise TargetError(f"{target!r} cannot be made: {type(error).__name__}: {error}") from error
    if not isinstance(value, Layout | Accessor):
        raise TargetError(f"{target!r} is neither a layout nor an accessor: {as_text(value, repr)}")
    return value
