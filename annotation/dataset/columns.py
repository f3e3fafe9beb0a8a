"""The tables of a data set and what each of their columns holds: its schema, its codebook and its check."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

VERSION = 2
"""Of the layout: a folder of version 1 is read, too (`earlier`), one of a later version is refused."""


class Column(NamedTuple):
    """A column of a table.

    name: in JSON, and in Parquet.
    type: as Frictionless names it: string, integer, number, boolean, datetime, object or array.
    meaning: for the codebook.
    needed: whether it is never empty.
    """

    name: str
    type: str
    meaning: str
    needed: bool = False


class Table(NamedTuple):
    """A table of a data set: a file of JSON lines, and the same as Parquet.

    name: of the files, without their ends.
    meaning: what a line is.
    columns: in their order.
    key: the columns that no two lines share.
    """

    name: str
    meaning: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """Of the JSON lines, in the folder."""
        return f"data/{self.name}.jsonl"

    @property
    def parquet(self) -> str:
        """Of the Parquet file, in the folder."""
        return f"parquet/{self.name}.parquet"


ITEM = Column("item", "integer", "the item’s number in the study", needed=True)
VERSION_OF_ITEM = Column("version", "integer", "of the item’s candidate set, from 1", needed=True)
DIGEST = Column("item_digest", "string", "sha256 of the item as it was built", needed=True)

ITEMS = Table(
    "items",
    "An item: what readers were asked, with all its options, in canonical order, and where they come from.",
    (
        ITEM,
        Column("digest", "string", "sha256 of the item as it was built", needed=True),
        Column("kind", "string", "work, practice or check", needed=True),
        VERSION_OF_ITEM,
        Column("replaces", "integer", "the item of which this is another version"),
        Column("retired", "datetime", "since when it was left out, or another version stands for it"),
        Column("quarantined", "datetime", "since when it is given to no further reader"),
        Column("group", "string", "what it is read together with, such as its topic; empty without groups"),
        Column("payload", "object", "what a reader may see: context, options, anchors, scale", needed=True),
        Column("gold", "object", "the right answer in canonical terms; empty where it is not known"),
        Column(
            "options",
            "array",
            "each option in canonical order: its number, what readers see of it, whether it is the gold, and "
            "where it comes from: of a candidate job first sentence, size, rank and each ranker’s score, of "
            "a file its number in the line (file), from 0",
            needed=True,
        ),
        Column(
            "provenance",
            "object",
            "where the item comes from: its id in a file, under “from” its job, excerpt, pool, topic and "
            "document; what was covered in its context; its explanation",
            needed=True,
        ),
    ),
    ("item",),
)  # fmt: skip
READ_BY = (
    Column("place", "integer", "which of the item’s k readings, from 1", needed=True),
    Column("pseudonym", "string", "the reader"),
)
JUDGMENTS = Table(
    "judgments",
    "What a reader said of an item; every revision has a line.",
    (
        ITEM,
        DIGEST,
        Column("kind", "string", "of the item: work, practice or check", needed=True),
        VERSION_OF_ITEM,
        Column(
            "replaced",
            "boolean",
            "whether the item was left out or has a newer version: then it enters no number",
            needed=True,
        ),
        READ_BY[0],
        READ_BY[1]._replace(needed=True),
        Column("simulated", "boolean", "whether the reader is a program", needed=True),
        Column("revision", "integer", "1 for the first answer, higher for each change", needed=True),
        Column(
            "current",
            "boolean",
            "whether this is the reader’s latest revision, not taken back: the only one that numbers use",
            needed=True,
        ),
        Column("outcome", "string", "answer, undecided, broken, or taken_back: undone", needed=True),
        Column("answer", "object", "in canonical terms; empty unless an answer"),
        Column("gold", "object", "the item’s right answer; empty where it is not known"),
        Column("correct", "boolean", "whether it is the gold answer; empty without an answer or gold"),
        Column("confidence", "integer", "from 1 (not at all sure) to 5 (certain); empty where not said"),
        Column("basis", "string", "recognised, worked_out or guessed; empty where it was not said"),
        Column("reason", "string", "why undecided, or what is broken"),
        Column("note", "string", "the reader’s note to the researcher"),
        Column("shown", "array", "canonical option numbers in the order this reader saw them", needed=True),
        Column("active_seconds", "number", "seconds the page was in front of the reader"),
        Column("previews", "integer", "how often a candidate was read in the gap", needed=True),
        Column("group_place", "integer", "which of its group the item was for this reader, from 1"),
        Column("neighbours", "array", "which neighbours of the document were open by then: -1 and 1"),
        Column("guideline", "integer", "version of the guidelines in force"),
        Column("consent", "integer", "version of the consent it was given under"),
        Column("door", "string", "web, api, simulation or import", needed=True),
        Column("claimed", "datetime", "when the reader was given the item"),
        Column("opened", "datetime", "when it was first shown to them"),
        Column("arm", "string", "blind, reveal or prefilled; empty where no machine’s answer is shown"),
        Column("revealed_at", "datetime", "when a machine’s answer was shown after the reader’s own"),
        Column("kept_at", "datetime", "when the reader said, after that, that their answer stays"),
        Column("source_read", "datetime", "when the reader, having answered, read on in the book"),
        Column("seen", "object", "the machine’s answer that had been seen by then; empty for none"),
        Column("seen_reading", "string", "which reading that was: reader, replicate and order, as M1:0:0"),
        Column("created", "datetime", "when the judgment was stored", needed=True),
    ),
    ("item", "place", "revision"),
)
ASSIGNMENTS = Table(
    "assignments",
    "A reading that is not done: nobody’s yet (free), or somebody’s (held); done ones are in judgments.",
    (
        ITEM,
        *READ_BY,
        Column("status", "string", "free, held or done", needed=True),
        Column("claimed", "datetime", "when the reader was given it"),
        Column("opened", "datetime", "when it was first shown to them"),
        Column("lease_until", "datetime", "until when it is kept for them"),
        Column("put_off", "datetime", "when the reader said: later"),
        Column("shown", "array", "canonical option numbers in the order shown", needed=True),
        Column("group_place", "integer", "which of its group it was for this reader, from 1"),
        Column("neighbours", "array", "which neighbours of the document were opened: -1 and 1"),
        Column("arm", "string", "blind, reveal or prefilled; empty where no machine’s answer is shown"),
        Column("revealed_at", "datetime", "when a machine’s answer was shown after the reader’s own"),
        Column("kept_at", "datetime", "when the reader said, after that, that their answer stays"),
    ),
    ("item", "place"),
)
DECISIONS = Table(
    "decisions",
    "What an adjudicator decided for an item; every revision has a line.",
    (
        ITEM,
        DIGEST,
        VERSION_OF_ITEM,
        Column("revision", "integer", "1 for the first decision on the item", needed=True),
        Column(
            "current", "boolean", "whether this is the latest: the only one that numbers use", needed=True
        ),
        Column("answer", "object", "in canonical terms; empty: none can be given"),
        Column(
            "correct", "boolean", "whether it is the gold answer; empty without an answer or without gold"
        ),
        Column(
            "adopted",
            "string",
            "the judgment that was adopted: place and revision, as 2:1, or “gone”; empty: the adjudicator’s",
        ),
        Column(
            "seen",
            "array",
            "the judgments it was made on, by place and revision; “gone” for one that is there no more",
            needed=True,
        ),
        Column("reason", "string", "why; shown to the item’s readers when the study is closed"),
        Column("adjudicator", "string", "the adjudicator’s pseudonym", needed=True),
        Column("created", "datetime", "when the decision was stored", needed=True),
    ),
    ("item", "revision"),
)
RUNS = Table(
    "runs",
    "What a machine reader, or a system whose answers were read in, said of an item.",
    (
        Column("reader", "string", "the machine reader: M1, M2 …, as study.json describes it", needed=True),
        ITEM,
        DIGEST,
        Column("replicate", "integer", "0, or another number for the same question asked again", needed=True),
        Column("order", "integer", "0, or another number for another order of the options", needed=True),
        Column("state", "string", "answered, undecided, unreadable, refused or failed", needed=True),
        Column("answer", "object", "in canonical terms; empty unless answered"),
        Column(
            "correct", "boolean", "whether it is the gold answer; empty without an answer or without gold"
        ),
        Column("probabilities", "object", "of each number an answer may have, where told", needed=True),
        Column("reason", "string", "why there is no answer"),
        Column("text", "string", "the reply as it came"),
        Column("asked", "integer", "how many requests it took", needed=True),
        Column("shown", "array", "canonical option numbers in the order shown to the model", needed=True),
        Column("looks_like_instruction", "boolean", "whether a text looks like an instruction", needed=True),
        Column("prompt_tokens", "integer", "sent, as the endpoint counted"),
        Column("completion_tokens", "integer", "received, likewise"),
        Column("created", "datetime", "when the reading was stored", needed=True),
    ),
    ("reader", "item", "replicate", "order"),
)  # fmt: skip
ANNOTATORS = Table(
    "annotators",
    "Who took part, in the order in which they joined: a pseudonym, never a person.",
    (
        Column("pseudonym", "string", "the only name that leaves the installation", needed=True),
        Column("role", "string", "annotator, adjudicator or researcher", needed=True),
        Column("simulated", "boolean", "whether it is a program", needed=True),
        Column("state", "string", "active, left or withdrawn", needed=True),
        Column("quota", "integer", "at most so many items"),
        Column("consent", "integer", "version of the consent that was agreed to"),
        Column("consented", "datetime", "when"),
        Column("guideline_seen", "integer", "version of the guidelines last shown"),
        Column("group_seen", "string", "the group of items that was announced last, and confirmed"),
        Column("practised", "datetime", "when the pass mark was reached"),
        Column("created", "datetime", "when they joined", needed=True),
    ),
    ("pseudonym",),
)
RECORD = Table(
    "record",
    "Who did what when, in the order of time, without exports and without what names a person.",
    (
        Column("verb", "string", "what was done", needed=True),
        Column("by", "string", "the pseudonym of who did it; empty for the system, and for who is not in it"),
        Column("data", "object", "what belongs to it: items by number, readers by pseudonym", needed=True),
        Column("created", "datetime", "when", needed=True),
    ),
)
SAMPLE = Table(
    "sample",
    "An item of the sampling frame of a study that shows a machine’s answers.",
    (
        ITEM,
        Column("stratum", "string", "its name", needed=True),
        Column("stratum_size", "integer", "N_h: how many items, or topics, the stratum has", needed=True),
        Column("stratum_drawn", "integer", "n_h: how many of them were drawn", needed=True),
        Column("drawn", "boolean", "whether it is in the sample", needed=True),
        Column("machine_answer", "object", "what the machine said; empty where it gave no answer"),
        Column("reading", "string", "which reading that was, as M1:0:0; empty for one of another study"),
    ),
    ("item",),
)
ARMS = Table(
    "arms",
    "In which arm a reader met an item: drawn once, also where the item went back.",
    (
        ITEM,
        Column("pseudonym", "string", "the reader", needed=True),
        Column("stratum", "string", "of the item", needed=True),
        Column("place", "integer", "which of the reader’s items in the stratum it was, from 0", needed=True),
        Column("arm", "string", "blind, reveal or prefilled", needed=True),
    ),
    ("item", "pseudonym"),
)
TABLES = (ITEMS, JUDGMENTS, ASSIGNMENTS, DECISIONS, RUNS, ANNOTATORS, RECORD, SAMPLE, ARMS)


def is_moment(value: Any) -> bool:
    """Return whether it is a moment as files have it, in UTC: 2026-11-23T12:00:00Z."""
    try:
        return isinstance(value, str) and value.endswith("Z") and datetime.fromisoformat(value) is not None
    except ValueError:
        return False


IS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "string": ("a text", lambda value: isinstance(value, str)),
    "integer": ("a whole number", lambda value: type(value) is int and abs(value) < 2**63),
    "number": ("a number", lambda value: type(value) in (int, float)),
    "boolean": ("true or false", lambda value: type(value) is bool),
    "datetime": ("a moment such as 2026-11-23T12:00:00Z", is_moment),
    "object": ("an object", lambda value: isinstance(value, dict)),
    "array": ("a list", lambda value: isinstance(value, list)),
}
"""Of each type what it is called, and what tells whether a value is of it."""
