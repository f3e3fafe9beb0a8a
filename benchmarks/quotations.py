"""What is found where three critics quote five novels by Austen, and a sample of it to check by hand.

    VARIORUM_TEST_DATA=<folder of novels/ and criticism/> python -m benchmarks.quotations [--sample 60]

Without a sample it prints, for each critic and novel, how many quotations were found, how many things were
dropped and why, and the CPU seconds; and what became of the long runs of words that both have. With one it
prints that many of the excerpts, drawn from the seed: the critic's sentences, the quotation, the sentences of
the novel, and why the two were put together.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from pathlib import Path
from random import Random

from retrieval.engine.quotations.alignment import shared_runs
from retrieval.engine.quotations.finding import Findings, Quotation, find
from retrieval.engine.quotations.pairing import BookText, SourceText
from retrieval.engine.text.reading import prepare
from retrieval.engine.text.sentences import Segmentation, segment

NOVELS = (
    "pride_and_prejudice",
    "persuasion",
    "sense_and_sensibility",
    "mansfield_park",
    "northanger_abbey",
)
CRITICS = ("helm_1909_country_house_comedy", "austen_leigh_1913_life_and_letters", "austen_leigh_1871_memoir")

LONG = 8
"""Equal words in a row that are seldom chance."""


def main() -> None:
    """Search every novel in every critic, then count or sample."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    folder = Path(os.environ["VARIORUM_TEST_DATA"])
    novels = {name: _read(folder / "novels" / f"{name}.txt") for name in NOVELS}
    parted = {name: segment(text) for name, text in novels.items()}
    drawn: list[tuple[str, str, Quotation]] = []
    runs = Counter[str]()
    for critic in CRITICS:
        source = _read(folder / "criticism" / f"{critic}.txt")
        for novel in NOVELS:
            before = time.process_time()
            findings = find(source, novels[novel], parted[novel].sentences)
            if not asked.sample:
                _count(critic, novel, findings, time.process_time() - before)
            drawn += [(critic, novel, each) for each in findings.found]
            runs += _runs(source, novels[novel], parted[novel], findings)
    print(f"{len(drawn)} quotations in all")
    where = ", ".join(f"{place} {count}" for place, count in runs.most_common())
    print(f"{runs.total()} runs of {LONG} equal words and more, by what became of them: {where}")
    for number, (critic, novel, each) in enumerate(Random(asked.seed).sample(drawn, asked.sample), 1):
        _show(number, critic, novel, each, novels[novel], parted[novel])


def _runs(source: str, novel: str, parts: Segmentation, findings: Findings) -> Counter[str]:
    """Count the long runs of words that both texts have, by the finding that they lie in."""
    printed, book = SourceText(source), BookText(novel, parts.sentences)
    places = [(each.start, each.end, "found") for each in findings.found]
    places += [(each.start, each.end, each.reason) for each in findings.dropped]
    named = Counter[str]()
    for run in shared_runs(printed.words, book.words):
        if run.length >= LONG:
            start, end = printed.words.span(run.printed, run.printed_stop)
            within = [what for low, high, what in places if low < end and start < high]
            named["found" if "found" in within else within[0] if within else "not named"] += 1
    return named


def _read(path: Path) -> str:
    return prepare(path.read_text(encoding="utf-8")).text


def _count(critic: str, novel: str, findings: Findings, seconds: float) -> None:
    reasons = Counter(each.reason for each in findings.dropped)
    dropped = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
    print(f"{critic:36} {novel:22} found {len(findings.found):3}  {seconds:.1f} s  dropped: {dropped}")


def _show(number: int, critic: str, novel: str, each: Quotation, text: str, parts: Segmentation) -> None:
    gold = " ".join(text[start:end] for start, end in parts.sentences[each.first : each.first + each.size])
    print(f"\n[{number}] {critic} {novel}, character {each.start}. {each.why}")
    print("  before:", " | ".join(each.left))
    print("  quoted:", " ".join(each.printed.split()))
    print("  novel: ", " ".join(gold.split()))
    print("  behind:", " | ".join(each.right))


if __name__ == "__main__":
    main()
