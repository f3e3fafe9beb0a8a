"""The questions of a rubric: what each may be, which of them an answer asks, and what may be said to them.

A question is nominal, ordinal (options from the lowest to the highest) or text. It may hang on earlier ones:
where a condition fails it is not asked, and nothing may be said to it. So each question of an answer is in
one of three states: answered, left empty, not asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from annotation.tasktypes import passage
from annotation.tasktypes.base import Answer, Invalid, is_storable
from common import wording
from common.translation import gettext as _

NOMINAL, ORDINAL, TEXT = "nominal", "ordinal", "text"
KINDS = (NOMINAL, ORDINAL, TEXT)
ANSWERED, EMPTY, NOT_ASKED = "answered", "empty", "not_asked"
KEY, VALUE = re.compile(r"[a-z_]{1,30}"), re.compile(r"[A-Za-z0-9_-]{1,30}")
MOST_QUESTIONS, FEWEST_OPTIONS, MOST_OPTIONS = 20, 2, 9
LONGEST_PROMPT, LONGEST_LABEL, LONGEST_DEFINITION, LONGEST_ANSWER = 500, 200, 1_000, 5_000
NEEDED, OPTIONAL = {"key", "prompt", "kind"}, {"options", "required", "when", "help"}
FIELD = "question-"
"""Stands before the key of a question in names of form fields and in ids, as before nothing else."""
AROUND = frozenset(
    (
        *(
            "csrfmiddlewaretoken",
            "answer",
            "undecided",
            "broken",
            "discard",
            "keep",
            "submission",
            "revision",
        ),
        *("active_seconds", "previews", "draft_known", "draft_version", "other", "fault", "confidence"),
        *("basis", "note", "reason", "choice", "seen"),
    )
)
"""Names that the forms around an answer use; without `FIELD` they are none of a question’s."""


class Option(NamedTuple):
    """An answer that a question offers.

    value: as it is stored.
    label: as readers see it.
    definition: what it means, in a sentence; may be empty.
    """

    value: str
    label: str
    definition: str = ""


class Condition(NamedTuple):
    """What an earlier question must be answered with.

    question: its key.
    values: any of these.
    """

    question: str
    values: tuple[str, ...]


class Question(NamedTuple):
    """One question.

    key: its name in files and exports.
    prompt: as readers see it.
    kind: nominal, ordinal or text.
    options: what it offers, for ordinal from the lowest; none for text.
    required: whether an answer must be given where it is asked.
    when: conditions that must all hold, else it is not asked.
    help: what stands below the prompt; may be empty.
    """

    key: str
    prompt: str
    kind: str
    options: tuple[Option, ...] = ()
    required: bool = False
    when: tuple[Condition, ...] = ()
    help: str = ""

    @property
    def name(self) -> str:
        """Return the key as words."""
        return self.key.replace("_", " ").strip()

    @property
    def values(self) -> tuple[str, ...]:
        """Return what may be stored, in the order of the options."""
        return tuple(each.value for each in self.options)

    def label(self, value: str) -> str:
        """Return the words of a value; a text is its own."""
        return next((each.label for each in self.options if each.value == value), value)


def questions_of(rubric: Sequence[Mapping[str, Any]]) -> tuple[Question, ...]:
    """Return the questions of a rubric that was checked."""
    return tuple(
        Question(
            each["key"],
            each["prompt"],
            each["kind"],
            tuple(
                Option(one["value"], one["label"], one.get("definition", ""))
                for one in each.get("options", ())
            ),
            each.get("required", False),
            tuple(Condition(one["question"], tuple(one["in"])) for one in each.get("when", ())),
            each.get("help", ""),
        )
        for each in rubric
    )


def is_asked(question: Question, answer: Mapping[str, Any]) -> bool:
    """Return whether its conditions hold. A condition on a question that is not asked fails."""
    return all(answer.get(each.question) in each.values for each in question.when)


def state_of(question: Question, answer: Mapping[str, Any]) -> str:
    """Return in which of the three states a question of a stored answer is."""
    if question.key in answer:
        return ANSWERED
    return EMPTY if is_asked(question, answer) else NOT_ASKED


def condition_in_words(question: Question, questions: Sequence[Question]) -> str:
    """Return when it is asked, in words: “only if the answer to … is …”; empty where always."""
    known = {each.key: each for each in questions}
    parts = []
    for each in question.when:
        other = known[each.question]
        wanted = _(" or ").join(_("“{name}”").format(name=other.label(value)) for value in each.values)
        parts.append(_("the answer to “{question}” is {wanted}").format(question=other.prompt, wanted=wanted))
    return _("only if {conditions}").format(conditions=wording.listed(parts)) if parts else ""


def field_of(key: str) -> str:
    """Return the name of the form field of a question."""
    return f"{FIELD}{key}" if key else ""


def same_words(text: str) -> str:
    """Return a text as free texts are compared: with single spaces for all its white space."""
    return " ".join(text.split())


# Answers.


def checked(questions: Sequence[Question], answer: Mapping[str, Any]) -> Answer:
    """Return the answer in its stored form. Raises `Invalid`, which names the question."""
    known = {each.key for each in questions}
    for key in answer:
        if key not in known:
            said = _("“{key}” is no question of this rubric: it asks {known}.")
            raise Invalid(said.format(key=key, known=", ".join(sorted(known))), key)
    found: Answer = {}
    for question in questions:
        value = answer.get(question.key)
        asked = is_asked(question, found)
        if value is not None and not asked:
            condition = condition_in_words(question, questions)
            said = _("“{question}” is asked {condition}: leave it empty.")
            raise Invalid(said.format(question=question.prompt, condition=condition), question.key)
        if value is not None:
            found[question.key] = checked_value(question, value)
        elif question.required and asked:
            said = _("“{question}” is not answered yet.")
            raise Invalid(said.format(question=question.prompt), question.key)
    if not found:
        raise Invalid(_("Answer one of the questions, or say that you can’t decide."), questions[0].key)
    return found


def checked_value(question: Question, value: Any) -> str:
    """Return what was said to one question in its stored form, or raise `Invalid`."""
    if question.kind != TEXT:
        if value not in question.values:
            offered = ", ".join(question.values)
            said = _("“{key}” must be one of {offered}, not {value}.")
            raise Invalid(said.format(key=question.key, offered=offered, value=repr(value)), question.key)
        return str(value)
    if not isinstance(value, str) or not value.strip():
        said = _("“{key}” must be a text with words in it, or be left out.")
        raise Invalid(said.format(key=question.key), question.key)
    text = value.replace("\r\n", "\n").strip()
    if len(text) > LONGEST_ANSWER:
        said = _("“{field}” has {n} characters: at most {most} fit.")
        there, most = wording.number(len(text)), wording.number(LONGEST_ANSWER)
        raise Invalid(said.format(field=question.prompt, n=there, most=most), question.key)
    if not is_storable(text):
        said = _("“{field}” holds NUL or a lone surrogate, which cannot be stored.")
        raise Invalid(said.format(field=question.prompt), question.key)
    return text


# Rubrics.


def check_rubric(rubric: Any) -> None:
    """Raise `Invalid` unless it is a list of questions, each hanging on earlier ones only."""
    if not passage.is_list(rubric) or not 1 <= len(rubric) <= MOST_QUESTIONS:
        raise Invalid(f"“rubric” must be a list of 1 to {MOST_QUESTIONS} questions.", "rubric")
    earlier: dict[str, tuple[str, ...]] = {}
    for number, each in enumerate(rubric, 1):
        try:
            check_question(each, earlier)
        except Invalid as error:
            raise Invalid(f"“rubric”, question {number}: {error}", "rubric") from None
        earlier[each["key"]] = tuple(one["value"] for one in each.get("options", ()))


def check_question(each: Any, earlier: Mapping[str, tuple[str, ...]]) -> None:
    """Raise `Invalid` unless it is a question. ``earlier``: the values of each question before it."""
    if not isinstance(each, Mapping) or not NEEDED <= set(each) <= NEEDED | OPTIONAL:
        fields = ", ".join(sorted(NEEDED | OPTIONAL))
        raise Invalid(f"must have {', '.join(sorted(NEEDED))} and no other fields than {fields}.")
    key, kind = each["key"], each["kind"]
    if not isinstance(key, str) or not KEY.fullmatch(key) or not key.strip("_"):
        raise Invalid(f"“key” must be 1 to 30 small letters and _, not {key!r}.")
    if key in earlier:
        raise Invalid(f"“key” {key!r} is that of an earlier question.")
    passage.check_text(each["prompt"], "prompt", LONGEST_PROMPT)
    if kind not in KINDS:
        raise Invalid(f"“kind” must be {', '.join(KINDS[:-1])} or {KINDS[-1]}, not {kind!r}.")
    if not isinstance(each.get("required", False), bool):
        raise Invalid("“required” must be true or false.")
    if "help" in each:
        passage.check_text(each["help"], "help", LONGEST_DEFINITION)
    check_options(kind, each.get("options"))
    check_conditions(each.get("when", []), earlier)


def check_options(kind: str, options: Any) -> None:
    """Raise `Invalid` unless a question of this kind may offer these."""
    if kind == TEXT:
        if options is not None:
            raise Invalid("“options” belong to nominal and ordinal questions: leave them out of a text.")
        return
    if not passage.is_list(options) or not FEWEST_OPTIONS <= len(options) <= MOST_OPTIONS:
        raise Invalid(f"“options” must be a list of {FEWEST_OPTIONS} to {MOST_OPTIONS}, the lowest first.")
    for each in options:
        if not isinstance(each, Mapping) or not {"value", "label"} <= set(each) <= {*Option._fields}:
            raise Invalid("“options”: each has a value, a label and perhaps a definition.")
        if not isinstance(each["value"], str) or not VALUE.fullmatch(each["value"]):
            raise Invalid(
                f"“options”: a value is a text of 1 to 30 letters, digits, _ and -, not {each['value']!r}."
            )
        passage.check_text(each["label"], "label", LONGEST_LABEL)
        if "definition" in each:
            passage.check_text(each["definition"], "definition", LONGEST_DEFINITION)
    for name in ("value", "label"):
        if len({each[name] for each in options}) < len(options):
            raise Invalid(f"“options”: two have the same {name}: nobody could tell them apart.")


def check_conditions(conditions: Any, earlier: Mapping[str, tuple[str, ...]]) -> None:
    """Raise `Invalid` unless each names an earlier question and some of its values."""
    if not passage.is_list(conditions):
        raise Invalid("“when” must be a list of conditions such as {“question”: “quality”, “in”: [“1”]}.")
    for each in conditions:
        if not isinstance(each, Mapping) or set(each) != {"question", "in"}:
            raise Invalid("“when”: a condition has “question” and “in”, and nothing else.")
        values = earlier.get(each["question"]) if isinstance(each["question"], str) else None
        if values is None:
            raise Invalid(f"“when” names {each['question']!r}, which is no earlier question.")
        if not values:
            raise Invalid(f"“when” hangs on {each['question']!r}, a free text: name one with options.")
        for odd in odd_values(each["in"], values):
            raise Invalid(f"“when”: {odd!r} is no value of {each['question']!r} ({', '.join(values)}).")


def odd_values(wanted: Any, values: Sequence[str]) -> Iterator[Any]:
    """Yield what is not among the values; the whole of it where it is no list with something in it."""
    if not passage.is_list(wanted) or not wanted:
        yield wanted
        return
    yield from (each for each in wanted if each not in values)
