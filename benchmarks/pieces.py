"""Does SIM's reading of texts here equal what NLTK and SentencePiece themselves make of them?

    VARIORUM_TEST_DATA=<folder of novels/> python -m benchmarks.pieces [--vocabulary 6000]

A SentencePiece model (unigram, its own normalisation) is trained on three novels as SIM's was on its corpus:
in lower case, split into words of the Penn Treebank. Then every paragraph of four other novels is split and
cut twice, here and by the two libraries (benchmarks/requirements.txt), and so are 3,000 strings drawn from
letters with ligatures, accents that combine, full-width and invisible characters. Exit status 1: a paragraph
differs.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import tempfile
from pathlib import Path

import sentencepiece
from nltk.tokenize import TreebankWordTokenizer

from retrieval.engine.dense.average.words import words
from retrieval.engine.dense.published import pieces

LEARNED = ("persuasion", "frankenstein", "pride_and_prejudice")
READ = ("heart_of_darkness", "mansfield_park", "northanger_abbey", "sense_and_sensibility")
ODD = "the boat left at dawn  é “”‘’—…ﬁ™Ⅳ½ﬃＡＢ①\u00ad\u200b\u0301e\u0301한日本"
STRINGS = 3000


def paragraphs(folder: Path, slug: str) -> list[str]:
    """The paragraphs of a novel, in lower case and each on one line."""
    text = (folder / "novels" / f"{slug}.txt").read_text(encoding="utf-8").lower()
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]


def learn(place: Path, texts: list[str], vocabulary: int) -> Path:
    """A SentencePiece model of these texts."""
    (place / "texts").write_text("\n".join(" ".join(words(each)) for each in texts), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(place / "texts"),
        model_prefix=str(place / "made"),
        vocab_size=vocabulary,
        max_sentence_length=100_000,
        minloglevel=2,
    )
    return place / "made.model"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--vocabulary", type=int, default=6000)
    asked = options.parse_args()
    data = os.environ.get("VARIORUM_TEST_DATA")
    if not data:
        sys.exit("Name a folder with novels/ in VARIORUM_TEST_DATA.")
    folder, treebank, drawn = Path(data), TreebankWordTokenizer(), random.Random(0)
    with tempfile.TemporaryDirectory() as place:
        model = learn(
            Path(place), [each for slug in LEARNED for each in paragraphs(folder, slug)], asked.vocabulary
        )
        known, theirs = pieces.read(model), sentencepiece.SentencePieceProcessor(model_file=str(model))
    ours = pieces.unigram(known, list(known.scores))

    def cut(text: str) -> bool:
        """Whether a text of words is cut alike; unknown pieces are left out, as SIM leaves them."""
        ids = ours.encode(text, add_special_tokens=False).ids
        mine = [ours.id_to_token(at) for at in ids if at]
        return mine == [theirs.id_to_piece(at) for at in theirs.encode(text) if at != theirs.unk_id()]

    texts = [each for slug in READ for each in paragraphs(folder, slug)]
    split = sum(words(each) == treebank.tokenize(each) for each in texts)
    alike = sum(cut(" ".join(words(each))) for each in texts)
    odd = ["".join(drawn.choices(ODD, k=30)) for _ in range(STRINGS)]
    print(f"{len(known.scores):,} pieces; {len(texts):,} paragraphs of {len(READ)} novels")
    print(f"the same words: {split:,}; the same pieces: {alike:,}")
    print(f"of {STRINGS:,} strings of odd characters the same pieces: {sum(map(cut, odd)):,}")
    return 0 if split == alike == len(texts) else 1


if __name__ == "__main__":
    sys.exit(main())
