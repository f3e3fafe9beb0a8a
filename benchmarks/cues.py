"""What readers who never read get right in a study of real critics, without matching and with it.

    VARIORUM_TEST_DATA=<folder of novels/ and criticism/> python -m benchmarks.cues [--seeds N] [--six]

Three critics on five novels by Austen: every quotation that is found becomes an item of one study, with two
wrong passages by BM25, once by RELiC's procedure and once matched by all rules. It goes through the doors
that real data take, on a new SQLite file, and every study is audited as `manage.py cue_audit` does. Printed
is a reader a row, in per cent, with interval and p. With --six the studies hold what the four essays of the
sample quote of its novel, too; with --seeds it is the mean over so many studies of other seeds, and in how
many of them the reader can be told from chance.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import leaks, served

if TYPE_CHECKING:
    from evaluation.metrics.cues.readers import CueResult

SETTINGS: dict[str, Any] = {"off": False, "matched": True}


def main() -> None:
    """Load the texts once, then build and audit a study a setting and seed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--six", action="store_true", help="the sample's novel, too")
    asked = parser.parse_args()
    with served.folder() as folder:
        served.prepare(folder)
        books = leaks.loaded(Path(os.environ["VARIORUM_TEST_DATA"]))
        if asked.six:
            from variorum.demo import load

            books.append(load.texts(print))
        tried = {
            name: [audited(books, f"{name}-{seed}", matching, seed) for seed in range(asked.seeds)]
            for name, matching in SETTINGS.items()
        }
        report(tried)


def audited(books: list[Any], slug: str, matching: Any, seed: int) -> Sequence[CueResult]:
    """The readers of one study."""
    from evaluation.cues.audit import audit_of

    found = audit_of(leaks.study_of(books, slug, matching=matching, seed=seed))
    return found.audit.results


def report(tried: dict[str, list[Sequence[CueResult]]]) -> None:
    heads = [f"{name} | p (Holm)" for name in tried]
    print(f"\n| sees | takes | {' | '.join(heads)} |\n| --- | --- |{' ---: | ---: |' * len(heads)}")
    for at, reader in enumerate(tried["off"][0]):
        cells = [told([each[at] for each in studies]) for studies in tried.values()]
        print(f"| {reader.sees} | {reader.takes} | {' | '.join(cells)} |")


def told(results: list[CueResult]) -> str:
    if len(results) > 1:
        values = [100 * (each.value or 0.0) for each in results]
        return (
            f"{np.mean(values):.1f} | {sum((each.adjusted or 1) < 0.05 for each in results)} of {len(values)}"
        )
    one = results[0]
    if one.low is None or one.high is None or one.value is None or one.adjusted is None:
        return "– | –"
    return f"{100 * one.value:.1f} [{100 * one.low:.1f}, {100 * one.high:.1f}] | {one.adjusted:.3f}"


if __name__ == "__main__":
    main()
