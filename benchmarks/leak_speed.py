"""How long the check for printed answers takes, and how that compares with rapidfuzz on every pair of texts.

    python -m benchmarks.leak_speed [--items 20000] [--options 3] [--sample 400]

Items of words drawn by Zipf's law, in a new SQLite file: contexts of 200 words, options of 12 to 49, and in
two items of a hundred the right option of an earlier item stands in the context, a letter changed in every
ninth word of half of them. Ours is the whole check, from rows to findings with the longest runs. Beside it,
in the same run, rapidfuzz's `cdist` with `partial_ratio` on the first --sample options and contexts, one
thread, extrapolated to all pairs of an option and a context. Processor seconds. What `cdist` finds among a
sample of contexts with such a copy is counted in both.
"""

from __future__ import annotations

import argparse
import resource
import time
from typing import Any

import numpy as np
from rapidfuzz import fuzz, process

from benchmarks import filled
from common.console import bar
from retrieval.engine.leaks.printed import NEARLY, printed
from retrieval.engine.quotations.alignment import words_in

VOCABULARY = 14_000
CONTEXT, SHORTEST, LONGEST = 100, 12, 50
COPIED, ALTERED = 0.02, 9


def main() -> None:
    """Fill a study, check it, and time the peer on a sample."""
    parser = argparse.ArgumentParser(description="Time the check for printed answers.")
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--options", type=int, default=3)
    parser.add_argument("--sample", type=int, default=400)
    arguments = parser.parse_args()
    payloads, copies = drawn(arguments.items, arguments.options)
    with filled.fresh_database():
        from annotation.studies import leaks

        study = stored(payloads)
        begun = time.process_time()
        with bar() as progress:
            found = leaks.check(study, lambda done, total: progress(done, total, "text"))
        ours = time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{arguments.items:,} items of {arguments.options} options, {len(copies):,} copied answers")
    print(f"the whole check: {ours:.1f} s of processor, {len(found.leaks):,} findings, {peak} MiB at most")
    compare(payloads, copies, arguments.sample, ours)


def drawn(n_items: int, n_options: int) -> tuple[list[dict[str, Any]], list[tuple[int, int]]]:
    """The items' payloads, and the copies: which item's right option stands in which one's context."""
    generator = np.random.default_rng(1)
    chance = 1 / np.arange(1, VOCABULARY + 1)
    words = np.array([f"w{number:x}" for number in range(VOCABULARY)])

    def text(length: int) -> list[str]:
        chosen: list[str] = words[generator.choice(VOCABULARY, length, p=chance / chance.sum())].tolist()
        return chosen

    payloads: list[dict[str, Any]] = []
    copies = []
    for number in range(n_items):
        options = [text(int(generator.integers(SHORTEST, LONGEST))) for _ in range(n_options)]
        left = text(CONTEXT)
        if payloads and generator.random() < COPIED:
            source = int(generator.integers(len(payloads)))
            copied = payloads[source]["options"][0].split()
            if len(copies) % 2:
                copied = [f"{word}x" if at % ALTERED == 4 else word for at, word in enumerate(copied)]
            left = [*left[:50], *copied, *left[50:]]
            copies.append((source, number))
        payloads.append(
            {
                "left": [" ".join(left)],
                "right": [" ".join(text(CONTEXT))],
                "options": [" ".join(option) for option in options],
                "language": "en",
            }
        )
    return payloads, copies


def stored(payloads: list[dict[str, Any]]) -> Any:
    from annotation.models import Item, Study

    study = Study.objects.create(slug="speed", title="Speed", task="choice", overlap=1, seed=1)
    Item.objects.bulk_create(
        (
            Item(study=study, number=number, payload=payload, gold={"option": 0}, digest=str(number))
            for number, payload in enumerate(payloads, 1)
        ),
        batch_size=1000,
    )
    return study


def compare(payloads: list[dict[str, Any]], copies: list[tuple[int, int]], size: int, ours: float) -> None:
    """Time `cdist` on a sample, extrapolate, and count what each finds of the copies."""
    options = [" ".join(words_in(text)) for each in payloads[:size] for text in each["options"]][:size]
    contexts = [
        " ".join(words_in(text)) for each in payloads[:size] for text in (*each["left"], *each["right"])
    ]
    contexts = contexts[:size]
    begun = time.process_time()
    process.cdist(options, contexts, scorer=fuzz.partial_ratio, score_cutoff=NEARLY, workers=1)
    one = (time.process_time() - begun) / (len(options) * len(contexts))
    pairs = sum(len(each["options"]) for each in payloads) * 2 * len(payloads)
    print(f"rapidfuzz on {len(options):,} × {len(contexts):,}: {one * 1e6:.0f} µs a pair, {pairs:,} pairs")
    print(f"which takes {one * pairs:,.0f} s in all; ratio {ours / (one * pairs):.6f}")
    some = copies[:size]
    sought = [payloads[source]["options"][0] for source, _ in some]
    shown = [payloads[target]["left"][0] for _, target in some]
    scores = process.cdist(sought, shown, scorer=fuzz.partial_ratio, score_cutoff=NEARLY, workers=1)
    theirs = {(int(one), int(other)) for one, other in zip(*np.nonzero(scores), strict=True)}
    own = {(each.sought, each.shown) for each in printed(sought, shown)}
    print(
        f"of {len(some)} copies ours finds {sum((n, n) in own for n in range(len(some)))}, rapidfuzz "
        f"{sum((n, n) in theirs for n in range(len(some)))}; found by rapidfuzz alone: {len(theirs - own)}"
    )


if __name__ == "__main__":
    main()
