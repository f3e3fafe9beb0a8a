"""The summary above a chapter: its topics in a row, parted by dashes: no heading, no sentence."""

import re
from collections.abc import Sequence

LONGEST = 900
"""Characters of a summary, and of one topic: what is longer is told, not listed."""
LONGEST_TOPIC = 110
LEAST_TOPICS = 4

_DASH = re.compile(r"--|—")
_SPEECH = re.compile(r"[“”\"]|(?<!\w)(?:I|you|your|me|my|we|she said|he said)(?!\w)", re.IGNORECASE)
_INNER_END = re.compile(r"[^\W\d_]{3}[!?.] [\"“'‘(_]?[A-Z]")


def is_summary(paragraph: str) -> bool:
    """Whether a paragraph under a heading only lists topics.

    A paragraph of talk is parted by dashes, too, and often by capitals. It speaks: of *I* and *you*, between
    quotation marks. So does a sentence within a topic. Topics in italics as a whole may hold names in any
    form.
    """
    if len(paragraph) > LONGEST:
        return False
    topics = _DASH.split(paragraph)
    if len(topics) < LEAST_TOPICS or max(map(len, topics)) > LONGEST_TOPIC:
        return False
    if sum(topic.strip(" _\"'“‘")[:1].isupper() for topic in topics) < 0.9 * len(topics):
        return False
    return not _speaks(topics)


def _speaks(topics: Sequence[str]) -> bool:
    told = sum(bool(_SPEECH.search(topic) or _INNER_END.search(topic)) for topic in topics)
    return told * 4 > len(topics)
