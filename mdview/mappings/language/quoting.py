"""Quoted texts: as Python writes strings and bytes, read without evaluating anything."""

from __future__ import annotations

import re
from typing import Final

from mdview.mappings.language.tokens import Token, error_at

_PLAIN: Final = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'", '"': '"', "0": "\0"}
_ESCAPE: Final = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)


def unquoted(token: Token, text: str) -> str | bytes:
    """Return the string or the bytes that a token of ``text`` writes."""
    is_bytes = token.text[0] in "bB"
    inner = token.text[1 + is_bytes : -1]

    def read(match: re.Match[str]) -> str:
        at = token.at + 1 + is_bytes + match.start()
        digits = match.group(1) or match.group(2) or match.group(3)
        known = chr(min(int(digits, 16), 0x110000 - 1)) if digits else _PLAIN.get(match.group(4))
        if known is None or (digits and int(digits, 16) >= 0x110000):  # noqa: PLR2004 - of Unicode
            raise error_at(text, (at, at + len(match.group())), "no escape sequence that is known here")
        return known

    found = _ESCAPE.sub(read, inner)
    if not is_bytes:
        return found
    try:
        return found.encode("latin-1")
    except UnicodeEncodeError as error:
        raise error_at(text, (token.at, token.end), "bytes hold characters up to \\xff") from error
