"""The explorer page without the site around it: its element, and the files that it loads.

All files are classic scripts, which browsers load from a disk as well as from a server; other content is embedded in
them as base64. With the archive of Pyodide that ``docs/_extensions/vendor_pyodide.py`` downloads, one script holds
Python with mdview.
"""

# ruff: noqa: INP001 - Sphinx finds it by its name on the path
from __future__ import annotations

import io
import json
import zipfile
from base64 import b64encode
from gzip import compress
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import explorer_answers
import typing_extensions
import vendor_pyodide

import mdview
from mdview.drawing.svg import asset

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PYODIDE: Final = {
    "pyodide": "pyodide.mjs",
    "asm": "pyodide.asm.mjs",
    "wasm": "pyodide.asm.wasm",
    "stdlib": "python_stdlib.zip",
}
"""The files of Pyodide that run in the page, by name."""
LOCK: Final = "pyodide-lock.json"
IDLE: Final = {".pyi", ".pyc"}
"""Suffixes of files of the package that do not run."""
LISTS: Final = "__init__.pyi"
"""The files with the public names, which packages read."""


def element(examples: Sequence[str]) -> str:
    """Return the HTML of the form, with links to the examples; the form initially shows the first example."""
    template = Path(__file__).with_name("explorer.html").read_text(encoding="utf-8")
    links = "".join([f'<li><a href="#{quoted(text)}"><code>{escape(text)}</code></a></li>' for text in examples])
    return template.replace("{examples}", links).replace("{first}", escape(examples[0]))


def quoted(expression: str) -> str:
    """Return an expression as the fragment of an address, with all special characters quoted.

    >>> quoted("right (2, 3)")
    'right%20%282%2C%203%29'
    """
    return quote(expression, safe="")


def write(folder: Path, expressions: Sequence[str], archive: Path | None) -> list[str]:
    """Write the files that the page loads; return the error messages of wrong expressions."""
    folder.mkdir(parents=True, exist_ok=True)
    answers = [explorer_answers.answer(text) for text in expressions]
    for number, answer in enumerate(answers):
        _save(folder / f"answer{number}.js", f"mdviewExplorer.keep({_as_script(answer)});")
    if archive is not None:
        _save(folder / "python.js", f"mdviewExplorer.python({_as_script(_python(archive))});")
    numbers = {text: number for number, text in enumerate(expressions)}
    _save(folder / "index.js", _index({"python": archive is not None, "answers": numbers}))
    return [answer["error"] for answer in answers if "error" in answer]


def _index(known: dict[str, object]) -> str:
    """Return the first script: style and script of figures, and the start of the explorer with the known answers."""
    styled = f"Object.assign(document.createElement('style'), {{textContent: {_as_script(asset('figure.css'))}}})"
    return f"document.head.append({styled});\n{asset('figure.js')}\nmdviewExplorer.start({_as_script(known)});"


def _python(archive: Path) -> dict[str, object]:
    """Return the data for a worker that runs Python: its program, the files of Pyodide, and mdview, compressed."""
    parts = vendor_pyodide.members(archive, [*PYODIDE.values(), LOCK])
    packed = {name: _packed(parts[file]) for name, file in PYODIDE.items()} | {"mdview": _packed(_sources())}
    lock = json.dumps({"info": json.loads(parts[LOCK])["info"], "packages": {}})
    worker = Path(__file__).with_name("explorer_worker.js").read_text(encoding="utf-8")
    return {"worker": worker, "lock": lock, "packed": packed}


def _packed(content: bytes) -> str:
    return b64encode(compress(content, mtime=0)).decode()


def _sources() -> bytes:
    """Return a ZIP archive of mdview and the module of answers; equal sources give equal archives."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, path in _files():
            archive.writestr(zipfile.ZipInfo(name), path.read_bytes())
    return written.getvalue()


def _files() -> Iterator[tuple[str, Path]]:
    """Yield the name in the archive and the path of each file that runs in the page."""
    root = Path(mdview.__file__).parent
    for path in sorted(root.rglob("*")):
        if path.is_file() and (path.suffix not in IDLE or path.name == LISTS):
            yield f"mdview/{path.relative_to(root).as_posix()}", path
    for module in (typing_extensions, explorer_answers):
        yield f"{module.__name__}.py", Path(str(module.__file__))


def _as_script(known: object) -> str:
    return json.dumps(known, ensure_ascii=True)


def _save(path: Path, text: str) -> None:
    path.write_text(f"{text}\n", encoding="utf-8")
