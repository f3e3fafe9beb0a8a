"""Keys of endpoints: held so that no repr shows them, and taken out of what is written down."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import replace
from urllib.parse import quote

from common.chat import Reply

BEARER = re.compile(r"(?i)\bbearer\s{1,9}[^\s\"',;]{1,4096}")
HIDDEN = "[key]"
LEAST, LEAST_IN_REPLY = 4, 12
"""Shorter values are no keys, and taking them out would spoil the text: of replies, which are data, more so.
Servers that want any key are often given a word."""
LONGEST_NAME = 200
"""Characters of what an endpoint calls its model that are kept, cut when the key is out, not half of it."""


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
        return BEARER.sub(f"Bearer {HIDDEN}", self._without(text, LEAST))

    def hide(self, reply: Reply) -> Reply:
        """Return a reply without this key: a hostile endpoint may put it where it is stored and shown."""
        return replace(
            reply,
            text=self._without(reply.text, LEAST_IN_REPLY),
            model=self._without(reply.model, LEAST_IN_REPLY)[:LONGEST_NAME],
            fingerprint=self._without(reply.fingerprint, LEAST_IN_REPLY)[:LONGEST_NAME],
        )

    def _without(self, text: str, least: int) -> str:
        """Return the text without the key, as it is or as JSON, addresses and base64 write it."""
        value = self._value
        if len(value) < least:
            return text
        coded = b64encode(value.encode()).decode().rstrip("=")
        ways = {value, json.dumps(value)[1:-1], quote(value, safe=""), coded}
        for way in sorted(ways, key=len, reverse=True):
            text = text.replace(way, HIDDEN)
        return text
