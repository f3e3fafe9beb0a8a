"""Join lines that a typesetter broke, and keep those the author broke.

Which lines are the author's (verse, letter heads, title pages) is told in ``verse``. A heading that stands on
the line of its first sentence becomes a paragraph of its own.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from retrieval.engine.text.headings import is_chapter, run_in
from retrieval.engine.text.verse import Measure, begins_small, indentation

_WRAPPED_AT_MOST = 120
_PAGE_LINE = re.compile(r"^[ \t]*(?:[{\[][ ]?(?:p(?:age|\.)?[ ]?)?\d{1,4}[ ]?[}\]]|-? ?\d{1,4} ?-?)[ \t]*$")
_WORD = re.compile(r"[^\W_]+")
# The looks behind keep a search linear where a line is one endless word or gap.
_NUMBER_AT_EDGE = re.compile(r"^\s*\d{1,4}\s+|(?<!\s)\s+\d{1,4}\s*$")
_DIGIT = re.compile(r"\d")
_SPACES = re.compile(r"[ \t\xa0]+")
_ENDED = re.compile(r"[.!?:;…][\"'”’)\]_]*$|[\"”’]$")
_HYPHENATED = re.compile(r"(?<![^\W\d_])([^\W\d_]+)-$")
_COMPOUND = re.compile(r"(?<![^\W_])[^\W_]+-[^\W_]+")
_LONGEST_WORD = 80
_SHORT = 40
"""Characters: a line of so many may end where a paragraph or a heading does."""
_LINES_OF_TITLE = 3


def paragraphs(text: str, *, marks_pages: bool) -> tuple[list[str], list[str]]:
    """Return the text's paragraphs, each unwrapped, and notes on what was removed or joined."""
    lines = [line.rstrip().expandtabs(4) for line in text.replace("\f", "\n\n").split("\n")]
    notes: list[str] = []
    if marks_pages:
        lines, removed = _without_running_heads(lines)
        if removed:
            notes.append(f"Removed {removed} running heads of pages.")
    blocks = _blocks(lines)
    if marks_pages:
        blocks, closed = _closed_over_pages(blocks)
        if closed:
            what = "paragraph" if closed == 1 else "paragraphs"
            notes.append(f"Closed {closed} {what} that a page number had broken.")
    words = _Words(text, lines)
    measure = Measure(blocks)
    joined = (_join(block, measure, words) for block in blocks)
    return [part for paragraph in joined for part in _headed(paragraph)], notes


class _Words:
    """Decides whether a hyphen at a line's end belongs to the word or to the typesetter."""

    def __init__(self, text: str, lines: list[str]) -> None:
        self._text = text
        # Where one line in fifty ends so, the typesetter breaks words; elsewhere it is the author's hyphen.
        hyphens = sum(_broken_word(line) is not None for line in lines)
        self.broken = hyphens >= 5 and hyphens * 50 > len(lines)

    # Both are asked for only where a line ends in a hyphen, and reading a whole novel for them takes a while.
    @cached_property
    def _whole(self) -> set[str]:
        return set(_WORD.findall(self._text.lower()))

    @cached_property
    def _compound(self) -> set[str]:
        return set(_COMPOUND.findall(self._text.lower()))

    def drops_hyphen(self, first: str, second: str) -> bool:
        if (first + second).lower() in self._whole:
            return True
        return self.broken and f"{first}-{second}".lower() not in self._compound


def _blocks(lines: list[str]) -> list[list[str]]:
    """Lines between blank lines; where there are none, long lines or indented ones begin a paragraph."""
    if sum(len(line) for line in lines if len(line) > _WRAPPED_AT_MOST) * 2 > sum(map(len, lines)):
        return [[line] for line in lines if line.strip()]
    blocks: list[list[str]] = [[]]
    unmarked = sum(not line.strip() for line in lines[1:-1]) * 100 < len(lines)
    for line in lines:
        if not line.strip():
            blocks.append([])
        elif unmarked and blocks[-1] and indentation(line) and _ENDED.search(blocks[-1][-1]):
            blocks.append([line])
        else:
            blocks[-1].append(line)
    return [part for block in blocks if block for part in _parted(block)]


def _parted(block: list[str]) -> Iterator[list[str]]:
    """The block without the chapter headings that stand directly above its lines."""
    one = len(block) == 1
    if one or (len(block) <= _LINES_OF_TITLE and is_chapter(" ".join(line.strip() for line in block))):
        yield block
        return
    whole = " ".join(line.strip() for line in block[:_LINES_OF_TITLE])
    if (at := run_in(whole)) > len(block[0].strip()) and is_chapter(whole[:at]):
        # "... that is, NOSTRIL" / "WHALE.--Another instance": the heading goes on, and is parted when joined.
        yield block
        return
    begun: list[str] = []
    for number, line in enumerate(block):
        after = block[number + 1] if number + 1 < len(block) else ""
        if (
            is_chapter(line.strip())
            and not (begun and _flows(begun[-1]))
            and not (begins_small(after) and len(line) > _SHORT)
        ):
            yield from ([begun] if begun else [])
            yield [line]
            begun = []
        else:
            begun.append(line)
    if begun:
        yield begun


def _flows(line: str) -> bool:
    """Whether a sentence is still open at the end of the line, so that "Part II" below is no heading."""
    return len(line) > _SHORT and not _ENDED.search(line)


def _closed_over_pages(blocks: list[list[str]]) -> tuple[list[list[str]], int]:
    """Join ``… my`` / ``{84}`` / ``cousin …``; a bare number between the halves is not kept."""
    kept: list[list[str]] = []
    closed = 0
    at = 0
    while at < len(blocks):
        block = blocks[at]
        alone = len(block) == 1 and _PAGE_LINE.match(block[0])
        if alone and kept and at + 1 < len(blocks) and _breaks_off(kept[-1], blocks[at + 1]):
            mark = [block[0].strip()] if block[0].strip()[0] in "{[" else []
            kept[-1] = [*kept[-1], *mark, *blocks[at + 1]]
            closed += 1
            at += 2
            continue
        kept.append(block)
        at += 1
    return kept, closed


def _breaks_off(before: list[str], after: list[str]) -> bool:
    return not _ENDED.search(before[-1]) and after[0].lstrip(" _\"'“‘(")[:1].islower()


def _without_running_heads(lines: list[str]) -> tuple[list[str], int]:
    """Drop a short line that carries a page number beside the same words at least three times."""
    heads: Counter[str] = Counter()
    found: dict[int, str] = {}
    for number, line in enumerate(lines):
        if not _DIGIT.search(line):
            continue
        words, cut = _NUMBER_AT_EDGE.subn("", line)
        words = words.strip()
        # A table of contents has numbers too, but not three times the same words.
        if (
            cut
            and words
            and 3 <= len(words) <= 60
            and not words[-1].isdigit()
            and "," not in words[-2:]
            and not is_chapter(line.strip())
        ):
            heads[words] += 1
            found[number] = words
    gone = {number for number, words in found.items() if heads[words] >= 3}
    return [line for number, line in enumerate(lines) if number not in gone], len(gone)


def _join(block: list[str], measure: Measure, words: _Words) -> str:
    lines = [_SPACES.sub(" ", line).strip() for line in block]
    return "\n".join(lines) if measure.keeps_lines(block) else _glued(lines, words)


def _headed(paragraph: str) -> Iterator[str]:
    """The paragraph, parted in front of the dash where a chapter's heading stands on its first line."""
    at = run_in(paragraph)
    if at and is_chapter(paragraph[:at]):
        yield paragraph[:at]
        paragraph = paragraph[at:]
    if paragraph:
        yield paragraph


def _glued(lines: list[str], words: _Words) -> str:
    """The lines as one, looking only at the end of what is there: a book may be one paragraph."""
    pieces = [lines[0]]
    end = lines[0][-_LONGEST_WORD:]
    for line in lines[1:]:
        gap = " "
        if end.endswith(("--", "—")) and not end.endswith((" --", " —")):
            gap = ""
        elif (broken := _broken_word(end)) and line[0].isalpha():
            gap = ""
            rest = _WORD.match(line)
            if rest and words.drops_hyphen(broken[1], rest[0]):
                pieces[-1], end = pieces[-1][:-1], end[:-1]
        pieces += (gap, line)
        end = f"{end}{gap}{line[-_LONGEST_WORD:]}"[-_LONGEST_WORD:]
    return "".join(pieces)


def _broken_word(line: str) -> re.Match[str] | None:
    # The search alone looks at every letter of the line, and most lines end without a hyphen.
    return _HYPHENATED.search(line) if line.endswith("-") else None
