"""The words of the gold that a critic prints near the gap, outside of the quotation.

A quotation may begin behind the first words of its sentence, and the critic may say them before it: “‘Emma,’
said she,” where the sentence opens so. What a quotation leaves out of its sentences tells which they are
when it stands beside the gap, with quotation marks or without.
"""

from collections.abc import Iterator, Sequence

Range = tuple[int, int]

NEAR = 12
"""Words on either side of the gap among which the gold's are looked for."""
_IN_A_ROW = 3
_AT_THE_GAP = 2  # words in a row that are enough where they touch the gap
_ANCHORS = (4, 3, 2)  # words by which the edges of a quotation are found in the gold


def beside(words: Sequence[str], gap: Range, gold: Sequence[str]) -> Iterator[Range]:
    """Return ranges of words near the gap that say what the quotation leaves out of the gold.

    ``words``: the source's; ``gap``: the quotation's range among them. Three words in a row do, or two that
    touch the gap on the side on which the gold has them; single words that differ do not end a run.
    """
    first, stop = gap
    opening, closing = left_out(words[first:stop], gold)
    low, high = max(0, first - NEAR), min(len(words), stop + NEAR)
    for part, own in ((opening, "left"), (closing, "right")):
        yield from _runs(words, (low, first), part, first if own == "left" else -1)
        yield from _runs(words, (stop, high), part, stop if own == "right" else -1)


def left_out(said: Sequence[str], gold: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return the gold's words before the quotation's first ones, and those behind its last ones."""
    begin, end = _found(said, gold), _found(said[::-1], gold[::-1])
    return gold[:begin], gold[len(gold) - end :]


def _found(said: Sequence[str], gold: Sequence[str]) -> int:
    """Return how many words the gold has before the quotation begins; none where that is not known."""
    for length in _ANCHORS:
        # The first word may be altered, or begin in another way: "[he] came home".
        for skipped in (0, 1):
            anchor = list(said[skipped : skipped + length])
            if len(anchor) < length:
                continue
            for at in range(len(gold) - length + 1):
                if list(gold[at : at + length]) == anchor:
                    return max(at - skipped, 0)
    return 0


def _runs(words: Sequence[str], where: Range, part: Sequence[str], gap: int) -> Iterator[Range]:
    """Return the runs within ``where`` that the part has; ``gap``: the border at which two words do."""
    low, high = where
    for shift in range(-len(part) + 1, high - low):
        held = [
            at for at in range(max(low, low + shift), min(high, low + shift + len(part)))
            if words[at] == part[at - low - shift]
        ]  # fmt: skip
        for run in _stretches(held):
            if _tells(run, gap):
                yield run[0], run[-1] + 1


def _stretches(held: Sequence[int]) -> Iterator[list[int]]:
    """Return the words in runs, over single ones that are missing."""
    run: list[int] = []
    for at in held:
        if run and at - run[-1] > _AT_THE_GAP:
            yield run
            run = []
        run.append(at)
    if run:
        yield run


def _tells(run: Sequence[int], gap: int) -> bool:
    at_gap = run[0] == gap or run[-1] + 1 == gap
    least = _AT_THE_GAP if at_gap else _IN_A_ROW
    return any(run[at + least - 1] - run[at] == least - 1 for at in range(len(run) - least + 1))
