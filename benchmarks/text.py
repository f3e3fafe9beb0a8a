"""Sentences and quotations against their peers, in one run.

    VARIORUM_TEST_DATA=<folder of novels/ and criticism/> python -m benchmarks.text [--rounds 3]

Characters a second of `text.segment`, headings and parts left out included, over spaCy's sentencizer and
syntok on the same novel; quotations a second of `matching.Shortlist` over rapidfuzz's `extractOne` in a loop,
both held to the same answers. Half of the quotations are sentences of the novel with 4 % of their letters
changed, half are sentences of another novel. spaCy and syntok (requirements.txt here) add their rows;
without them the rows are left out. CPU times, the best of several rounds; only ratios inside one run mean
anything. Exit status 1: a bar is missed.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from random import Random

from rapidfuzz import fuzz, process, utils

from retrieval.engine.quotations.matching import THRESHOLD, Shortlist
from retrieval.engine.text.sentences import segment

SEGMENTED, OTHER = "pride_and_prejudice", "heart_of_darkness"
QUOTATIONS, NOISE, SEED = 400, 0.04, 1
LEAST_WORDS = 10
BARS = {"spaCy sentencizer": 3.0, "syntok": None, "rapidfuzz extractOne": 2.0}
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def seconds(work: Callable[[], object], rounds: int) -> float:
    """CPU seconds, the best of several rounds: the machine is shared."""
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def read(folder: Path, novel: str) -> str:
    return (folder / "novels" / f"{novel}.txt").read_text(encoding="utf-8")


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in segment(text).sentences]


def noisy(sentence: str, random: Random) -> str:
    """The sentence as a careless hand copies it."""
    return "".join(random.choice(LETTERS) if random.random() < NOISE else each for each in sentence)


def quotations(book: list[str], other: list[str]) -> list[str]:
    random = Random(SEED)
    long, foreign = ([each for each in part if len(each.split()) >= LEAST_WORDS] for part in (book, other))
    half = QUOTATIONS // 2
    return [noisy(each, random) for each in random.sample(long, half)] + random.sample(foreign, half)


def segmenters() -> dict[str, Callable[[str], int]]:
    """What is installed, by name: a function that counts the sentences of a text."""
    found: dict[str, Callable[[str], int]] = {}
    if find_spec("spacy"):
        import spacy

        blank = spacy.blank("en")
        blank.max_length = 10**8
        blank.add_pipe("sentencizer")
        found["spaCy sentencizer"] = lambda text: sum(1 for _ in blank(text).sents)
    if find_spec("syntok"):
        from syntok.segmenter import analyze

        # On a whole novel at once it is many times slower.
        found["syntok"] = lambda text: sum(
            1 for block in text.split("\n\n") for paragraph in analyze(block) for _ in paragraph
        )
    return found


def ratio(name: str, value: float, missed: list[str]) -> str:
    """The ratio and its bar, where it has one."""
    least = BARS[name]
    if least and value < least:
        missed.append(f"{name}: {value:.1f}, bar {least:g}")
    return f"{value:8.1f}x" + (f" (bar {least:g}x)" if least else "")


def segmenting(text: str, rounds: int, missed: list[str]) -> None:
    ours = len(text) / seconds(lambda: segment(text), rounds)
    print(f"{SEGMENTED}, {len(text):,} characters")
    print(f"    text.segment          {ours / 1e6:8.2f} Mchar/s  {len(segment(text).sentences):,} sentences")
    peers = segmenters()
    for name, counted in peers.items():
        theirs = len(text) / seconds(lambda counted=counted: counted(text), rounds)
        print(
            f"    {name:<20}  {theirs / 1e6:8.2f} Mchar/s  {counted(text):,} sentences"
            f"{ratio(name, ours / theirs, missed)}"
        )
    for name in ("spaCy sentencizer", "syntok"):
        if name not in peers:
            print(f"    {name:<20}  left out: not installed")


def finding(book: list[str], printed: list[str], rounds: int, missed: list[str]) -> None:
    processed = [utils.default_process(each) for each in book]

    def one_by_one() -> list[float]:
        scores = []
        for each in printed:
            best = process.extractOne(
                utils.default_process(each), processed, scorer=fuzz.QRatio, score_cutoff=THRESHOLD
            )
            scores.append(best[1] if best else 0.0)
        return scores

    def by_shortlist() -> list[float]:
        return [next((score for _, score in shortlist.matches(each)), 0.0) for each in printed]

    building = seconds(lambda: Shortlist(book), rounds)
    shortlist = Shortlist(book)
    ours, theirs = len(printed) / seconds(by_shortlist, rounds), len(printed) / seconds(one_by_one, rounds)
    expected, found = one_by_one(), by_shortlist()
    alike = sum(a == b for a, b in zip(expected, found, strict=True))
    print(f"{len(printed)} quotations in {len(book):,} sentences")
    print(f"    matching.Shortlist    {ours:8,.0f} q/s  built in {building:.2f} s")
    print(
        f"    rapidfuzz extractOne  {theirs:8,.0f} q/s{ratio('rapidfuzz extractOne', ours / theirs, missed)}"
    )
    print(f"    the same best score in {alike} of {len(printed)}; found {sum(map(bool, found))}")
    if alike < len(printed):
        missed.append(f"another best score in {len(printed) - alike} quotations")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    if not os.environ.get("VARIORUM_TEST_DATA"):
        print("VARIORUM_TEST_DATA is not set; it must name the folder of novels/ and criticism/.")
        return 2
    folder = Path(os.environ["VARIORUM_TEST_DATA"])
    text = read(folder, SEGMENTED)
    missed: list[str] = []
    segmenting(text, rounds, missed)
    book = sentences(text)
    finding(book, quotations(book, sentences(read(folder, OTHER))), rounds, missed)
    print("\n".join(["Bars missed:", *missed]) if missed else "Every bar is met.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
