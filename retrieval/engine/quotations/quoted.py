"""Where a critic's text stands between quotation marks."""

import re
from collections.abc import Iterable, Iterator

from retrieval.engine.quotations.spans import Spans

Span = tuple[int, int]

_DOUBLE = re.compile('["“”«»]')
_SINGLE = re.compile(
    r"(?:(?<=\s)|(?<=^)|(?<=[(\[\"“—-]))['‘](?=[\w.…\[_])|(?<=[\w.,;:!?…\])_—-])['’](?=[\s.,;:!?)\]\"”—-]|$)",
    re.MULTILINE,
)
_CONTRACTED = re.compile(r"(?:tis|twas|twere|twill|twould|em)\b", re.IGNORECASE)
_BEFORE_SINGLE = re.compile(r"[\s(\[\"“—-]")
_AFTER_OPENING = re.compile(r"[\w\[…]")


def stretches(text: str, paragraphs: Iterable[Span]) -> list[Span]:
    """Return the spans inside quotation marks, in order, marks left out.

    Double marks, curly or straight; single ones where the text uses them. A
    mark that its paragraph does not close is taken to run to the paragraph's
    end: so block quotations print it. Nested quotations belong to the outer one.
    """
    found: list[Span] = []
    for start, end in paragraphs:
        double = Spans(_doubles(text, start, end))
        found += double
        found += [span for span in _singles(text, start, end) if not _within(span, double)]
    return sorted(found)


def nested(text: str, outer: Iterable[Span]) -> list[Span]:
    """Return the spans between quotation marks inside other ones, in order, marks left out.

    Single marks within double ones, and double ones that open again: ``outer`` ends at the first that closes.
    """
    found: list[Span] = []
    for start, end in outer:
        found += [span for span in _singles(text, start, end) if span != (start, end)]
        again = start - 1
        for mark in _DOUBLE.finditer(text, start, end):
            if mark[0] in "“«":
                again = mark.end()
        if start <= again < end:
            found.append((again, end))
    return sorted(found)


def _within(span: Span, outer: Spans[Span]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in outer.overlapping(*span))


def _doubles(text: str, start: int, end: int) -> Iterator[Span]:
    opened = -1
    for found in _DOUBLE.finditer(text, start, end):
        at = found.start()
        mark = found[0]
        opens = mark in "“«" or (mark == '"' and _opens(text, at, start, end, opened >= 0))
        if opens and opened < 0:
            opened = at + 1
        elif not opens and opened >= 0:
            if at > opened:
                yield opened, at
            opened = -1
    if 0 <= opened < end:
        yield opened, end


def _opens(text: str, at: int, start: int, end: int, inside: bool) -> bool:
    """A straight mark opens behind white space and before a word; in doubt it is the other of a pair."""
    before = text[at - 1] if at > start else " "
    after = text[at + 1] if at + 1 < end else " "
    free_before = before.isspace() or before in "([—-_'‘"
    free_after = after.isspace() or after in ")].,;:!?—-"
    if free_before == free_after:
        return not inside
    return free_before


def _singles(text: str, start: int, end: int) -> Iterator[Span]:
    opened = -1
    for found in _SINGLE.finditer(text, start, end):
        at = found.start()
        if _opens_single(text, at, start):
            if opened < 0 and not _CONTRACTED.match(text, at + 1):
                opened = at + 1
        elif opened >= 0:
            # "the cousins' house": a plural's apostrophe closes nothing while a later mark can.
            if text[at - 1].lower() == "s" and _closes_later(text, at, end):
                continue
            yield opened, at
            opened = -1
    if opened == start + 1:
        yield opened, end


def _opens_single(text: str, at: int, start: int) -> bool:
    before = text[at - 1] if at > start else " "
    if text[at] != "'" or _BEFORE_SINGLE.match(before) is None:
        return text[at] == "‘"
    # Behind a dash a straight mark opens before a word, and else closes: "as obstinate as--' He stopped".
    return before not in "—-" or _AFTER_OPENING.match(text, at + 1) is not None


def _closes_later(text: str, at: int, end: int) -> bool:
    following = _SINGLE.search(text, at + 1, end)
    return following is not None and not _opens_single(text, following.start(), at)
