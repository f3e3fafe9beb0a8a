"""What each column of the exports means, in words: on the page that exports, and in docs/codebook.md.

The columns of an answer are the task type’s own, and so are their meanings.
"""

from __future__ import annotations

from annotation.export import decisions, judgments, readings
from annotation.models import Study

JUDGMENTS = {
    "study": "the study’s short name",
    "task": "the task type, e.g. choice",
    "item": "the item’s number in the study",
    "item_digest": "sha256 of the item as it was built",
    "kind": "work, practice or check",
    "version": "of the item’s candidate set, from 1",
    "replaced": "whether another version has taken the item’s place: then it enters no number",
    "place": "which of the item’s k readings, from 1",
    "pseudonym": "the reader",
    "simulated": "whether the reader is a program",
    "revision": "1 for the first answer, higher for each change",
    "current": "whether this is the reader’s latest revision, not taken back: the only one that numbers use",
    "outcome": "answer, undecided (can’t decide), broken, or taken_back: the reader undid the answer before",
    "correct": "whether the answer is the gold one; empty without an answer or without gold",
    "confidence": "how sure the reader was, from 1 (not at all) to 5 (certain); empty where it was not asked "
    "or not said",
    "basis": "recognised, worked_out or guessed; empty where it was not asked or not said",
    "reason": "why undecided, or what is broken",
    "note": "the reader’s note to the researcher",
    "canonical": "where each option came from, in canonical order: of a candidate job first sentence, size, "
    "rank, score by ranker, whether gold; of a file its number in the line (file), from 0",
    "shown": "canonical option numbers in the order in which this reader saw them",
    "active_seconds": "seconds the page was in front of the reader, at most what passed on the server",
    "previews": "how often a candidate was read in the gap",
    "group_place": "which of its group, such as its topic, the item was for this reader, from 1; empty "
    "without groups",
    "neighbours": "which neighbours of the document in its source the reader had opened: -1 before it, 1 "
    "behind it; empty where the study shows none",
    "guideline": "version of the guidelines in force",
    "consent": "version of the consent it was given under; empty where none was asked for",
    "door": "web, api or simulation",
    "created": "when the judgment was stored",
}
MACHINE = {
    "arm": "blind, reveal or prefilled: whether, and when, the reader saw what a machine answered; empty on "
    "practice and check items",
    "revealed_at": "when the machine’s answer was shown after the reader’s own; their first answer is the "
    "last revision without a seen answer",
    "kept_at": "when the reader said, after that, that their answer stays",
    "differs": "whether the answer is another than the machine’s that was seen; empty where none was",
    "stratum": "of the item in the sample",
    "stratum_items": "N_h: how many items the stratum has; topics, where whole topics were drawn",
    "stratum_drawn": "n_h: how many of them were drawn",
    "weight": "N_h / n_h: how many items this one stands for",
}
"""Columns that only studies have which show what a machine answered."""
DECISIONS = {
    "study": "the study’s short name",
    "task": "the task type",
    "item": "the item’s number in the study",
    "item_digest": "sha256 of the item as it was built",
    "version": "of the item’s candidate set, from 1",
    "revision": "1 for the first decision on the item, higher for each change of mind",
    "current": "whether this is the latest: the only one that numbers use",
    "settled": "whether an answer was given; false: none can be",
    "correct": "whether the decision is the gold answer; empty without an answer or without gold",
    "adopted": "whether a reader had given that answer; false: the adjudicator’s own",
    "readings": "how many judgments the adjudicator had before them",
    "same": "how many of those say the same; empty without an answer",
    "reason": "why; shown to the item’s readers when the study is closed",
    "adjudicator": "the adjudicator’s pseudonym",
    "created": "when the decision was stored",
}


def of_judgments(study: Study) -> list[tuple[str, str]]:
    """Return pairs (column, meaning) for the file of judgments, in its order."""
    own = judgments.task_columns(study)
    gold = {f"gold_{name}": f"of the gold answer: {meaning}" for name, meaning in own.items()}
    seen = {f"seen_{name}": f"of the machine’s answer that was seen: {said}" for name, said in own.items()}
    return [
        (name, {**JUDGMENTS, **MACHINE, **own, **gold, **seen}[name]) for name in judgments.columns(study)
    ]


def of_decisions(study: Study) -> list[tuple[str, str]]:
    """Return pairs (column, meaning) for the file of decisions, in its order."""
    return [(name, {**DECISIONS, **judgments.task_columns(study)}[name]) for name in decisions.columns(study)]


def of_readings(study: Study) -> list[tuple[str, str]]:
    """Return pairs (column, meaning) for the file of machine readings, in its order."""
    return [*readings.BEFORE.items(), *judgments.task_columns(study).items(), *readings.AFTER.items()]
