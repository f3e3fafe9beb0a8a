"""The span task for what lies in several places: one span or more of a passage in one answer.

Payload and files are those of the span task. Answer and gold: `{"spans": [[s, e], ...]}`, half-open in
tokens, in order, without overlap, one of them holding the anchor where there is one; or
`{"declined": "no_allusion"}`. Spans may touch, and are then two.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any, ClassVar

from annotation.tasktypes import passage, span_lines
from annotation.tasktypes.base import Answer, Example, Invalid, Key, Payload, TaskType
from annotation.tasktypes.passage import jittered, likely
from annotation.tasktypes.span import DECLINES, NO_ALLUSION, Span
from common import wording
from common.errors import BadInput
from common.translation import gettext as _
from common.translation import gettext_noop

MOST_SPANS = 100
# “3-7, 12”: words by their numbers, from 1, the last one included; any dash, and any mark between.
WRITTEN = re.compile(r"(\d{1,6})(?:\s*[-–—]\s*(\d{1,6}))?")
BETWEEN = re.compile(r"[\s,;]*")
NOT_NUMBERS = gettext_noop(
    "Write each span as the numbers of its first and last word, such as 3-7, 12-15. “{written}” is not."
)
UNITS = gettext_noop("tokens"), gettext_noop("code points"), gettext_noop("words")
"""What spans are counted in, here and by other task types."""
# Of simulated readers who are wrong: how often one of several spans is missed.
MISSES = 0.4


class Spans(Span):
    """Mark the words that make an allusion, in as many places as they stand."""

    slug = "spans"
    label = gettext_noop("Mark the allusion in several places")
    measure = "several_spans"
    asks = gettext_noop(
        "You would read short passages and mark the words, in one place or in several, in which each "
        "alludes to another text."
    )
    keys: ClassVar[tuple[Key, ...]] = (
        Key("sentence", "s", gettext_noop("mark the whole sentence")),
        Key("another_span", "a", gettext_noop("mark another span")),
        Key("remove_span", "d", gettext_noop("remove the span that is being marked")),
    )
    answer_numbers: ClassVar[tuple[str, ...]] = ("spans",)
    undecided_reasons: ClassVar[tuple[str, ...]] = (
        gettext_noop("It has no clear beginning"),
        gettext_noop("It has no clear end"),
        gettext_noop("It is spread over the whole passage"),
    )

    def of_line(self, fields: Mapping[str, Any]) -> tuple[dict[str, Any], Answer | None]:
        span_lines.check_fields(fields)
        payload = span_lines.payload_of(fields)
        return payload, gold_of(fields.get("gold"), payload)

    def check_answer(self, payload: Payload, answer: Any) -> Answer:
        if answer == NO_ALLUSION:
            return dict(NO_ALLUSION)
        if not isinstance(answer, Mapping) or set(answer) != {"spans"}:
            raise Invalid(_("The answer must be a list of spans in tokens, or no allusion."), "spans")
        found = checked_spans(answer["spans"], "spans", len(payload["tokens"]), "tokens", MOST_SPANS)
        anchor = payload.get("anchor")
        if anchor is not None and not any(start <= anchor[0] and anchor[1] <= end for start, end in found):
            said = _("One of the spans must contain the anchor, {anchor}.")
            raise Invalid(said.format(anchor=passage.anchor_in_words(payload)), "spans")
        return {"spans": found}

    def parse(self, payload: Payload, data: Mapping[str, Any]) -> Answer:
        """Read `spans`, a list of [start, end) from a script, or words by their numbers from the form."""
        spans = data.get("spans")
        if data.get("declined"):
            if isinstance(spans, list):
                raise Invalid(_("Send either spans or that you decline, not both."), "declined")
            return self.check_answer(payload, {"declined": data["declined"]})
        if spans is None or (isinstance(spans, str) and not spans.strip()):
            raise Invalid(_(passage.MARK), "spans")
        if isinstance(spans, str):
            spans = written(spans, len(payload["tokens"]))
        return self.check_answer(payload, {"spans": spans})

    def instruction(self, payload: Payload) -> str:
        return (
            "Quote the words of the text that make an allusion to one of the references, each run of words "
            "as it stands in the text, to the letter: as many as are needed for them to stand there once. "
            "Where the text has an anchor, an editor’s reference stands at it, and one of the runs holds it. "
            "Where there is no allusion say so."
        )

    def reply_schema(self, payload: Payload) -> dict[str, dict[str, Any]]:
        return {
            "words": {"type": ["array", "null"], "items": {"type": "string"}},
            "no_allusion": {"type": "boolean"},
        }

    def from_reply(self, payload: Payload, reply: Mapping[str, Any], order: Sequence[int]) -> Answer:
        words = self.words_of(payload, reply)
        return self.parse(payload, {"spans": [list(each) for each in words]} if words else NO_ALLUSION)

    def as_reply(self, payload: Payload, answer: Mapping[str, Any], order: Sequence[int]) -> dict[str, Any]:
        places = [passage.borders(payload, *each) for each in answer.get("spans", ())]
        words = [payload["text"][first:end] for first, end in places]
        return {"words": words or None, "no_allusion": not words}

    def every_number(self, answer: Answer | None) -> tuple[int | None, ...]:
        """Return start and end of each span, one after the other; none without spans."""
        return tuple(border for span in (answer or {}).get("spans", ()) for border in span)

    meanings: ClassVar[dict[str, str]] = {
        "n_spans": "how many spans",
        "spans": "each as [first token from 0, token behind the last], in order, as JSON",
        "n_tokens": "tokens in all of them, punctuation counted",
        "characters": "the same spans in code points of the passage, as JSON",
        "span_text": "the passage between the borders of each, joined by “ … ”",
        "declined": "no_allusion, or empty; then all the others are empty",
    }

    def rows(self, payload: Payload, answer: Answer) -> dict[str, Any]:
        if "declined" in answer:
            return {**dict.fromkeys(self.meanings), "declined": answer["declined"]}
        spans, tokens = answer["spans"], payload["tokens"]
        places = [[tokens[start][0], tokens[end - 1][1]] for start, end in spans]
        return {
            "n_spans": len(spans),
            "spans": json.dumps(spans),
            "n_tokens": sum(end - start for start, end in spans),
            "characters": json.dumps(places),
            "span_text": " … ".join(payload["text"][first:last] for first, last in places),
            "declined": None,
        }

    def fields(self, answer: Answer, order: Sequence[int]) -> dict[str, str]:
        if "declined" in answer:
            return TaskType.fields(self, answer, order)
        return {"spans": typed(answer["spans"])}

    def apart(self, one: Answer, other: Answer, categories: int) -> float:
        """Return 1 − (tokens in both answers) / (tokens in either); 1 between spans and no allusion.

        Different spans with the same tokens lie half a token apart: they are not the same answer.
        """
        if "declined" in one or "declined" in other:
            return TaskType.apart(self, one, other, categories)
        first, second = tokens_of(one), tokens_of(other)
        union = len(first | second)
        return (len(first ^ second) or (one != other) / 2) / union

    def simulate(self, payload: Payload, gold: Answer | None, accuracy: float, random: Random) -> Answer:
        """Return the gold answer with probability `accuracy`, else other spans or, one time in five, none.

        Of other spans one has borders moved as in the span task; of the rest each is missed two times in
        five, but never the one that holds the anchor. Without gold the anchor's clause stands in for it.
        """
        target = gold or {"spans": [spanned(likely(payload))]}
        if random.random() < accuracy:
            return dict(target)
        if "declined" not in target and random.random() < DECLINES:
            return dict(NO_ALLUSION)
        spans = [spanned(likely(payload))] if "declined" in target else target["spans"]
        moved = self.moved(payload, spans, random)
        return dict(NO_ALLUSION) if {"spans": moved} == target else {"spans": moved}

    def moved(self, payload: Payload, spans: Sequence[Sequence[int]], random: Random) -> list[list[int]]:
        """Return spans of which one was moved, as far as its neighbours let it, and some were missed."""
        anchor = payload.get("anchor")
        holds = [anchor is not None and start <= anchor[0] and anchor[1] <= end for start, end in spans]
        at = holds.index(True) if any(holds) else random.randrange(len(spans))
        low = spans[at - 1][1] if at else 0
        high = spans[at + 1][0] if at + 1 < len(spans) else len(payload["tokens"])
        start, end = spanned(jittered(payload, {"start": spans[at][0], "end": spans[at][1]}, random))
        own = [max(start, low), min(end, high)]
        if own[0] >= own[1]:
            own = list(spans[at])
        kept = [list(span) for number, span in enumerate(spans) if number != at and random.random() >= MISSES]
        return sorted([own, *kept])

    @classmethod
    def example(cls) -> Example:
        payload = super().example().payload
        gold, answer = [[0, 3], [7, 12]], [[0, 3], [7, 13]]
        return Example(payload, {"spans": gold}, {"spans": "1-3, 8-13"}, {"spans": answer})


def checked_spans(spans: Any, field: str, n: int, unit: str, most: int) -> list[list[int]]:
    """Return spans in order. Raises `Invalid` unless they are 1 to `most` of [start, end) within `n` of a
    unit, such as tokens, that do not overlap.
    """
    if not passage.is_list(spans) or not spans:
        said = _("“{field}” must be a list of [start, end) in {unit} with at least one in it.")
        raise Invalid(said.format(field=field, unit=_(unit)), field)
    if len(spans) > most:
        said = _("“{field}” has {n} entries: at most {most} fit.")
        raise Invalid(said.format(field=field, n=wording.number(len(spans)), most=most), field)
    for number, span in enumerate(spans):
        try:
            check_span(span, n, unit)
        except BadInput as error:
            said = _("“{field}”, entry {number}: {fault}")
            raise Invalid(said.format(field=field, number=number, fault=error), field) from None
    found = sorted([list(span) for span in spans])
    for (__, end), (start, last) in pairwise(found):
        if start < end:
            said = _(
                "“{field}”: [{start}, {last}) begins before the one in front of it ends, at {end}: spans "
                "of one answer do not overlap."
            )
            raise Invalid(said.format(field=field, start=start, last=last, end=end), field)
    return found


def check_span(span: Any, n: int, unit: str) -> None:
    """Raise `BadInput` unless it is [start, end) with something in it, within `n` of the unit."""
    if not passage.is_pair(span):
        said = _("must be [start, end), two whole numbers of {unit}, 0 or more.")
        raise BadInput(said.format(unit=_(unit)))
    start, end = span
    if start >= end:
        said = _("[{start}, {end}) is empty: it must end after it starts.")
        if start > end:
            said = _("[{start}, {end}) is reversed: it must end after it starts.")
        raise BadInput(said.format(start=start, end=end))
    if end > n:
        said = _("ends at {end}, beyond the passage, which has {n} {unit}.")
        raise BadInput(said.format(end=end, n=n, unit=_(unit)))


def written(text: str, n: int, field: str = "spans") -> list[list[int]]:
    """Read spans as a reader writes them, words from 1: “3-7, 12”. Raises `Invalid`."""
    found, at = [], skipped(text, 0)
    while at < len(text):
        read = WRITTEN.match(text, at)
        if read is None:
            raise Invalid(_(NOT_NUMBERS).format(written=text[at : at + 20]), field)
        first, last = int(read[1]), int(read[2] or read[1])
        if not 1 <= first <= n or not 1 <= last <= n:
            said = _("“{written}”: the words of this passage have the numbers 1 to {n}.")
            raise Invalid(said.format(written=read[0], n=n), field)
        if last < first:
            said = _("“{written}” ends before it begins: the first word comes first.")
            raise Invalid(said.format(written=read[0]), field)
        found.append([first - 1, last])
        at = skipped(text, read.end())
    for one, other in pairwise(sorted(found)):
        if other[0] < one[1]:
            said = _("“{one}” and “{other}” share words: mark them as one.")
            raise Invalid(said.format(one=typed([one]), other=typed([other])), field)
    return found


def typed(spans: Sequence[Sequence[int]]) -> str:
    """Return spans in words as `written` reads them."""
    return ", ".join(f"{start + 1}-{end}" for start, end in spans)


def skipped(text: str, at: int) -> int:
    """Return the place behind the blanks and marks that stand between two spans."""
    found = BETWEEN.match(text, at)
    return found.end() if found else at


def gold_of(gold: Any, payload: dict[str, Any]) -> Answer | None:
    """Return gold as an answer; a line gives spans, the words of each, or “no_allusion”."""
    if gold is None or (isinstance(gold, dict) and set(gold) != {"start", "end"}):
        return gold
    if isinstance(gold, dict):
        return {"spans": [[gold["start"], gold["end"]]]}
    several = [gold] if isinstance(gold, str) else gold
    if not isinstance(several, list):
        raise Invalid(
            "must be {“spans”: [[start, end], …]}, {“declined”: “no_allusion”}, a list of the words of each "
            "span, or null.",
            "gold",
        )
    return {
        "spans": [
            list(span_lines.found(payload, each, "gold")) if isinstance(each, str) else each
            for each in several
        ]
    }


def spanned(span: Answer) -> list[int]:
    return [span["start"], span["end"]]


def tokens_of(answer: Answer) -> set[int]:
    return {token for start, end in answer["spans"] for token in range(start, end)}
