"""A passage with its stored tokenisation: what it must be, where its words, clauses and sentences are, and
spans that a simulated reader marks in it.

Offsets are in code points and half-open; punctuation is its own token. Every check
raises `Invalid` with one sentence that names the field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from random import Random
from typing import Any
from unicodedata import bidirectional

from annotation.tasktypes.base import Answer, Invalid, Payload, is_storable
from common.translation import gettext as _
from common.translation import gettext_noop

REFERENCE_FIELDS = {"citation", "text", "language", "lemmata"}
LONGEST_TEXT, LONGEST_NAME, MOST_TOKENS, MOST_REFERENCES = 20_000, 500, 2_000, 50

WORD = re.compile(r"\w+")
# A border of a simulated span stays where it is two times in five.
STAYS = 0.4
LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
# Latin, Arabic, Hebrew, Chinese, Indic, Armenian and Ethiopic signs.
SENTENCE_ENDS = frozenset(".?!…؟۔׃。！？।॥։።፧")
HYPHEN = "-"
CLAUSE_ENDS = SENTENCE_ENDS | frozenset(",;:—–··()،؛׀，、；：፣፤፥" + HYPHEN)
QUESTION_MARKS_OF_GREEK = frozenset(";\u037e")
GREEK = ("el", "grc")
MARK = gettext_noop(
    "Mark the words that make the allusion, or say that there is none or that you can’t set its borders."
)


def check_text(value: Any, field: str, longest: int) -> None:
    """Raise `Invalid` unless `value` is a text with something in it that every database can keep."""
    if not isinstance(value, str) or not value.strip():
        raise Invalid(f"“{field}” must be a text with words in it.", field)
    if len(value) > longest:
        raise Invalid(f"“{field}” has {len(value):,} characters: at most {longest:,} fit.", field)
    if not is_storable(value):
        raise Invalid(f"“{field}” holds NUL or a lone surrogate, which cannot be stored.", field)


def check_digest(text: str, digest: Any) -> None:
    """Raise `Invalid` unless this is the SHA-256 of the text, in hexadecimal."""
    actual = sha256(text.encode()).hexdigest()
    if digest != actual:
        raise Invalid(
            f"“sha256” is not that of the text, which is {actual}: the offsets may belong to another text.",
            "sha256",
        )


def check_tokens(text: str, tokens: Any) -> None:
    """Raise `Invalid` unless tokens stand in order and apart, inside the text, and hold all its letters."""
    if not is_list(tokens) or not tokens:
        raise Invalid("“tokens” must be a list of [first, end) offsets with at least one in it.", "tokens")
    if len(tokens) > MOST_TOKENS:
        raise Invalid(f"“tokens” has {len(tokens):,} entries: at most {MOST_TOKENS:,} fit.", "tokens")
    before = 0
    for number, token in enumerate(tokens):
        if not is_pair(token) or token[0] >= token[1]:
            raise Invalid(f"“tokens”, entry {number}: must be [first, end) with first < end.", "tokens")
        first, end = token
        if first < before:
            raise Invalid(
                f"“tokens”, entry {number}: starts at {first}, before entry {number - 1} ends "
                f"({before}): tokens stand in order and apart.",
                "tokens",
            )
        if end > len(text):
            raise Invalid(
                f"“tokens”, entry {number}: ends at {end}, and the text has {len(text)} characters.", "tokens"
            )
        if text[first:end] != text[first:end].strip():
            raise Invalid(f"“tokens”, entry {number}: begins or ends with a blank.", "tokens")
        check_gap(text, before, first)
        before = end
    check_gap(text, before, len(text))


def check_gap(text: str, first: int, end: int) -> None:
    """Raise `Invalid` where a letter or digit stands between two tokens."""
    if is_word(text[first:end]):
        raise Invalid(f"“tokens”: {text[first:end].strip()!r} at {first} belongs to no token.", "tokens")


def check_anchor(anchor: Any, n: int) -> None:
    """Raise `Invalid` unless the anchor is None or [first, end) within `n` tokens."""
    if anchor is None:
        return
    if not is_pair(anchor) or not anchor[0] < anchor[1] <= n:
        raise Invalid(
            f"“anchor” must be null or [first, end) in tokens, within 0 and {n}, not {anchor!r}.", "anchor"
        )


def anchor_in_words(payload: Payload) -> str:
    """Return the anchor as readers know it, by its words and their numbers from 1: “sed dilectio” (words 8 to
    9)."""
    first, end = payload["anchor"]
    tokens = payload["tokens"]
    said = _("“{words}” (word {end})") if end == first + 1 else _("“{words}” (words {first} to {end})")
    words = payload["text"][tokens[first][0] : tokens[end - 1][1]]
    return said.format(words=words, first=first + 1, end=end)


def check_borders(start: int, end: int, n: int) -> None:
    """Raise `Invalid` unless [start, end) has something in it and lies within `n` tokens."""
    if start >= end:
        said = _("The span [{start}, {end}) is reversed: it must end after it starts.")
        if start == end:
            said = _("The span [{start}, {end}) is empty: it must end after it starts.")
        raise Invalid(said.format(start=start, end=end), "end")
    if end > n:
        said = _("The span ends at {end}, beyond the passage, which has {n} tokens.")
        raise Invalid(said.format(end=end, n=n), "end")


def check_language(value: Any, field: str) -> None:
    """Raise `Invalid` unless the value has the form of a language tag."""
    if not isinstance(value, str) or not LANGUAGE.fullmatch(value):
        raise Invalid(f"“{field}” must be a language tag such as la, grc or he, not {value!r}.", field)


def check_lemmata(value: Any, field: str, n: int | None) -> None:
    """Raise `Invalid` unless the value is None or a list of texts, `n` of them where that is given."""
    if value is None:
        return
    if not is_list(value) or (n is not None and len(value) != n):
        raise Invalid(
            f"“{field}” must be a list of texts, one for each token{f' ({n})' if n else ''}.", field
        )
    for lemma in value:
        if lemma != "":
            check_text(lemma, field, LONGEST_NAME)


def check_references(references: Any) -> None:
    """Raise `Invalid` unless the value is a list of references with allowed fields."""
    if not is_list(references) or not 1 <= len(references) <= MOST_REFERENCES:
        raise Invalid(f"“references” must be a list of 1 to {MOST_REFERENCES} texts.", "references")
    for number, each in enumerate(references):
        where = f"“references”, entry {number}: "
        if not isinstance(each, Mapping) or set(each) - REFERENCE_FIELDS:
            fields = ", ".join(sorted(REFERENCE_FIELDS))
            raise Invalid(f"{where}must have no other fields than {fields}.", "references")
        try:
            check_text(each.get("citation"), "citation", LONGEST_NAME)
            check_text(each.get("text"), "text", LONGEST_TEXT)
            check_language(each.get("language"), "language")
            check_lemmata(each.get("lemmata"), "lemmata", None)
        except Invalid as error:
            raise Invalid(f"{where}{error}", "references") from None


def is_count(value: Any) -> bool:
    """Return whether the value is a whole number from 0; True and False are none."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_list(value: Any) -> bool:
    """Return whether the value is a list or tuple, not a text."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def is_pair(value: Any) -> bool:
    """Return whether the value is a list of two whole numbers from 0."""
    return is_list(value) and len(value) == 2 and all(map(is_count, value))


def is_word(text: str) -> bool:
    """Return whether a token has a letter or a digit; any other token is punctuation."""
    return any(letter.isalnum() for letter in text)


def direction(text: str) -> str:
    """Return `rtl` where the first letter that has a direction is written from right to left, else `ltr`."""
    for letter in text:
        if bidirectional(letter) in {"L", "R", "AL"}:
            return "ltr" if bidirectional(letter) == "L" else "rtl"
    return "ltr"


def sentence_ends(language: str) -> frozenset[str]:
    """Return the marks that end a sentence; Greek has its own question mark."""
    greek = language.partition("-")[0] in GREEK
    return SENTENCE_ENDS | QUESTION_MARKS_OF_GREEK if greek else SENTENCE_ENDS


def beginnings(payload: Payload, marks: Iterable[str]) -> list[int]:
    """Return the tokens that begin a unit: the first word after one of `marks` or after a line's end.

    A mark counts with other signs beside it (`.”`), behind the letters of its token (`pacis,`), and where it
    is a hyphen between blanks; between two digits (1:18, 1,246) it is part of a number.
    """
    text, tokens, marks = payload["text"], payload["tokens"], frozenset(marks)
    found, broken, before = [0], False, 0
    for n, (first, end) in enumerate(tokens):
        broken = broken or "\n" in text[before:first]
        before = end
        if n and broken and is_word(text[first:end]):
            found.append(n)
            broken = False
        broken = broken or _ends_unit(text, first, end, marks)
    return found


def _ends_unit(text: str, first: int, end: int, marks: frozenset[str]) -> bool:
    """Return whether one of `marks` stands behind the last letter or digit of the token."""
    signs = end
    while signs > first and not text[signs - 1].isalnum():
        signs -= 1
    if marks.isdisjoint(text[signs:end]):
        return False
    around = text[max(0, first - 1) : first], text[end : end + 1]
    if text[first:end] == HYPHEN:
        return all(each.isspace() for each in around)
    return signs > first or not all(each.isdigit() for each in around)


def words_of(payload: Payload) -> list[int]:
    """Return the numbers of the tokens that are words; all tokens where none is."""
    text = payload["text"]
    found = [n for n, (first, end) in enumerate(payload["tokens"]) if is_word(text[first:end])]
    return found or list(range(len(payload["tokens"])))


def borders(payload: Payload, start: int, end: int) -> tuple[int, int]:
    """Return the first code point of a span of tokens, [start, end), and the one behind its last."""
    tokens = payload["tokens"]
    return tokens[start][0], tokens[end - 1][1]


# Spans that a simulated reader marks.


def likely(payload: Payload) -> Answer:
    """Return the words of the anchor's clause, or of the clause most like the references."""
    text, n, anchor = payload["text"], len(payload["tokens"]), payload.get("anchor")
    starts = beginnings(payload, CLAUSE_ENDS)
    clauses = list(zip(starts, [*starts[1:], n], strict=True))
    words = words_of(payload)
    if anchor is not None:
        first = max(start for start, _ in clauses if start <= anchor[0])
        end = min(end for _, end in clauses if end >= anchor[1])
        inside = [each for each in words if first <= each < end]
        return {"start": min([*inside, anchor[0]]), "end": max([*inside, anchor[1] - 1]) + 1}
    known = set(WORD.findall(" ".join(each["text"] for each in payload["references"]).casefold()))
    spelled = [text[first:end].casefold() for first, end in payload["tokens"]]
    shared = [sum(word in known for word in spelled[start:end]) for start, end in clauses]
    start, end = clauses[shared.index(max(shared))]
    inside = [each for each in words if start <= each < end] or [start]
    return {"start": inside[0], "end": inside[-1] + 1}


def jittered(payload: Payload, span: Answer, random: Random) -> Answer:
    """Return another span whose borders rest on words; the same one only where no other is near."""
    words, anchor = words_of(payload), payload.get("anchor")
    for _attempt in range(20):
        latest = anchor[0] if anchor else max(span["end"] - 1, words[0])
        start = stepped(sorted({*(n for n in words if n <= latest), latest}), span["start"], random)
        earliest = anchor[1] if anchor else start + 1
        end = stepped(sorted({*(n + 1 for n in words if n >= earliest), earliest}), span["end"], random)
        if {"start": start, "end": end} != span:
            return {"start": start, "end": end}
    return dict(span)


def stepped(places: Sequence[int], at: int, random: Random) -> int:
    """Return a place some steps (geometric, to either side) from the one nearest to `at`."""
    nearest = min(range(len(places)), key=lambda n: abs(places[n] - at))
    side, steps = random.choice((-1, 1)), 0
    while random.random() > STAYS and steps < len(places):
        steps += 1
    return places[min(max(nearest + side * steps, 0), len(places) - 1)]
