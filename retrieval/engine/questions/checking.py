"""Which written questions are refused, and why; every number is kept beside them.

    overlap = |W(question) ∩ W(text)| / |W(question)|

W: distinct words in lower case without stop words. Ajith et al. (2024) keep questions of low overlap with the
target's title and print neither formula nor limit: both are ours, and the limit is a setting.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rapidfuzz import fuzz, process, utils

from retrieval.engine.corpora.tokenising import STOP_LISTS
from retrieval.engine.text.tokens import normalised

MOST_OVERLAP = 0.5
SAME = 0.9
"""Normalised edit similarity from which two questions are the same."""
LEAST_WORDS = 5
_ASKING = """
    what which who whom whose how where when why can could do does did has have had i me my we you should
    would any some from about been its than those find
"""
STOP = STOP_LISTS["lucene"] | frozenset(_ASKING.split())
"""Lucene's list, and the words that make a question of whatever is asked."""
_NAME = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_MARK = re.compile(
    r"\[(?:CITED|…|@[^\[\]\n]{0,200}|[0-9][0-9,; –-]{0,40})\]|\\cite[a-z]{0,10}\b|\bet al\b"
    r"|\([^()\n]{0,200}\b(?:1[5-9]|20)[0-9]{2}[a-z]?\)"
)


class Target(NamedTuple):
    """A document that a question looks for.

    title, text: as the corpus has them.
    authors: their names, as the document's line gave them.
    """

    title: str
    text: str = ""
    authors: tuple[str, ...] = ()


class Checked(NamedTuple):
    """What was found of a question.

    overlap: with the title of that target with which it is greatest.
    overlap_all: the same with title and text.
    refused: why it is left out, in sentences; empty where it stays.
    """

    overlap: float
    overlap_all: float
    refused: tuple[str, ...]


def content(text: str) -> frozenset[str]:
    """Return the distinct words of a text in lower case, without stop words."""
    return frozenset(word.casefold() for word in normalised(text)) - STOP


def overlap(question: str, text: str) -> float:
    """Return the share of a question's words that the text has; 0 for a question of stop words only."""
    asked = content(question)
    return len(asked & content(text)) / len(asked) if asked else 0.0


def check(
    question: str, targets: Sequence[Target], others: Sequence[str] = (), most_overlap: float = MOST_OVERLAP
) -> Checked:
    """Return the overlaps of a question, and every reason to refuse it.

    Args:
        question: As it was written.
        targets: What it looks for; one at least.
        others: Questions that are kept already.
        most_overlap: With the title of a target.
    """
    title = max(overlap(question, each.title) for each in targets)
    both = max(overlap(question, f"{each.title} {each.text}") for each in targets)
    refused = []
    if title > most_overlap:
        refused.append(
            f"{title:.0%} of its words stand in the title of a target; {most_overlap:.0%} are the most."
        )
    if named := named_authors(question, targets):
        refused.append(f"It names an author of a target: {', '.join(named)}.")
    if mark := _MARK.search(question):
        refused.append(f"A citation mark is left in it: {mark[0]}")
    if (length := len(normalised(question))) < LEAST_WORDS:
        refused.append(f"It has {length} words; {LEAST_WORDS} are the least.")
    if same := near_equal(question, others):
        refused.append(f"It nearly repeats another question: {same}")
    return Checked(title, both, tuple(refused))


def named_authors(question: str, targets: Sequence[Target]) -> list[str]:
    """Return the authors of targets whose family name stands in a question, written with a capital."""
    said = _words(question)
    authors = dict.fromkeys(author for each in targets for author in each.authors)
    return [each for each in authors if any(_words(name) in said for name in _spellings(family_name(each)))]


def _spellings(name: str) -> set[str]:
    """Return a family name as it may stand in a sentence: “Van Gogh” as “van Gogh”, too, but never “may”."""
    if not _words(name).strip():
        return set()
    return {name} if name[1:] == name[1:].lower() else {name, name[:1].lower() + name[1:]}


def _words(text: str) -> str:
    """Return the words of a text with a space around each: one apostrophe for all, and no 's at the end."""
    found = (each.replace("’", "'").removesuffix("'s") for each in _NAME.findall(text))
    return f" {' '.join(found)} "


def family_name(author: str) -> str:
    """Return what stands before the comma of a name, or its last word, with its first letter large."""
    head, comma, _ = author.partition(",")
    name = head.strip() if comma else (author.split() or [""])[-1]
    return name[:1].upper() + name[1:]


def near_equal(question: str, others: Sequence[str], least: float = SAME) -> str:
    """Return the most similar of the other questions, if it is as similar as that; else an empty string."""
    found = process.extractOne(
        question, others, scorer=fuzz.ratio, processor=utils.default_process, score_cutoff=100 * least
    )
    return found[0] if found else ""
