"""What a model wrote, read: an order, a score, criteria. What cannot be read is None, never a default.

Only the digits 0 to 9 are digits here: `²` is one to `str.isdigit` and none to `int`. Thinking aloud, up to
`</think>`, is no answer; where it never ends there is none.
"""

from __future__ import annotations

import json
import re

MOST_CRITERIA = 10
LOWEST, HIGHEST = 0, 10
"""The scale of every score."""
_CHAIN = re.compile(r"\[?[0-9]{1,4}\]?(?:[ \t]*(?:>|&gt;)[ \t\n]*\[?[0-9]{1,4}\]?)+")
_BRACKETED = re.compile(r"\[([0-9]{1,4})\]")
_NUMBER = re.compile(r"[0-9]{1,4}")
_SCORE = re.compile(
    r"\bscore\b[\"'*_` ]{0,4}[:=][\"'*_` ]{0,4}([0-9]{1,4}(?:\.[0-9]{1,9})?)(?![0-9.]*[0-9])", re.IGNORECASE
)
_ALONE = re.compile(r"([0-9]{1,4})(?: ?/ ?10)?\.?\Z")
_FENCE = re.compile(r"\A```[a-z]{0,10}\n|\n?```\Z")
_LISTED = re.compile(r"[ \t]{0,8}(?:[0-9]{1,2}[.)]|[-*•])[ \t]{1,8}(\S.*)")


def after_thinking(text: str) -> str:
    """Return what stands behind `</think>`: all where nobody thinks, nothing where thinking never ends."""
    before, closed, after = text.rpartition("</think>")
    if closed:
        return after.strip()
    return "" if "<think>" in before + after else text.strip()


def order(text: str, n: int) -> list[int] | None:
    """Return the order that a reply gives to passages 1 to `n`, as positions from 0; None where unread.

    The last chain `[2] > [1] > …` is the order; where there is none, the numbers in brackets as they come.
    Repeats (the first counts) and numbers of no passage are dropped, and the passages that are missing follow
    in their old order. Fewer than half of the passages is no order.
    """
    said = after_thinking(text)
    chains = _CHAIN.findall(said)
    numbers = _NUMBER.findall(chains[-1]) if chains else _BRACKETED.findall(said)
    found = list(dict.fromkeys(at - 1 for at in map(int, numbers) if 1 <= at <= n))
    if 2 * len(found) < n:
        return None
    named = set(found)
    return found + [at for at in range(n) if at not in named]


def score(text: str) -> int | None:
    """Return a whole score of 0 to 10: `SCORE: x` (the last), `{"score": x}`, or the number alone."""
    said = _FENCE.sub("", after_thinking(text)).strip()
    named = _SCORE.findall(said)
    alone = _ALONE.match(said)
    written = named[-1] if named else alone.group(1) if alone else ""
    if not written or "." in written:
        return None
    found = int(written)
    return found if LOWEST <= found <= HIGHEST else None


def criteria(text: str) -> list[str] | None:
    """Return the criteria of a reply: a JSON list, or one a line behind a number or a dash; at most ten."""
    said = _FENCE.sub("", after_thinking(text)).strip()
    found = _in_json(said)
    if found is None:
        found = [match.group(1) for match in map(_LISTED.match, said.splitlines()) if match]
    kept = list(dict.fromkeys(each.strip() for each in found if each.strip()))[:MOST_CRITERIA]
    return kept or None


def _in_json(said: str) -> list[str] | None:
    start, end = said.find("["), said.rfind("]")
    if not 0 <= start < end:
        return None
    try:
        found = json.loads(said[start : end + 1])
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) and all(isinstance(each, str) for each in found) else None
