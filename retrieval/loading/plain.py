"""A plain text file as it is stored: books and secondary sources alike."""

from __future__ import annotations

from retrieval.engine import reading
from retrieval.engine.errors import BadInput


def stored_text(data: bytes, name: str) -> tuple[str, list[str]]:
    """The text to store and, in sentences, what was removed from the file.

    Raises:
        BadInput: the file is empty, binary, not UTF-8, or has no words.
    """
    decoded = reading.decode(data, name)
    try:
        prepared = reading.prepare(decoded)
    except BadInput as error:
        # The text does not know which file it came from.
        raise BadInput(f"{name}: {error}") from None
    return prepared.text, list(prepared.notes)
