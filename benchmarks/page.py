"""What the reading of a printed page comes to, text by text: a table of counts.

    VARIORUM_TEST_DATA=<folder of novels/ and criticism/> python -m benchmarks.page

For each text: sentences; sentences that keep a line break, and the paragraphs they stand in
(verse, letter heads); headings with the longest in characters; and what is set aside, by kind. Nothing is
timed.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path

from retrieval.engine.text.reading import prepare
from retrieval.engine.text.sentences import segment


def row(path: Path) -> list[str]:
    """The cells of one text."""
    text = prepare(path.read_text(encoding="utf-8")).text
    found = segment(text)
    broken = [text.count("\n\n", 0, start) for start, end in found.sentences if "\n" in text[start:end]]
    kinds = Counter(kind for *_, kind in found.left_out)
    longest = max((end - start for start, end in found.headings), default=0)
    aside = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common()) or "nothing"
    numbers = (len(found.sentences), len(broken), len(set(broken)), len(found.headings), longest)
    return [path.stem, *(f"{number:,}" for number in numbers), aside]


def main() -> int:
    if not os.environ.get("VARIORUM_TEST_DATA"):
        print("VARIORUM_TEST_DATA is not set; it must name the folder of novels/ and criticism/.")
        return 2
    folder = Path(os.environ["VARIORUM_TEST_DATA"])
    paths = [path for kind in ("novels", "criticism") for path in sorted((folder / kind).glob("*.txt"))]
    head = ["text", "sentences", "with line breaks", "in paragraphs", "headings", "longest", "set aside"]
    for cells in (head, ["---"] * len(head), *map(row, paths)):
        print(f"| {' | '.join(cells)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
