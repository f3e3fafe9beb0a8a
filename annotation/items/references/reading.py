"""References between verses → span items: the source in its context, the target beside it.

A record is `{"source": [ids], "target": [ids], "flags": [reasons], "ref_type", "n"}`;
an id is `Book_chapter_verse` with hyphens for the blanks of the book's name. Records
that cannot be joined without doubt are refused and counted by reason, never guessed at.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Any, NamedTuple

from annotation.items.payloads import FileItem
from annotation.items.references.anchors import Word, rarest
from annotation.items.references.verses import NO_LEMMA, VerseCollection, VerseId, set_out
from annotation.tasktypes.passage import is_word
from common.errors import BadInput

ABSENT, NUMBERING, HEADING = "verse_not_in_vulgate_file", "psalm_numbering", "psalm_heading"
# Hebrew and English Bibles count Psalms otherwise than the Septuagint and the Vulgate do from 10 to 147.
# In most of the others the heading is a verse of its own in one counting only; these have none.
PSALMS, SAME_NUMBER, NO_HEADING = "Psalms", {*range(1, 10), 148, 149, 150}, {1, 2, 148, 149, 150}


class References(NamedTuple):
    """The span items that a file of references gives.

    entries: items for a study.
    refused: records of which no item was made, counted by reason.
    anchored: how many of the items have an anchor.
    """

    entries: list[FileItem]
    refused: Counter[str]
    anchored: int


def read(
    data: bytes,
    name: str,
    verses: VerseCollection,
    *,
    language: str,
    stop: frozenset[str],
    context: int = 1,
    trust: bool = False,
) -> References:
    """Read a file of references: each record becomes an item or is refused.

    `stop`: lemmas that are never an anchor. `context`: verses shown before and after.
    `trust`: a record whose list of flags is empty is joined even where it names a Psalm
    that is counted in two ways.
    """
    refused: Counter[str] = Counter()
    entries = []
    for where, record in records(data, name):
        source, target = (
            verse_ids(record.get(side), f"{where}, field “{side}”") for side in ("source", "target")
        )
        reason = why_not(record, [*source, *target], verses, where, trust)
        if reason:
            refused[reason] += 1
            continue
        entries.append(entry(where, record, (source, target), verses, (language, stop, context)))
    return References(entries, refused, sum(each.payload["anchor"] is not None for each in entries))


def records(data: bytes, name: str) -> list[tuple[str, dict[str, Any]]]:
    """Return each record of the file with its place there, such as “a.json, record 3”. Raises `BadInput`."""
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{name}: is not JSON in UTF-8 ({error}).") from None
    if not isinstance(found, list):
        raise BadInput(f"{name}: must be a JSON list of records.")
    for number, record in enumerate(found, 1):
        if not isinstance(record, dict):
            raise BadInput(f"{name}, record {number}: must be an object with “source” and “target”.")
    return [(f"{name}, record {number}", record) for number, record in enumerate(found, 1)]


def verse_ids(ids: Any, where: str) -> list[VerseId]:
    """Read a list of verse ids. Raises `BadInput` where it is none."""
    if not isinstance(ids, list) or not ids:
        raise BadInput(f"{where}: must be a list of verse ids such as Matthew_1_23.")
    return [verse_id(each, where) for each in ids]


def verse_id(name: Any, where: str) -> VerseId:
    """Read a verse id such as Matthew_1_23. Raises `BadInput` where it is none."""
    parts = name.rsplit("_", 2) if isinstance(name, str) else []
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() and len(part) < 6 for part in parts[1:]):
        raise BadInput(f"{where}: {name!r} is no verse id such as Matthew_1_23.")
    return VerseId(parts[0].replace("-", " "), int(parts[1]), int(parts[2]))


def why_not(
    record: dict[str, Any], named: Sequence[VerseId], verses: VerseCollection, where: str, trust: bool
) -> str:
    """Return the reasons why a record cannot be joined with the verses; empty where it can."""
    flags = record.get("flags")
    if flags is not None and not (isinstance(flags, list) and all(isinstance(flag, str) for flag in flags)):
        raise BadInput(f"{where}, field “flags”: must be a list of reasons.")
    reasons = set(flags or ())
    if NUMBERING not in reasons and not (trust and flags == []):
        reasons |= {psalm_doubt(each.chapter) for each in named if each.book == PSALMS} - {""}
    if any(each not in verses.verses for each in named):
        reasons.add(ABSENT)
    return ascii(" + ".join(sorted(reasons)))[1:-1]


def psalm_doubt(number: int) -> str:
    """Return why the verse numbers of a Psalm may differ between Bibles; empty where they do not."""
    if number not in SAME_NUMBER:
        return NUMBERING
    return "" if number in NO_HEADING else HEADING


def entry(
    where: str,
    record: dict[str, Any],
    ends: tuple[list[VerseId], list[VerseId]],
    verses: VerseCollection,
    how: tuple[str, frozenset[str], int],
) -> FileItem:
    """Make the item of one record."""
    (source, target), (language, stop, context) = ends, how
    shown = with_context(source, verses, context)
    text, tokens, lemmata = "", [], []
    origin: list[VerseId] = []
    for number, each in enumerate(shown):
        words, offsets = set_out(verses.verses[each].words)
        # A line for each verse: most of the file has no punctuation, and a verse is read as a unit.
        text += "\n" if number else ""
        tokens += [[first + len(text), end + len(text)] for first, end in offsets]
        text += words
        lemmata += parallel(each, verses)
        origin += [each] * len(offsets)
    named = [Word(text[slice(*tokens[n])], lemmata[n]) for n in range(len(tokens))]
    mine = [(n, named[n]) for n, each in enumerate(origin) if each in source and is_word(named[n].form)]
    anchor = rarest(mine, words_of(target, verses), stop, verses)
    payload = {
        "text": text,
        "sha256": sha256(text.encode()).hexdigest(),
        "tokens": tokens,
        "anchor": None if anchor is None else [anchor, anchor + 1],
        "language": language,
        "lemmata": lemmata,
        "citation": cited(shown),
        "references": [reference(run, verses, language) for run in runs(target)],
    }
    names = {name: record[name] for name in ("n", "ref_type") if is_plain(record.get(name))}
    ids = {side: [str(each) for each in found] for side, found in (("source", source), ("target", target))}
    known = "+".join(map(str, source)) + " → " + "+".join(map(str, target))
    return FileItem(where, payload, None, {"id": known, **ids, **names})


def is_plain(value: Any) -> bool:
    """Return whether a value can be kept as provenance: a whole number or a printable text."""
    return isinstance(value, int) or (isinstance(value, str) and value.isprintable())


def with_context(source: Sequence[VerseId], verses: VerseCollection, context: int) -> list[VerseId]:
    """Return the source verses in order, with up to `context` neighbours of their chapters on either side."""
    shown = set(source)
    for each in source:
        for step in (-1, 1):
            for distance in range(1, context + 1):
                near = each._replace(verse=each.verse + step * distance)
                # Beyond a verse that is missing here, the next one would not be a neighbour.
                if near not in verses.verses:
                    break
                shown.add(near)
    return sorted(shown)


def parallel(each: VerseId, verses: VerseCollection) -> list[str]:
    """Return the lemmas of a verse, one a word; empty ones where the two columns differ in length."""
    verse = verses.verses[each]
    if len(verse.lemmas) != len(verse.words):
        return [""] * len(verse.words)
    return ["" if lemma in NO_LEMMA else lemma for lemma in verse.lemmas]


def words_of(named: Sequence[VerseId], verses: VerseCollection) -> list[Word]:
    """Return the words of some verses, each with its lemma, without punctuation."""
    found = [
        Word(form, lemma)
        for each in named
        for form, lemma in zip(verses.verses[each].words, parallel(each, verses), strict=True)
    ]
    return [word for word in found if is_word(word.form)]


def runs(named: Sequence[VerseId]) -> list[list[VerseId]]:
    """Group verses that follow each other directly."""
    found = [[named[0]]]
    for before, each in pairwise(named):
        if each == before._replace(verse=before.verse + 1):
            found[-1].append(each)
        else:
            found.append([each])
    return found


def reference(run: Sequence[VerseId], verses: VerseCollection, language: str) -> dict[str, Any]:
    """Return verses that follow each other as a reference of the span task."""
    words = [word for each in run for word in verses.verses[each].words]
    lemmata = [lemma for each in run for lemma in parallel(each, verses)]
    return {"citation": cited(run), "text": set_out(words)[0], "language": language, "lemmata": lemmata}


def cited(named: Sequence[VerseId]) -> str:
    """Return verses as people cite them: “Matthew 1:22–24”; verses apart are named one by one."""
    texts = []
    for run in runs(named):
        more = f"–{run[-1].verse}" if len(run) > 1 else ""
        texts.append(f"{run[0]}{more}")
    return ", ".join(texts)
