"""The conformance suite: implementations of mdspan, and libraries that claim its semantics, beside mdview's answers.

``python -m mdview.conformance`` is its command line.
"""

from __future__ import annotations

from collections.abc import Sequence

from mdview.conformance import adapters, live
from mdview.conformance.compilers import CannotRunError, compiler_of, probed
from mdview.conformance.reports import Departure, Report, Tally

__all__ = ["CannotRunError", "Departure", "Report", "Tally", "ask_cpp", "ask_python"]


def ask_cpp(
    compiler: str = "g++ -std=c++26",
    *,
    include: Sequence[str] = (),
    linker: str | None = None,
    namespace: str = "std",
    only: Sequence[str] = (),
    seed: str | None = None,
) -> Report:
    """Compile and run questions to an implementation of C++ mdspan, and compare its answers with the draft's.

    Parameters
    ----------
    compiler
        Command of the compiler with its options.
    include
        Folders of headers.
    linker
        Command that links, if it is not the compiler.
    namespace
        Where `mdspan` is: ``std``, ``cuda::std`` or ``Kokkos``.
    only
        The features to ask about, all if empty.
    seed
        Ask other questions.

    Returns
    -------
    Report
        For each feature how many answers agree, and the departures.

    Raises
    ------
    CannotRunError
        There is no compiler, no header or no such feature.
    """
    return live.report(probed(compiler_of(compiler, include, linker), namespace), only, seed)


def ask_python(adapter: str, *, only: Sequence[str] = ()) -> Report:
    """Ask a Python library through an adapter, and compare its answers with the recorded facts.

    Parameters
    ----------
    adapter
        ``mymodule:adapter``, an object with the functions of the template that the command line prints.
    only
        The families of facts to ask about, all that the adapter has functions for if empty.

    Returns
    -------
    Report
        For each family how many answers agree, and the departures.

    Raises
    ------
    CannotRunError
        There is no such adapter, it lacks a function, or there is no such family.
    """
    return adapters.report(adapter, only)
