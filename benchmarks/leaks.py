"""What a study of real critics prints of its answers, and what is left when the check has covered it.

    VARIORUM_TEST_DATA=<folder of novels/ and criticism/> python -m benchmarks.leaks

Three critics on five novels by Austen: every quotation that is found becomes an item of one study, with the
two wrong passages that BM25 ranks best. It goes through the doors that real data take, on a new SQLite file.
Printed are the items with each finding, the longest run of words that context and right option share, and the
same after everything was covered.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import served
from benchmarks.quotations import CRITICS, NOVELS

if TYPE_CHECKING:
    from annotation.models import Study
    from annotation.studies.leaks import Checked

RUNS = (2, 3, 4, 5, 6)
WRONG = 2


def main() -> None:
    """Build the study, check it, mend it, check again."""
    with served.folder() as folder:
        served.prepare(folder)
        from django.utils import timezone

        from annotation.studies import leaks, mending

        study = built(Path(os.environ["VARIORUM_TEST_DATA"]))
        began = time.process_time()
        before = leaks.check(study)
        seconds = time.process_time() - began
        print(f"{before.n_items} items, checked in {seconds:.2f} CPU seconds.")
        made = mending.mend(study, by=None, now=timezone.now())
        after = leaks.check(study)
        print(f"{made.covered} findings covered.\n")
        report(before, after)


def report(before: Checked, after: Checked) -> None:
    from annotation.studies.leaks import KINDS

    print(f"{'items with':60} {'built':>6} {'mended':>6}")
    for kind, label in KINDS.items():
        print(f"{label:60} {items(before, kind):6} {items(after, kind):6}")
    for run in RUNS:
        label = f"{run} words in a row or more in context and right option"
        print(f"{label:60} {shared(before, run):6} {shared(after, run):6}")
    lengths = Counter(each.length for each in before.runs)
    print("\nLongest run, as built: " + ", ".join(f"{run} words {lengths[run]}" for run in sorted(lengths)))


def items(found: Checked, kind: str) -> int:
    return len({each.sought.item.pk for each in found.leaks if each.kind == kind})


def shared(found: Checked, run: int) -> int:
    return sum(each.length >= run for each in found.runs)


def built(folder: Path) -> Study:
    """One study of all that the critics quote of all novels."""
    return study_of(loaded(folder), "austen", tell=print)


def loaded(folder: Path) -> list[Any]:
    """The novels, and of each what the critics quote of it, stored."""
    from retrieval.loading import import_book, import_source

    sources = [
        import_source(read(folder, "criticism", name), name=name, slug=name[:40], citation=name[:40]).source
        for name in CRITICS
    ]
    books = []
    for name in NOVELS:
        facts = {"slug": name, "title": name.replace("_", " ").title(), "author": "Austen", "year": 1813}
        books.append(import_book(read(folder, "novels", name), name=name, **facts).book)
        print(f"{name}: {sum(quoted(books[-1], source) for source in sources)} excerpts", flush=True)
    return books


def study_of(
    books: list[Any],
    slug: str,
    *,
    matching: Any = True,
    seed: int = 0,
    tell: Callable[[str], object] = lambda said: None,
) -> Study:
    """A draft study of all excerpts of the books; a job a book, its negatives matched as `matching` says."""
    from annotation.studies.build import add_from_job, make_draft
    from retrieval.candidates import pipeline, submitting

    about: dict[str, Any] = {"slug": slug, "title": "Austen", "task": "choice", "overlap": 3, "seed": 1}
    study = make_draft(by=None, **about)  # type: ignore[arg-type]
    for book in books:
        asked = {"negatives": WRONG, "matching": matching}
        job = submitting.submit(book, ranker="bm25", parameters=asked, seed=seed)
        pipeline.attempt(job.pk, "benchmark")
        tell(f"{book.slug}: {add_from_job(study, job, by=None).items} items")
    return study


def quoted(book: Any, source: Any) -> int:
    """How many excerpts were stored; where a source quotes nothing, the search says so and stores none."""
    from common.errors import BadInput
    from retrieval.loading import find_excerpts

    try:
        return len(find_excerpts(book, source).excerpts)
    except BadInput:
        return 0


def read(folder: Path, kind: str, name: str) -> bytes:
    return (folder / kind / f"{name}.txt").read_bytes()


if __name__ == "__main__":
    main()
