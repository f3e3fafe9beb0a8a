"""RELiC's published JSON, read strictly, and the text its sentences make.

    {book: {"sentences": [sentence, …],
            "quotes": {id: [[left sentences], start, n_sentences, [right sentences]]},
            "candidates": {"1_sentence": [start, …], …, "5_sentence": [start, …]}}}

(Thai et al. 2022; the format as their repository describes it.) Starts count
sentences from 0; one that is null is hidden, as in their test set. `candidates`
may leave positions out, but a quotation that is not among them could never be
ranked, so it is refused. Other keys of a book are ignored. The file is read whole
or not at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from common.errors import BadInput
from common.strict_json import first_repeated, loads
from retrieval.engine.text.passages import Passage

SIZES = range(1, 6)
"""Quotation lengths, in sentences, that every book lists candidates for."""

LARGEST = 20
"""The longest quotation, in sentences, that is read where a book lists candidates for it."""

_CANDIDATES = re.compile(r"([1-9][0-9]?)_sentence")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class RelicQuote(NamedTuple):
    """A quotation in a critic's text.

    left, right: the critic's sentences before and after it.
    passage: its place in the book; None in the hidden test set, whose starts are null.
    size: how many sentences it has.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    passage: Passage | None
    size: int


class RelicBook(NamedTuple):
    """A book of the file.

    title: its key in the file.
    sentences: of the book, in order.
    quotes: by their ids.
    candidates: the starts allowed for each quotation length, in the file's order.
    """

    title: str
    sentences: tuple[str, ...]
    quotes: Mapping[str, RelicQuote]
    candidates: Mapping[int, tuple[int, ...]]


class _Twice(NamedTuple):
    """Stands for an object with a key written twice: only its reader knows where in the file it is.

    key: the key.
    """

    key: str


class _Constant(NamedTuple):
    """A number that JSON does not know.

    name: `NaN`, `Infinity` or `-Infinity`.
    """

    name: str


def parse(data: bytes | str, name: str) -> dict[str, RelicBook]:
    """Return the books of a RELiC file by title; `name` is what errors call the file.

    Raises:
        BadInput: not UTF-8, not JSON, or not RELiC's format. The sentence names
            the file, the book and the quote, and what would be right.
    """
    books = _load(data, name)
    _want_object(books, name, "a JSON object of books by title")
    if not books:
        raise BadInput(f"{name}: the file holds no book; it must be an object of books by title.")
    return {title: _book(f"{name}: book {title!r}", title, book) for title, book in books.items()}


def join(sentences: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Return the text to store and the bounds of each sentence in it: text[start:end] is the sentence.

    Sentences stay as they are, with the spaces RELiC leaves at their ends; a space
    is put after one that ends without. A blank sentence keeps its index and has
    bounds like any other (empty ones where it is the empty string), because
    starts count sentences and dropping one would move every later quotation.
    """
    parts: list[str] = []
    bounds: list[tuple[int, int]] = []
    at = 0
    for sentence in sentences:
        gap = " " if sentence and not sentence[-1].isspace() else ""
        parts += (sentence, gap)
        bounds.append((at, at + len(sentence)))
        at += len(sentence) + len(gap)
    return "".join(parts), bounds


def _load(data: bytes | str, name: str) -> Any:
    if isinstance(data, bytes):
        try:
            data = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise BadInput(f"{name}: byte {error.start:,} is not UTF-8; save the file as UTF-8.") from None
    data = data.removeprefix("\ufeff")
    if not data.strip():
        raise BadInput(f"{name}: the file is empty; it must be RELiC's JSON.")
    try:
        return loads(data, _Twice, _Constant)
    except json.JSONDecodeError as error:
        raise BadInput(
            f"{name}: line {error.lineno:,}, column {error.colno:,} is not JSON: {error.msg}."
        ) from None
    except (ValueError, RecursionError):
        # A number of thousands of digits, or brackets nested as deep.
        raise BadInput(f"{name}: the file is not RELiC's JSON: a number or a nesting has no end.") from None


def _book(where: str, title: str, book: Any) -> RelicBook:
    _want_text(title, f"{where}: the title")
    _want_object(book, where, 'an object with "sentences", "quotes" and "candidates"')
    for key in ("sentences", "quotes", "candidates"):
        if key not in book:
            _fail(where, f'the key "{key}" is missing', 'a book has "sentences", "quotes" and "candidates"')
    sentences = _texts(book["sentences"], f'{where}, "sentences"')
    if not sentences:
        _fail(where, '"sentences" is empty', "a book has at least one sentence")
    candidates = _candidates(book["candidates"], f'{where}, "candidates"', len(sentences))
    _want_object(book["quotes"], f'{where}, "quotes"', "an object of quotes by id")
    allowed = {size: frozenset(starts) for size, starts in candidates.items()}
    quotes = {
        key: _quote(quote, key, f"{where}, quote {key!r}", len(sentences), allowed)
        for key, quote in book["quotes"].items()
    }
    return RelicBook(title, sentences, quotes, candidates)


def _candidates(lists: Any, where: str, n_sentences: int) -> dict[int, tuple[int, ...]]:
    _want_object(lists, where, 'an object of lists from "1_sentence" to "5_sentence"')
    found: dict[int, tuple[int, ...]] = {}
    for key, starts in lists.items():
        match = _CANDIDATES.fullmatch(key)
        if not match or int(match[1]) > LARGEST:
            _fail(where, f"the key {key!r} is not known", f'keys read "1_sentence" to "{LARGEST}_sentence"')
        size = int(match[1])
        if not isinstance(starts, list):
            _fail(f'{where}, "{key}"', f"it is {_kind(starts)}", "it must be a list of sentence indices")
        for place, start in enumerate(starts):
            _want_start(start, size, n_sentences, f'{where}, "{key}", entry {place}')
        if len(set(starts)) < len(starts):
            _fail(f'{where}, "{key}"', f"{first_repeated(starts)} occurs twice", "each start is listed once")
        found[size] = tuple(starts)
    for size in SIZES:
        if size not in found:
            _fail(where, f'the key "{size}_sentence" is missing', "write [] where a book has no such passage")
    return found


def _quote(
    quote: Any, key: str, where: str, n_sentences: int, allowed: Mapping[int, frozenset[int]]
) -> RelicQuote:
    _want_text(key, f"{where}: the id")
    right = "it must be [[left sentences], start index, number of sentences, [right sentences]]"
    if not isinstance(quote, list):
        _fail(where, f"it is {_kind(quote)}", right)
    if len(quote) != 4:
        _fail(where, f"it has {len(quote)} entries", right)
    before = _texts(quote[0], f"{where}, left sentences")
    after = _texts(quote[3], f"{where}, right sentences")
    start, size = quote[1], quote[2]
    if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= LARGEST:
        _fail(
            where,
            f"the number of sentences is {_shown(size)}",
            f"it must be a whole number from 1 to {LARGEST}",
        )
    if start is None:
        return RelicQuote(before, after, None, size)
    _want_start(start, size, n_sentences, f"{where}, start index")
    if start not in allowed.get(size, ()):
        _fail(
            where,
            f'its start {start} is not in the candidates "{size}_sentence"',
            "the gold must be a candidate",
        )
    return RelicQuote(before, after, Passage(start, size), size)


def _texts(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        _fail(where, f"it is {_kind(value)}", "it must be a list of sentences")
    for place, text in enumerate(value):
        if not isinstance(text, str):
            _fail(f"{where}, entry {place}", f"it is {_shown(text)}", "it must be a string")
        _want_text(text, f"{where}, entry {place}")
    return tuple(value)


def _want_text(text: str, where: str) -> None:
    found = _UNSTORABLE.search(text)
    if found:
        _fail(
            where,
            f"character {found.start()} is U+{ord(found[0]):04X}",
            "NUL and lone surrogates are no text",
        )


def _want_object(value: Any, where: str, right: str) -> None:
    if isinstance(value, _Twice):
        _fail(where, f"the key {value.key!r} is written twice", "each key may occur once")
    if not isinstance(value, dict):
        _fail(where, f"it is {_kind(value)}", f"it must be {right}")


def _want_start(start: Any, size: int, n_sentences: int, where: str) -> None:
    last = n_sentences - size
    if last < 0:
        _fail(where, f"it names a passage of {size} sentences", f"the book has only {n_sentences}")
    if isinstance(start, bool) or not isinstance(start, int) or not 0 <= start <= last:
        right = f"{size} of {n_sentences:,} sentences begin at a whole number from 0 to {last}"
        _fail(where, f"it is {_shown(start)}", right)


def _shown(value: Any) -> str:
    if isinstance(value, bool | int | float) or value is None:
        return json.dumps(value)[:40]
    return f"{value[:40]!r}" if isinstance(value, str) else _kind(value)


def _kind(value: Any) -> str:
    if isinstance(value, _Constant):
        return value.name
    if isinstance(value, _Twice):
        return "an object"
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    return next((name for kind, name in names.items() if isinstance(value, kind)), "a number")


def _fail(where: str, wrong: str, right: str) -> NoReturn:
    raise BadInput(f"{where}: {wrong}; {right}.")
