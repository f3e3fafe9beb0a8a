"""References between verses → span items: the source in its context, the target beside it.

A record is `{"source": [ids], "target": [ids], "flags": [reasons], "ref_type", "n"}`;
an id is `Book_chapter_verse` with hyphens for the blanks of the book's name. Records
that cannot be joined without doubt are refused and counted by reason, never guessed at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Any, NamedTuple

from annotation.items.payloads import FileItem
from annotation.items.references.anchors import Word, rarest
from annotation.items.references.verses import VerseCollection
from annotation.tasktypes.passage import is_word
from retrieval.engine.interchange import references
from retrieval.engine.interchange.references import ReadReference
from retrieval.engine.interchange.verses import NO_LEMMA, VerseId, set_out


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
    for found in references.read(data, name):
        absent = any(each not in verses.verses for each in found.named)
        reason = references.why_not(found, absent=absent, trust=trust)
        if reason:
            refused[reason] += 1
            continue
        entries.append(entry(found, verses, (language, stop, context)))
    return References(entries, refused, sum(each.payload["anchor"] is not None for each in entries))


def entry(found: ReadReference, verses: VerseCollection, how: tuple[str, frozenset[str], int]) -> FileItem:
    """Make the item of one record."""
    (where, source, target, record), (language, stop, context) = found, how
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
    names = {name: record[name] for name in ("n", "ref_type") if references.is_plain(record.get(name))}
    ids = {side: [str(each) for each in named] for side, named in (("source", source), ("target", target))}
    known = "+".join(map(str, source)) + " → " + "+".join(map(str, target))
    return FileItem(where, payload, None, {"id": known, **ids, **names})


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
