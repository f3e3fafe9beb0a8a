"""Read a plain text file as it is stored, for books and secondary sources alike."""

from __future__ import annotations

from common.errors import BadField, BadInput
from common.progress import Compute, here
from retrieval.engine.text import languages, reading


def stored_text(data: bytes, name: str, compute: Compute = here) -> tuple[str, list[str]]:
    """Return the text to store and, in sentences, what was removed from the file.

    Raises:
        BadInput: the file is empty, binary, not UTF-8, or has no words.
    """
    decoded = compute(reading.decode, data, name)
    try:
        prepared = compute(reading.prepare, decoded)
    except BadInput as error:
        # The text does not know which file it came from.
        raise BadInput(f"{name}: {error}") from None
    return prepared.text, list(prepared.notes)


def in_language(text: str, language: str, name: str, compute: Compute = here) -> None:
    """Raise `BadInput` for a text that is not in the language it is said to be in.

    Raises:
        BadField: naming the file, the language it reads as, and in how much of it.
    """
    found = compute(languages.differs, text, language)
    if found:
        raise BadField(
            "language",
            f"{name} reads as {found.language} in {found.places} of {found.of} places looked at, not as "
            f"{language}; give the language it is in, or another file.",
        )
