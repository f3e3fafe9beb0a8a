"""Tables of words as files: lemmas, synonyms, stop lists; UTF-8, plain or gzip, a line an entry.

    lemma table      word<TAB>lemma             or verses with columns `tokens` and `lemma`, parallel, under a
                                                line with the names of all columns
    synonym table    word word word …           one group of synonyms a line, parted by white space
    stop list        word

Words are brought to lower case and composed letters (NFC), as rankers see them. Empty lines and lines that
begin with `# ` are passed over. Of two lemmas of a word the first counts; of verses the commonest, and of
those the first.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar
from unicodedata import normalize

from common.errors import BadInput
from common.progress import Progress, silent
from retrieval.engine.words.lines import Line, decoded, lines
from retrieval.engine.words.remarks import Remarks

Value = TypeVar("Value")
REMARK = "# "
TOKENS, LEMMAS = "tokens", "lemma"


def lemmas(path: Path, remarks: Remarks, progress: Progress = silent) -> dict[str, str]:
    """Return the lemma of each word of a lemma table, or of a table of verses.

    Raises:
        BadInput: a line cannot be read, or there is none.
    """
    found: dict[str, str] = {}
    rows = _entries(path, progress)
    for line, text in rows:
        fields = text.split("\t")
        if not found and {TOKENS, LEMMAS} <= set(fields):
            return _commonest(path, fields, rows)
        if len(fields) != 2 or not all(each.strip() for each in fields):
            raise BadInput(f"Line {line.number} of {path.name} is no lemma; write word, tab, lemma.")
        word, lemma = (each.strip().lower() for each in fields)
        if found.setdefault(word, lemma) != lemma:
            remarks.add("their word has another lemma above", line.number)
    return _some(found, path)


def synonyms(path: Path, remarks: Remarks, progress: Progress = silent) -> dict[str, frozenset[int]]:
    """Return the groups that each word of a synonym table is in, numbered from 0 by line.

    Raises:
        BadInput: a line cannot be read, or there is none.
    """
    found: defaultdict[str, set[int]] = defaultdict(set)
    number = 0
    for line, text in _entries(path, progress):
        group = set(text.lower().split())
        if len(group) < 2:
            remarks.add("a word alone is no group of synonyms", line.number)
            continue
        for word in group:
            found[word].add(number)
        number += 1
    if not found:
        raise BadInput(f"{path.name} has no group of synonyms; a line is one, and has two words at least.")
    return {word: frozenset(groups) for word, groups in found.items()}


def stop_words(path: Path, remarks: Remarks, progress: Progress = silent) -> frozenset[str]:
    """Return the words of a stop list.

    Raises:
        BadInput: a line has several words or cannot be read, or there is none.
    """
    found = set()
    for line, text in _entries(path, progress):
        parts = text.lower().split()
        if len(parts) != 1:
            raise BadInput(f"Line {line.number} of {path.name} has {len(parts)} words; a stop list has one.")
        if parts[0] in found:
            remarks.add("their word was there before", line.number)
        found.add(parts[0])
    return frozenset(_some(dict.fromkeys(found, True), path))


def _commonest(path: Path, columns: list[str], rows: Iterator[tuple[Line, str]]) -> dict[str, str]:
    """Return the commonest lemma of each token of verses."""
    tokens_at, lemmas_at = columns.index(TOKENS), columns.index(LEMMAS)
    seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for line, text in rows:
        fields = text.split("\t")
        if len(fields) != len(columns):
            raise BadInput(
                f"Line {line.number} of {path.name} has {len(fields)} columns; the first has {len(columns)}."
            )
        # Parted by single spaces: an empty token between two of them has its lemma, too.
        tokens, its = (fields[at].lower().split(" ") for at in (tokens_at, lemmas_at))
        if len(tokens) != len(its):
            raise BadInput(
                f"Line {line.number} of {path.name} has {len(tokens)} tokens and {len(its)} lemmas; each "
                "token has one lemma."
            )
        for token, lemma in zip(tokens, its, strict=True):
            if token and lemma:
                seen[token][lemma] += 1
    # `most_common` keeps the order of first occurrence among equals.
    return _some({token: counts.most_common(1)[0][0] for token, counts in seen.items()}, path)


def _entries(path: Path, progress: Progress) -> Iterator[tuple[Line, str]]:
    for line in lines(path, progress):
        text = normalize("NFC", decoded(line, path))
        if text.strip() and not text.startswith(REMARK):
            yield line, text


def _some(found: dict[str, Value], path: Path) -> dict[str, Value]:
    if not found:
        raise BadInput(f"{path.name} has no word in it.")
    return found
