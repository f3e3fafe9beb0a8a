"""Keys of endpoints: held so that no repr shows them, and taken out of what is written down."""

from __future__ import annotations

import re

BEARER = re.compile(r"(?i)\bbearer\s{1,9}[^\s\"',;]{1,4096}")
HIDDEN = "[key]"
LEAST = 4
"""Shorter values are no keys, and taking them out would spoil the text."""


class Key:
    """The value of a key, read when a call is made. It shows itself to nobody but `reveal`."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return f"Key({HIDDEN})" if self._value else "Key()"

    def __bool__(self) -> bool:
        return bool(self._value)

    def __reduce__(self) -> tuple[type[Key], tuple[str]]:
        raise TypeError("A key is never written down.")

    def reveal(self) -> str:
        """Return the value, for the header of a call."""
        return self._value

    def redact(self, text: str) -> str:
        """Return the text without this key, or any other that a header would carry."""
        if len(self._value) >= LEAST:
            text = text.replace(self._value, HIDDEN)
        return BEARER.sub(f"Bearer {HIDDEN}", text)
