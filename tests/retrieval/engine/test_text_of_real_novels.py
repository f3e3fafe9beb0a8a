"""The bars on whole novels: tiling, RELiC's count and RELiC's boundaries."""

import json
import re
from itertools import accumulate
from pathlib import Path
from random import Random

import pytest
from rapidfuzz.distance import Indel

from benchmarks.page import uneven
from retrieval.engine.text.reading import prepare
from retrieval.engine.text.sentences import segment
from tests.retrieval import real_texts
from tests.retrieval.real_texts import DATA, parts
from tests.retrieval.real_texts import text as read

pytestmark = real_texts.needed

NOVELS = {
    "frankenstein": 28, "heart_of_darkness": 3, "mansfield_park": 51, "northanger_abbey": 34,
    "persuasion": 25, "pride_and_prejudice": 61, "sense_and_sensibility": 53,
}  # fmt: skip


@pytest.mark.parametrize("name", NOVELS)
def test_a_novel_is_tiled_and_its_headings_are_known(name):
    text = read(f"novels/{name}.txt")
    found = parts(f"novels/{name}.txt")
    spans = sorted([*found.sentences, *found.headings, *((start, end) for start, end, _ in found.left_out)])
    covered = "".join(text[start:end] for start, end in spans)
    assert re.sub(r"\s", "", covered) == re.sub(r"\s", "", text)
    assert len(found.headings) == NOVELS[name]


def test_pride_and_prejudice_has_as_many_sentences_as_in_relic():
    assert len(parts("novels/pride_and_prejudice.txt").sentences) == pytest.approx(7514, rel=0.005)


@pytest.mark.parametrize("name", ["heart_of_darkness", "frankenstein"])
def test_a_novel_that_is_wrapped_unevenly_has_the_same_sentences(name):
    random = Random(1)
    text = read(f"novels/{name}.txt")
    again = prepare("\n\n".join(uneven(each, random) for each in text.split("\n\n"))).text
    found = [again[start:end] for start, end in segment(again).sentences]
    before = [text[start:end] for start, end in parts(f"novels/{name}.txt").sentences]
    assert [each.split() for each in found] == [each.split() for each in before]
    broken = sum("\n" in each for each in found) - sum("\n" in each for each in before)
    assert abs(broken) <= 0.001 * len(found)


def test_what_is_no_novel_is_left_out_of_northanger_abbey():
    found = parts("novels/northanger_abbey.txt")
    assert sorted({kind for *_, kind in found.left_out}) == ["footnote", "transcriber's note"]


def test_boundaries_are_relics_on_frankenstein():
    """Another edition: boundaries are compared behind words that both editions share."""
    relic = json.loads((Path(DATA) / "relic_books/frankenstein.json").read_text(encoding="utf-8"))[
        "sentences"
    ]
    text = read("novels/frankenstein.txt")
    found = parts("novels/frankenstein.txt")
    ours = [text[start:end] for start, end in sorted([*found.sentences, *found.headings])]
    word = re.compile(r"[^\W_]+")
    theirs_words = [word.findall(sentence.lower()) for sentence in relic]
    our_words = [word.findall(sentence.lower()) for sentence in ours]
    same = {}
    flat = [[each for sentence in side for each in sentence] for side in (theirs_words, our_words)]
    for step in Indel.opcodes(*flat):
        if step.tag == "equal":
            same.update(
                zip(range(step.src_start, step.src_end), range(step.dest_start, step.dest_end), strict=True)
            )
    ends = [{end - 1 for end in accumulate(map(len, side)) if end} for side in (theirs_words, our_words)]
    gold = {same[end] for end in ends[0] if end in same}
    made = ends[1] & set(same.values())
    precision, recall = len(gold & made) / len(made), len(gold & made) / len(gold)
    assert 2 * precision * recall / (precision + recall) >= 0.975
