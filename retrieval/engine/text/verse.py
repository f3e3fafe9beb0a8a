"""Tell the lines of verse and letter heads, which are the author's, from those of wrapped prose.

A line break is the author's where the next word would still have fitted on the line. Editions that wrap
unevenly break so, too; there a sentence that goes on in small letters gives the prose away, because a line of
verse begins with a capital, and where that is the poet's no custom, the lines stand in and are short.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

Block = Sequence[str]

NARROW = 0.75
"""Of the page's width: lines of at most so much may be verse without capitals, where they stand in."""
SLACK = 2
"""Characters by which a typesetter may end a line too early."""
LEAST_TO_JUDGE = 20
"""Line breaks that are surely prose, below which an edition is taken to wrap as others do."""
RAGGED = 0.2
"""The share of loose breaks in prose from which an edition wraps unevenly."""
_OPENING = " _\"'“‘«([-–—*"
_TITLE = re.compile(r"(?<!\w)(?:Mrs?|Messrs|Dr|St|Rev|Capt|Col|Gen|Lieut|Mme|Mlle|Prof)\.$")
_CLOSING = "\"'”’»)]_ "


class Measure:
    """How wide an edition's lines run, and whether it wraps unevenly: read from all its blocks."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._room = _widths(blocks)
        self.ragged = self._is_ragged(blocks)

    def keeps_lines(self, block: Block) -> bool:
        """Whether the line breaks of a block are the author's."""
        breaks = len(block) - 1
        if breaks < 1 or self._loose(block) * 2 <= breaks:
            return False
        small = sum(map(begins_small, block[1:]))
        narrow = max(map(len, block)) <= NARROW * self._room.get(-1, 0)
        if small * 3 > breaks:
            return narrow and min(map(indentation, block)) >= 2
        return not self.ragged or self._is_verse_among_ragged(block, narrow, small)

    def _is_verse_among_ragged(self, block: Block, narrow: bool, small: int) -> bool:
        """Where any line may end early, only capitals at every line and marks at the ends speak for verse."""
        marked = sum(map(ends_marked, block[:-1]))
        stands_in = min(map(indentation, block)) >= 2
        return small == 0 and (narrow or stands_in) and (stands_in or marked * 2 >= len(block) - 1)

    def _loose(self, block: Block) -> int:
        """How many lines end although the next word would have fitted."""
        # An indentation that is rare may have a narrower measure than the page, and some wrap unevenly.
        widest = max(*map(len, block), self._room.get(-1, 0) * 3 // 4)
        return sum(
            len(line) + 1 + len(after.split(None, 1)[0]) <= self._room.get(indentation(line), widest) - SLACK
            for line, after in pairwise(block)
        )

    def _is_ragged(self, blocks: Sequence[Block]) -> bool:
        # Four lines and more of which most begin small and reach over the page are prose in any edition.
        sure = [
            block
            for block in blocks
            if len(block) >= 4
            and sum(map(begins_small, block[1:])) * 2 > len(block) - 1
            and max(map(len, block)) > NARROW * self._room.get(-1, 0)
        ]
        breaks = sum(len(block) - 1 for block in sure)
        return breaks >= LEAST_TO_JUDGE and sum(map(self._loose, sure)) >= RAGGED * breaks


def begins_small(line: str) -> bool:
    """Whether the line's first letter is a small one."""
    return line.lstrip(_OPENING)[:1].islower()


def ends_marked(line: str) -> bool:
    """Whether a mark of punctuation ends the line; the full stop of a title (``Mr.``) is none."""
    return not _TITLE.search(line) and line.rstrip(_CLOSING)[-1:] in set(".,;:!?…—-")


def indentation(line: str) -> int:
    """How many spaces the line begins with."""
    return len(line) - len(line.lstrip())


def _widths(blocks: Sequence[Block]) -> dict[int, int]:
    """How wide lines run at each indentation, and over all (key -1): the 95th percentile of their lengths."""
    lengths: defaultdict[int, list[int]] = defaultdict(list)
    for block in blocks:
        for line in block[:-1]:
            lengths[indentation(line)].append(len(line))
            lengths[-1].append(len(line))
    return {
        indent: sorted(found)[int(len(found) * 0.95)]
        for indent, found in lengths.items()
        if len(found) >= 20 or indent == -1
    }
