"""Signatures: which parameters the class of a layout takes, as expressions write them.

They are those of the class itself, so a layout of one's own is written like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from inspect import Parameter as Given
from inspect import Signature, signature
from typing import Final, Literal, final, get_args, get_origin, get_type_hints

from mdview.base.values import value

MISSING: Final = Signature.empty


@final
@value
class Parameter:
    """One parameter: its name, how an argument reaches it, and what it is without one (`MISSING` if it needs one)."""

    name: str
    kind: int
    default: object

    @property
    def is_positional(self) -> bool:
        """Whether arguments without a name reach it."""
        return self.kind in {Given.POSITIONAL_ONLY, Given.POSITIONAL_OR_KEYWORD, Given.VAR_POSITIONAL}

    @property
    def is_named(self) -> bool:
        """Whether an argument with its name reaches it."""
        return self.kind in {Given.POSITIONAL_OR_KEYWORD, Given.KEYWORD_ONLY}

    @property
    def is_repeated(self) -> bool:
        """Whether it takes all further arguments without a name."""
        return self.kind == Given.VAR_POSITIONAL

    @property
    def takes_all_names(self) -> bool:
        """Whether it takes all further arguments with a name."""
        return self.kind == Given.VAR_KEYWORD


@lru_cache(maxsize=256)
def parameters_of(maker: Callable[..., object]) -> tuple[Parameter, ...] | None:
    """Return the parameters of a class or function; None where Python does not know them."""
    try:
        found = signature(maker).parameters.values()
    except (TypeError, ValueError):
        return None
    return tuple([Parameter(p.name, int(p.kind), p.default) for p in found])


@lru_cache(maxsize=256)
def choices(maker: Callable[..., object], name: str) -> tuple[str, ...]:
    """Return the texts that a parameter is one of, as its annotation says: these may be written without quotes."""
    try:
        hints = get_type_hints(getattr(maker, "__init__", None) if isinstance(maker, type) else maker)
    except Exception:  # noqa: BLE001 - whatever an annotation of somebody else refers to
        return ()
    return tuple([c for c in _literals(hints.get(name)) if isinstance(c, str) and c.isidentifier()])


def _literals(hint: object) -> list[object]:
    """Return all choices of the literal types in an annotation."""
    if get_origin(hint) is Literal:
        return [*get_args(hint)]
    return [choice for part in get_args(hint) for choice in _literals(part)]
