"""The sample's sermon: from the text with its allusions marked to the items of a span study.

`python -m variorum.demo.sermon` writes `sermon.txt` (the sermon as it is read) and
`sermon.jsonl` (the items) beside `sermon_marked.txt`, from which both are made.

In the marked text `{4:3 words of the *anchor* and more}` is an allusion to verse 4:3
with its gold span and its anchor; `{!4:7 *anchor*}` is an anchor at which an editor
supposed an allusion where there is none. A paragraph is the passage of its items.
"""

from __future__ import annotations

import json
import re
import textwrap
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from annotation.tasktypes.tokens import tokenise

SAMPLE = Path(__file__).parents[1] / "sample"
MARKED, PLAIN, ITEMS, VERSES = (
    SAMPLE / name for name in ("sermon_marked.txt", "sermon.txt", "sermon.jsonl", "verses.txt")
)
CITATION, BOOK = "A sermon preached at Holm", "The Book of the Crossing"
SIGNS = re.compile(r"\{(!?)(\d+:\d+) |[*}]")


class Allusion(NamedTuple):
    """An allusion that is marked in a paragraph. Spans are half-open pairs [first, end) of characters.

    verse: chapter and verse it alludes to, such as 4:3.
    denied: whether the marked words only look like an allusion.
    span: the words that make it.
    anchor: the words that every span must contain.
    """

    verse: str
    denied: bool
    span: tuple[int, int]
    anchor: tuple[int, int]


def read(paragraph: str) -> tuple[str, list[Allusion]]:
    """Return a paragraph without its signs, and the allusions that they mark."""
    text, marks, at = "", [], 0
    verse, denied, first, stars = "", False, 0, []
    for sign in SIGNS.finditer(paragraph):
        text += paragraph[at : sign.start()]
        at = sign.end()
        if sign[0] == "*":
            stars.append(len(text))
        elif sign[0] == "}":
            anchor_first, anchor_end = stars
            marks.append(Allusion(verse, denied, (first, len(text)), (anchor_first, anchor_end)))
        else:
            verse, denied, first, stars = sign[2], bool(sign[1]), len(text), []
    return text + paragraph[at:], marks


def paragraphs(marked: str) -> list[str]:
    """Split the marked text at its empty lines."""
    return [" ".join(part.split()) for part in marked.split("\n\n") if part.strip()]


def verses(text: str) -> dict[str, str]:
    """Return the verses by number, in order."""
    lines = (line.partition(" ") for line in text.splitlines() if line.strip())
    return {number: words for number, _, words in lines}


def items(marked: str, verses: dict[str, str]) -> list[dict[str, Any]]:
    """Return the lines of the JSONL file, in the order of the sermon."""
    found = []
    for number, paragraph in enumerate(paragraphs(marked), 1):
        text, marks = read(paragraph)
        tokens = tokenise(text)
        for mark in marks:
            start, end = within(tokens, mark.span)
            found.append(
                {
                    "id": f"holm-{number:02}-{mark.verse}",
                    "text": text,
                    "sha256": sha256(text.encode()).hexdigest(),
                    "tokens": tokens,
                    "anchor": list(within(tokens, mark.anchor)),
                    "language": "en",
                    "citation": f"{CITATION}, paragraph {number}",
                    "references": [
                        {"citation": f"{BOOK} {mark.verse}", "text": verses[mark.verse], "language": "en"}
                    ],
                    "gold": {"declined": "no_allusion"} if mark.denied else {"start": start, "end": end},
                }
            )
    return found


def within(tokens: list[list[int]], characters: tuple[int, int]) -> tuple[int, int]:
    """Return the tokens that stand between two characters, half-open."""
    inside = [n for n, (first, end) in enumerate(tokens) if characters[0] <= first and end <= characters[1]]
    return inside[0], inside[-1] + 1


def plain(marked: str) -> str:
    """Return the sermon as it is read: the marked text without its signs, wrapped at 72 columns."""
    texts = [read(paragraph)[0] for paragraph in paragraphs(marked)]
    return "\n\n".join(textwrap.fill(text, 72, break_on_hyphens=False) for text in texts) + "\n"


def lines(marked: str, verses: dict[str, str]) -> str:
    """Return the JSONL file of the items."""
    return "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items(marked, verses))


def write() -> None:
    """Write the JSONL file and the plain sermon."""
    marked = MARKED.read_text("utf-8")
    PLAIN.write_text(plain(marked), "utf-8")
    ITEMS.write_text(lines(marked, verses(VERSES.read_text("utf-8"))), "utf-8")


if __name__ == "__main__":
    write()
