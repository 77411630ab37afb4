"""C++ implementations of mdspan: generation, compilation and runs of programs that ask questions; comparisons.

`ask_cpp` asks an implementation feature by feature and compares its answers with mdview's. Before that, small programs
determine which optional features the implementation has.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, final

from mdview.conformance.answers import answer, call
from mdview.conformance.corpus import FORMS, CannotRunError, Compared, Description, Question, Report, Tally, tally
from mdview.conformance.questions import FEATURES, Query, ask, drawn

HEADERS: Final = Path(__file__).parent / "headers"
SECONDS: Final = 600
PROBES: Final[dict[str, str]] = FORMS["offers"]
"""Programs that compile only if an implementation has an optional feature, by the name of the feature."""
VIOLATION: Final = ask("preconditions", {"what": "extents_from_values", "static": [4], "values": [5]})
"""A question that violates a precondition: a hardened build stops the program."""
MOST_ENDS: Final = 256
"""The largest number of questions that may end the program; the questions after that count as ending it, unasked."""
COMPILES: Final = "compiles"
"""The only key of the answer for a template that does not compile."""


@final
@dataclass(frozen=True)
class Implementation:
    """An implementation of mdspan: the commands that compile object files and link programs, and its namespace.

    ``version`` is the version of the compiler; ``offers`` are the optional features of the implementation.
    """

    version: str
    compile: tuple[str, ...]
    link: tuple[str, ...]
    namespace: str = "std"
    offers: frozenset[str] = frozenset()

    @property
    def macros(self) -> dict[str, str]:
        """The macros of the implementation for `answers.hpp`."""
        macros = FORMS["namespaces"].get(self.namespace, FORMS["namespaces"]["std"] | {"PADDED": self.namespace})
        return {
            **macros,
            "NAMESPACE": self.namespace,
            **{f"OFFERS_{feature.upper()}": "1" for feature in sorted(self.offers)},
        }

    @property
    def command(self) -> tuple[str, ...]:
        """The command that compiles questions."""
        return (*self.compile, f"-I{HEADERS}", *[f"-DMDVIEW_{name}={value}" for name, value in self.macros.items()])


def compiler_of(command: str, include: Sequence[str] = (), namespace: str = "std") -> Implementation:
    """Return the implementation for a compiler's command line, folders of headers, and a namespace.

    Raises
    ------
    CannotRunError
        The compiler or a folder does not exist.
    """
    words = shlex.split(command)
    if not words or shutil.which(words[0]) is None:
        raise CannotRunError(f"no compiler {command!r}: --compiler takes a command on PATH, as in 'g++ -std=c++26'")
    missing = [folder for folder in include if not Path(folder).is_dir()]
    if missing:
        raise CannotRunError(f"no folder {missing[0]}: --include takes the folder that has the header of mdspan")
    asked = run_command([*[word for word in words if not word.startswith("-")], "--version"])
    version = (asked.stdout.splitlines() or [command])[0]
    places = [f"-I{Path(folder).resolve()}" for folder in include]
    return Implementation(version, (*words, *places, "-c"), tuple(words), namespace)


# --- programs --------------------------------------------------------------------------------------------------------


def run_command(arguments: Sequence[str], stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run a compiler or a compiled program."""
    return subprocess.run(arguments, input=stdin, capture_output=True, text=True, check=False, timeout=SECONDS)  # noqa: S603


def source(templates: Sequence[str]) -> str:
    """Return a program that answers questions by templates; a line of its input begins with a template's position."""
    named = ", ".join([*[f"&{template}" for template in templates], "nullptr"])
    kernels = f"static void (*const kernels[])() = {{{named}}};"
    return f'#include "answers.hpp"\nint main() {{\n  {kernels}\n  return answer_all(kernels);\n}}\n'


def build(target: Implementation, text: str, folder: str, *, link: bool = True) -> str:
    """Compile a program in a folder, link it unless ``link`` is False, and return the path of the program.

    Raises
    ------
    CannotRunError
        The program does not compile, or does not link.
    """
    code, objects, program = [str(Path(folder, name)) for name in ("program.cpp", "program.o", "program")]
    Path(code).write_text(text, encoding="utf-8")
    steps = [[*target.command, code, "-o", objects], [*target.link, objects, "-o", program]]
    for step in steps if link else steps[:1]:
        done = run_command(step)
        if done.returncode:
            lines = done.stderr.splitlines()
            raise CannotRunError(f"{step[0]} fails: {next((line for line in lines if 'error' in line), '')[:300]}")
    return program


def compiles(target: Implementation, text: str) -> bool:
    """Tell whether a program compiles."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            return bool(build(target, text, folder, link=False))
    except CannotRunError:
        return False


def refused(target: Implementation, templates: Sequence[str]) -> list[str]:
    """Return the templates of a list that do not compile; the list does not compile as a whole."""
    if len(templates) == 1:
        return list(templates)
    middle = len(templates) // 2
    halves = [half for half in (templates[:middle], templates[middle:]) if not compiles(target, source(half))]
    return [template for half in halves for template in refused(target, half)]


def probed(plain: Implementation) -> Implementation:
    """Return an implementation with its optional features, which small programs determine.

    Raises
    ------
    CannotRunError
        The implementation has no mdspan.
    """
    header, include = plain.macros["HEADER"], '#include "input_output.hpp"\n'
    if not compiles(plain, f"{include}md::layout_right::mapping<md::extents<int, 3>> mapping;"):
        ways = "g++ 15 or later, or --include" if plain.namespace == "std" else "--include takes the folder that has it"
        names = ", ".join(FORMS["namespaces"])
        raise CannotRunError(f"no `{header}`: {ways}; --compiler at least -std=c++20, --namespace one of {names}")

    def offers(name: str) -> bool:
        return compiles(replace(plain, offers=frozenset({name})), include + PROBES[name])

    with ThreadPoolExecutor(2) as pool:
        has = zip(PROBES, pool.map(offers, PROBES), strict=True)
        target = replace(plain, offers=frozenset(name for name, offered in has if offered))
    hardened = replace(target, offers=target.offers | {"preconditions"})
    is_built = compiles(hardened, source([VIOLATION.template]))
    return hardened if is_built and replies(hardened, [VIOLATION]) == [{"stops": True}] else target


# --- answers ---------------------------------------------------------------------------------------------------------


def ask_cpp(
    compiler: str = "g++ -std=c++26",
    *,
    include: Sequence[str] = (),
    namespace: str = "std",
    only: Sequence[str] = (),
    seed: str | None = None,
) -> Report:
    """Ask an implementation of C++ mdspan, and compare its answers with the answers that mdview derives from the draft.

    Parameters
    ----------
    compiler
        The command of the compiler with its options.
    include
        Folders of headers.
    namespace
        The namespace of `mdspan`: ``std``, ``cuda::std`` or ``Kokkos``.
    only
        The features to ask about; all if empty.
    seed
        The seed of the random questions, by default the environment variable MDVIEW_SEED.

    Returns
    -------
    Report
        The number of answers that agree for each feature, and the departures.

    Raises
    ------
    CannotRunError
        The compiler, the header or a feature of ``only`` does not exist.
    """
    unknown = [name for name in only if name not in FEATURES]
    if unknown:
        raise CannotRunError(f"no feature {unknown[0]!r}: --only takes {', '.join(FEATURES)}")
    return report(probed(compiler_of(compiler, include, namespace)), only, seed)


def report(target: Implementation, only: Sequence[str] = (), seed: str | None = None) -> Report:
    """Ask an implementation about the features ``only``, or all features, and return the report."""
    rows = [row(target, name, drawn(name, target.offers, seed)) for name in FEATURES if not only or name in only]
    return Report(f"{target.namespace}::mdspan, {target.version}", rows)


def row(target: Implementation, feature: str, queries: Sequence[Query]) -> Tally:
    """Ask an implementation about one feature, and count its answers."""
    compared = compare(queries, replies(target, queries)) if queries else []
    return tally(feature, compared, partial(program, target))


def asked(queries: Iterable[Query]) -> list[Question]:
    """Return the questions of queries, one for each line of output."""
    return [question for query in queries for question in query.questions]


def compare(queries: Sequence[Query], theirs: Sequence[Description]) -> list[Compared]:
    """Pair the answers of an implementation with mdview's answers, question by question."""
    pairs = zip(asked(queries), theirs, strict=True)
    return [
        Compared(question, {COMPILES: True} if COMPILES in its else answer(question), its) for question, its in pairs
    ]


def replies(target: Implementation, queries: Sequence[Query]) -> list[Description]:
    """Compile and run a program, and return its answer to each question.

    The answer is ``{"compiles": False}`` for a template that does not compile, and ``{"ends": True}`` for a question
    that ends the program.
    """
    templates = list(dict.fromkeys(query.template for query in queries))
    with tempfile.TemporaryDirectory() as folder:
        try:
            command = build(target, source(templates), folder)
        except CannotRunError:
            broken = refused(target, templates)
            templates = [template for template in templates if template not in broken]
            command = build(target, source(templates), folder)
        places = {template: number for number, template in enumerate(templates)}
        told = iter(_told(command, [f"{places[q.template]} {q.numbers}" for q in queries if q.template in places]))
    answered = [next(told) if query.template in places else [{COMPILES: False}] for query in queries]
    return [
        reply
        for query, answers in zip(queries, answered, strict=True)
        for reply in (answers if len(answers) > 1 else answers * len(query.questions))
    ]


def _told(command: str, lines: Sequence[str]) -> list[list[Description]]:
    """Return the answers to each line of input; if a line ends the program, the program runs again for later lines."""
    blocks = list[list[Description]]()
    for _ in range(MOST_ENDS):
        output = run_command([command], "\n".join(lines[len(blocks) :])).stdout
        blocks += [list(map(json.loads, answers.splitlines())) for answers in output.split("\n\n")[:-1]]
        if len(blocks) == len(lines):
            return blocks
        blocks.append([{"ends": True}])
    return blocks + [[{"ends": True}]] * (len(lines) - len(blocks))


def program(target: Implementation, compared: Compared) -> str:
    """Return the program that asks one question and prints the answer; the expected answer is a comment in it."""
    template, numbers = call(compared.question)
    expected = json.dumps({key: compared.expected.get(key) for key in compared.keys})
    return (
        f"// {shlex.join([word for word in target.command if word != '-c'])}\n"
        f'#include "answers.hpp"\nint main() {{\n  // expected: {expected}\n'
        f"  return answer(&{template}, {{{', '.join(numbers.split())}}});\n}}"
    )
