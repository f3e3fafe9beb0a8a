"""What the API reads of a request: JSON, strictly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any, NoReturn

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from common import strict_json


class StrictJson(JSONParser):
    """JSON of which nothing is dropped in silence: no key twice, no NaN, no nesting without end."""

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            return strict_json.loads(stream.read().decode("utf-8"), _twice, _no_number)
        except RecursionError:
            raise ParseError("JSON parse error - The nesting has no end.") from None
        except ValueError as error:
            raise ParseError(f"JSON parse error - {error}") from None


def _twice(name: str) -> NoReturn:
    raise ValueError(f"The key {name!r} is written twice.")


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON's.")
