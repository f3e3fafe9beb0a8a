"""RELiC's submission: for each quotation, by its id, the starts of candidates, best first."""

from __future__ import annotations

from collections.abc import Container

from common.errors import BadInput
from common.strict_json import loads


def submission(data: bytes, name: str, lines: Container[str] = ()) -> dict[str, list[int]] | None:
    """Return the starts of each quotation; None where the file is no object of lists in UTF-8.

    lines: keys of which an object is a line of another format, which whoever reads lines refuses.
    Raises `BadInput` where a quotation stands there twice, or its list is wrong.
    """
    repeated: list[str] = []
    try:
        found = loads(data.decode("utf-8-sig"), repeated.append, float)
    except (ValueError, RecursionError):
        return None
    if found is None and repeated and repeated[-1] not in lines:
        raise BadInput(f"{name}, quotation {repeated[-1]!r:.60}: stands there twice.")
    if not isinstance(found, dict) or not all(isinstance(each, list) for each in found.values()):
        return None
    for key, starts in found.items():
        if not all(type(start) is int for start in starts) or len(set(starts)) < len(starts):
            raise BadInput(f"{name}, quotation {key!r:.60}: must have a list of whole numbers, none twice.")
    return found
