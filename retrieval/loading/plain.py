"""Read a file as it is stored, for books and secondary sources alike."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from common.errors import BadField, BadInput
from common.progress import Compute, here
from retrieval.engine.formats import reading
from retrieval.engine.formats.detect import PLAIN, detect
from retrieval.engine.text import languages
from retrieval.jobs.child_process import ChildDied, ChildProcess, TimeLimitReached

LONGEST_REQUEST = 20.0
"""Seconds that a page may take over a file with markup."""


def stored_text(
    data: bytes, name: str, compute: Compute = here, *, encoding: str = "", guess: bool = False
) -> reading.ReadText:
    """Return the text to store and what is to be said of it; `encoding` and `guess` as in `encodings.decode`.

    Raises:
        BadInput: the file is empty, of a format or an encoding that is not read, or has no words.
    """
    return compute(reading.read, data, name, encoding, guess)


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


@contextmanager
def computing(data: bytes, name: str) -> Iterator[Compute]:
    """Give what computes for a page: this process for plain text, another for what a library has to parse.

    Raises:
        BadInput: of a format that is not read; or the time was up, or the process died.
    """
    if detect(data, name) == PLAIN:
        yield here
        return
    try:
        with ChildProcess(LONGEST_REQUEST, lambda: None) as compute:
            yield compute
    except TimeLimitReached:
        raise BadInput(
            f"{name} took longer than {LONGEST_REQUEST:.0f} seconds to read; nothing was stored. Import it "
            "with the command, or save it as plain text."
        ) from None
    except ChildDied as error:
        raise BadInput(f"{name} could not be read; nothing was stored. {error}") from None
