"""JSON from scripts, read strictly. Apart from `api_base`, whose views need their parser to be there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class StrictJson(JSONParser):
    """JSON of which nothing is dropped in silence: no key twice, no NaN, no nesting without end."""

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            text = stream.read().decode("utf-8")
            return json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
        except RecursionError:
            raise ParseError("JSON parse error - The nesting has no end.") from None
        except ValueError as error:
            raise ParseError(f"JSON parse error - {error}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for name, value in pairs:
        if name in read:
            raise ValueError(f"The key {name!r} is written twice.")
        read[name] = value
    return read


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON's.")
