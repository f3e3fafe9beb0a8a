"""The span task: the shortest run of words that contains the anchor and makes the allusion.

Manjavacas, Long, Kestemont 2019, section 4: the reader sees a passage, the anchor at
which editors put a reference, and the text referred to.

Payload: `text`, `sha256` of it, `tokens` ([first, end) offsets in code points, in order;
punctuation is its own token), `anchor` ([first, end) in tokens, or null), `language`,
`references` (each with `citation`, `text`, `language`, perhaps `lemmata`), perhaps
`lemmata` (one a token) and `citation`.
Answer and gold: `{"start": s, "end": e}`, half-open in tokens, holding the anchor; or
`{"declined": "no_allusion"}`. A span is never empty: who finds no allusion says so, and
who finds one without borders cannot decide (an outcome with a reason, no answer).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from random import Random
from typing import Any, ClassVar

from annotation.tasktypes import passage, span_lines
from annotation.tasktypes.base import Answer, Example, Invalid, Key, Payload, PlainAnswer, TaskType
from annotation.tasktypes.fields import check_names, whole_number
from annotation.tasktypes.items import Field, Path
from common.translation import gettext as _
from common.translation import gettext_noop

NEEDED = {"text", "sha256", "tokens", "language", "references"}
OPTIONAL = {"anchor", "lemmata", "citation"}
LONG = 600
FIRST_WRONG = gettext_noop("The first word must be a number from 1 to {n}.")
LAST_WRONG = gettext_noop("The last word must be a number from 1 to {n}.")
# Characters that tell a model which of several equal words is the anchor.
NEAR = 80
NO_ALLUSION: Answer = {"declined": "no_allusion"}
# One simulated reader in five who is wrong sees no allusion.
DECLINES = 0.2


class Span(TaskType):
    """Mark the words that make an allusion."""

    slug = "span"
    label = gettext_noop("Mark the allusion")
    measure = "spans"
    asks = gettext_noop(
        "You would read short passages and mark the words in which each alludes to another text."
    )
    needs_gold = False
    keys: ClassVar[tuple[Key, ...]] = (
        Key("sentence", "s", gettext_noop("mark the whole sentence")),
        Key("anchor", "a", gettext_noop("mark the anchor alone; nothing, where there is none")),
    )
    payload_numbers: ClassVar[dict[str, Path]] = {
        "tokens": ("tokens",),
        "anchor_start": ("anchor", 0),
        "anchor_end": ("anchor", 1),
    }
    answer_numbers: ClassVar[tuple[str, ...]] = ("start", "end")
    plain_answers = (PlainAnswer("declined", "no_allusion", gettext_noop("No allusion here"), "x"),)
    undecided_label = gettext_noop("Can’t set the borders")
    undecided_reasons: ClassVar[tuple[str, ...]] = (
        gettext_noop("It has no clear beginning"),
        gettext_noop("It has no clear end"),
        gettext_noop("It lies in more than one place"),
        gettext_noop("It is spread over the whole passage"),
    )

    file_fields = (
        Field("text", "the passage"),
        Field("language", "of the passage, such as la"),
        Field("references", "what it may allude to: objects with citation, text and language"),
        Field("anchor", "the word at which editors put the reference, where there is one", needed=False),
        Field("tokens", "[first, end) of each word; left out, words are told apart here", needed=False),
        Field("sha256", "of the text, where tokens are given", needed=False),
        Field("lemmata", "one for each token", needed=False),
        Field("citation", "where the passage stands", needed=False),
    )

    def of_line(self, fields: Mapping[str, Any]) -> tuple[dict[str, Any], Answer | None]:
        span_lines.check_fields(fields)
        payload = span_lines.payload_of(fields)
        return payload, span_lines.gold_of(fields.get("gold"), payload)

    def check_payload(self, payload: Payload) -> None:
        check_names(payload, NEEDED, OPTIONAL, "a span item")
        passage.check_text(payload["text"], "text", passage.LONGEST_TEXT)
        passage.check_digest(payload["text"], payload["sha256"])
        passage.check_tokens(payload["text"], payload["tokens"])
        passage.check_anchor(payload.get("anchor"), len(payload["tokens"]))
        passage.check_language(payload["language"], "language")
        passage.check_lemmata(payload.get("lemmata"), "lemmata", len(payload["tokens"]))
        if payload.get("citation") not in (None, ""):
            passage.check_text(payload["citation"], "citation", passage.LONGEST_NAME)
        passage.check_references(payload["references"])

    def check_answer(self, payload: Payload, answer: Any) -> Answer:
        if answer == NO_ALLUSION:
            return dict(NO_ALLUSION)
        if not isinstance(answer, Mapping) or set(answer) != {"start", "end"}:
            raise Invalid(_("The answer must be a start and an end in tokens, or no allusion."), "first")
        start, end, n = answer["start"], answer["end"], len(payload["tokens"])
        for name, value in (("start", start), ("end", end)):
            if not passage.is_count(value):
                said = _("“{field}” must be a whole number of tokens, 0 or more.")
                raise Invalid(said.format(field=name), name)
        passage.check_borders(start, end, n)
        if payload.get("anchor") is not None:
            first, last = payload["anchor"]
            if start > first or end < last:
                field = "start" if start > first else "end"
                said = _("The span must contain the anchor, {anchor}.")
                raise Invalid(said.format(anchor=passage.anchor_in_words(payload)), field)
        return {"start": start, "end": end}

    def parse(self, payload: Payload, data: Mapping[str, Any]) -> Answer:
        """Read `start` and `end` from a script, or `first` and `last`, words from 1, from the form."""
        if data.get("declined"):
            if "start" in data or "end" in data:
                raise Invalid(_("Send either a span or that you decline, not both."), "declined")
            return self.check_answer(payload, {"declined": data["declined"]})
        if "start" in data or "end" in data:
            return self.check_answer(payload, {"start": data.get("start"), "end": data.get("end")})
        first, last = (number_of(data, name, len(payload["tokens"])) for name in ("first", "last"))
        if last < first:
            said = _("The last word, {last}, stands before the first, {first}.")
            raise Invalid(said.format(last=last, first=first), "last")
        try:
            return self.check_answer(payload, {"start": first - 1, "end": last})
        except Invalid as error:
            raise Invalid(str(error), "first" if error.field == "start" else "last") from None

    def from_file(self, payload: Payload, said: Any) -> Answer:
        return super().from_file(payload, span_lines.in_tokens(payload, said))

    def present(self, payload: Payload, order: Sequence[int]) -> dict[str, Any]:
        text, tokens, anchor = payload["text"], payload["tokens"], payload.get("anchor")
        follows = [first for first, _ in tokens[1:]] + [len(text)]
        return {
            "text": text,
            "before": text[: tokens[0][0]],
            "tokens": [
                {
                    "n": n,
                    "end": n + 1,
                    "text": text[first:end],
                    "after": text[end:follow],
                    "is_word": passage.is_word(text[first:end]),
                    "is_anchor": anchor is not None and anchor[0] <= n < anchor[1],
                }
                for n, ((first, end), follow) in enumerate(zip(tokens, follows, strict=True))
            ],
            "last": len(tokens) - 1,
            "latest_start": anchor[0] if anchor else len(tokens) - 1,
            "earliest_last": anchor[1] - 1 if anchor else 0,
            "anchor": anchor,
            "anchor_text": text[tokens[anchor[0]][0] : tokens[anchor[1] - 1][1]] if anchor else "",
            "clauses": passage.beginnings(payload, passage.CLAUSE_ENDS),
            "sentences": passage.beginnings(payload, passage.sentence_ends(payload["language"])),
            "language": payload["language"],
            "direction": passage.direction(text),
            "citation": payload.get("citation", ""),
            "references": [
                {name: each[name] for name in ("citation", "text", "language")}
                for each in payload["references"]
            ],
            "long_references": sum(len(each["text"]) for each in payload["references"]) > LONG,
        }

    reply_tokens = 200

    def instruction(self, payload: Payload) -> str:
        return (
            "Quote the shortest run of words of the text that makes an allusion to one of the references, "
            "as they stand in the text, to the letter: as many as are needed for them to stand there once. "
            "Where the text has an anchor, an editor’s reference stands at it, and the words hold it. Where "
            "there is no allusion say so."
        )

    def material(self, payload: Payload, order: Sequence[int]) -> dict[str, Any]:
        references = [{name: each[name] for name in ("citation", "text")} for each in payload["references"]]
        found = {"references": references, "citation": payload.get("citation"), "text": payload["text"]}
        if payload.get("anchor") is not None:
            first, end = passage.borders(payload, *payload["anchor"])
            found["anchor"] = payload["text"][first:end]
            found["text_before_the_anchor"] = payload["text"][max(0, first - NEAR) : first]
        return {name: value for name, value in found.items() if value}

    def reply_schema(self, payload: Payload) -> dict[str, dict[str, Any]]:
        return {"words": {"type": ["string", "null"]}, "no_allusion": {"type": "boolean"}}

    def from_reply(self, payload: Payload, reply: Mapping[str, Any], order: Sequence[int]) -> Answer:
        words = self.words_of(payload, reply)
        return self.parse(payload, {"start": words[0][0], "end": words[0][1]} if words else NO_ALLUSION)

    def words_of(self, payload: Payload, reply: Mapping[str, Any]) -> list[tuple[int, int]]:
        """Return where the words that a reply quotes stand, in tokens; none for no allusion."""
        quoted, none = reply.get("words") or [], reply.get("no_allusion")
        if bool(quoted) == (none is True):
            raise Invalid("Quote the words, or say no_allusion: true, and not both.", "words")
        words = [quoted] if isinstance(quoted, str) else quoted
        if not isinstance(words, list) or not all(isinstance(each, str) for each in words):
            raise Invalid("“words” must be words of the text, as they stand in it.", "words")
        return [span_lines.quoted(payload, each) for each in words]

    def as_reply(self, payload: Payload, answer: Mapping[str, Any], order: Sequence[int]) -> dict[str, Any]:
        words = None if "declined" in answer else self.in_words(payload, dict(answer))
        return {"words": words, "no_allusion": words is None}

    meanings = {
        "start": "the first token, from 0",
        "end": "the token behind the last",
        "n_tokens": "end − start, punctuation counted",
        "start_character": "the first code point of the passage, from 0",
        "end_character": "the code point behind the last",
        "span_text": "the passage between them",
        "declined": "no_allusion, or empty; then all the others are empty",
    }

    def in_words(self, payload: Payload, answer: Answer) -> str:
        return str(self.rows(payload, answer)["span_text"] or "")

    def rows(self, payload: Payload, answer: Answer) -> dict[str, Any]:
        if "declined" in answer:
            names = ("start", "end", "n_tokens", "start_character", "end_character", "span_text")
            return {**dict.fromkeys(names), "declined": answer["declined"]}
        start, end = answer["start"], answer["end"]
        first, last = payload["tokens"][start][0], payload["tokens"][end - 1][1]
        return {
            "start": start,
            "end": end,
            "n_tokens": end - start,
            "start_character": first,
            "end_character": last,
            "span_text": payload["text"][first:last],
            "declined": None,
        }

    def fields(self, answer: Answer, order: Sequence[int]) -> dict[str, str]:
        if "declined" in answer:
            return super().fields(answer, order)
        return {"first": str(answer["start"] + 1), "last": str(answer["end"])}

    def apart(self, one: Answer, other: Answer, categories: int) -> float:
        """Return 1 − (tokens in both spans) / (tokens in either); 1 between a span and no allusion."""
        if "declined" in one or "declined" in other:
            return super().apart(one, other, categories)
        first, second = range(one["start"], one["end"]), range(other["start"], other["end"])
        shared = len(range(max(first.start, second.start), min(first.stop, second.stop)))
        return 1 - shared / (len(first) + len(second) - shared)

    def simulate(self, payload: Payload, gold: Answer | None, accuracy: float, random: Random) -> Answer:
        """Return the gold answer with probability `accuracy`, else another span or, one time in five, none.

        The borders of another span move from word to word away from the gold ones, each
        by a geometric number of steps either way, within what the anchor allows. Where
        there is no gold, the clause of the anchor stands in for it.
        """
        target = gold or passage.likely(payload)
        if random.random() < accuracy:
            return dict(target)
        if "declined" not in target and random.random() < DECLINES:
            return dict(NO_ALLUSION)
        moved = passage.jittered(payload, passage.likely(payload) if "declined" in target else target, random)
        return dict(NO_ALLUSION) if moved == target else moved

    @classmethod
    def example(cls) -> Example:
        text = "Keep your lamp, neighbour, for the tide asks no man twice."
        words = [[0, 4], [5, 9], [10, 14], [14, 15], [16, 25], [25, 26], [27, 30], [31, 34], [35, 39]]
        payload = {
            "text": text,
            "sha256": sha256(text.encode()).hexdigest(),
            "tokens": [*words, [40, 44], [45, 47], [48, 51], [52, 57], [57, 58]],
            "anchor": [8, 9],
            "language": "en",
            "citation": "A sermon of 1871",
            "references": [
                {
                    "citation": "The Shore Psalter 4:2",
                    "text": "The tide asketh of no man a second time.",
                    "language": "en",
                }
            ],
        }
        data = {"first": "8", "last": "13"}
        return Example(payload, {"start": 7, "end": 12}, data, {"start": 7, "end": 13})


def number_of(data: Mapping[str, Any], name: str, n: int) -> int:
    """Read the number of a word, 1 to n, as the form sends it. Raises `Invalid`."""
    return whole_number(
        data,
        name,
        1,
        n,
        missing=_(passage.MARK),
        wrong=(_(FIRST_WRONG) if name == "first" else _(LAST_WRONG)).format(n=n),
    )
