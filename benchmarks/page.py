"""What the reading of a printed page comes to, text by text: a table of counts.

    VARIORUM_TEST_DATA=<folder of novels/ and criticism/> python -m benchmarks.page

For each text: sentences; sentences that keep a line break, and the paragraphs they stand in
(verse, letter heads); headings with the longest in characters; and what is set aside, by kind. Last the
sentences that keep a line break where the prose of the same text is wrapped unevenly, at 40 to 75
characters drawn anew for every line. Nothing is timed.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from random import Random

from retrieval.engine.text.reading import prepare
from retrieval.engine.text.sentences import segment

WIDTHS, SEED = (40, 75), 1


def uneven(paragraph: str, random: Random) -> str:
    """The paragraph in lines of very different length; verse is left as it is."""
    if "\n" in paragraph:
        return paragraph
    lines, width = [""], 0
    for word in paragraph.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        if not lines[-1]:
            width = random.randint(*WIDTHS)
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)


def broken(text: str) -> list[int]:
    """The paragraph of each sentence that keeps a line break."""
    return [text.count("\n\n", 0, a) for a, b in segment(text).sentences if "\n" in text[a:b]]


def row(path: Path) -> list[str]:
    """The cells of one text."""
    text = prepare(path.read_text(encoding="utf-8")).text
    found = segment(text)
    kept = broken(text)
    random = Random(SEED)
    again = prepare("\n\n".join(uneven(each, random) for each in text.split("\n\n"))).text
    kinds = Counter(kind for *_, kind in found.left_out)
    longest = max((end - start for start, end in found.headings), default=0)
    aside = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common()) or "nothing"
    numbers = (len(found.sentences), len(kept), len(set(kept)), len(found.headings), longest)
    return [path.stem, *(f"{number:,}" for number in numbers), aside, f"{len(broken(again)):,}"]


def main() -> int:
    if not os.environ.get("VARIORUM_TEST_DATA"):
        print("VARIORUM_TEST_DATA is not set; it must name the folder of novels/ and criticism/.")
        return 2
    folder = Path(os.environ["VARIORUM_TEST_DATA"])
    paths = [path for kind in ("novels", "criticism") for path in sorted((folder / kind).glob("*.txt"))]
    head = [
        "text",
        "sentences",
        "with line breaks",
        "in paragraphs",
        "headings",
        "longest",
        "set aside",
        "unevenly",
    ]
    for cells in (head, ["---"] * len(head), *map(row, paths)):
        print(f"| {' | '.join(cells)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
