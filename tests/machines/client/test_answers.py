"""The parse ladder: what is found in what models write, and never a default."""

import pytest

from common.chat import USER, Message, Reply, Request
from machines.client import answers
from machines.client.ladder import ask_and_read


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"grade": 3}', {"grade": 3}),
        ('  \n{"grade": 3} and so on {"grade": 4}', {"grade": 3}),
        ('```json\n{"grade": 3}\n```', {"grade": 3}),
        ('```\n{"grade": 3}\n```\nBecause …', {"grade": 3}),
        ('Here it is:\n```json\n{"grade": 3}\n```', {"grade": 3}),
        ('<think>First I thought {"grade": 1}.</think>\n{"grade": 3}', {"grade": 3}),
        ('thought {"grade": 1}</think>{"grade": 3}', {"grade": 3}),
        ("<think>I never came to an end", None),
        ("The set {1, 2} gives {\"grade\": 3}", {"grade": 3}),
        ("3", None), ("", None), ("[3]", None), ("null", None), ('{"grade": 3', None),
        ("{" * 50_000, None), ('{"a":' * 50_000, None), ('"{}', {}),
    ],
)  # fmt: skip
def test_the_first_object_is_found_behind_reasoning_and_fences(text, found):
    assert answers.first_object(text) == found


class Asked:
    """Answers requests from a list of texts, and notes what is asked and what could not be read."""

    def __init__(self, *texts):
        self.texts, self.requests, self.unread = list(texts), [], []

    def __call__(self, requests):
        self.requests += requests
        told = [self.texts.pop(0) for _ in requests]
        return [each if not isinstance(each, str) else Reply(each, call=len(self.requests)) for each in told]

    def unreadable(self, call, why):
        self.unread.append(why)


def grade(told):
    if told.get("grade") not in range(5):
        raise ValueError(f"The grade must be 0 to 4, not {told.get('grade')!r}.")
    return told["grade"]


ONE = Request((Message(USER, "Grade it."),))


def test_what_cannot_be_read_is_asked_once_more_with_what_was_wrong():
    asked = Asked('{"grade": 7}', '{"grade": 2}', '{"grade": 4}')
    found = ask_and_read(asked, [ONE, ONE], grade, asked.unreadable)
    assert [(each.answer, each.asked, each.problem) for each in found] == [(4, 2, ""), (2, 1, "")]
    assert (
        asked.requests[2]
        .messages[-1]
        .content.startswith("Your last answer could not be used: The grade must be 0 to 4, not 7.")
    )


def test_what_cannot_be_read_twice_is_unreadable_and_never_a_default():
    asked = Asked("perhaps", '{"grade": 9}')
    (found,) = ask_and_read(asked, [ONE], grade, asked.unreadable)
    assert (found.answer, found.asked, found.reply.text) == (None, 2, '{"grade": 9}')
    assert asked.unread == ["There is no JSON object in it.", "The grade must be 0 to 4, not 9."]


def test_a_reply_that_was_cut_or_refused_is_not_asked_again():
    asked = Asked(Reply("I cannot", finish="refusal"), Reply("{", finish="length"), None)
    found = ask_and_read(asked, [ONE] * 3, grade, asked.unreadable)
    assert [(each.answer, each.problem, each.asked) for each in found] == [
        (None, "refusal", 1), (None, "length", 1), (None, "", 1),
    ]  # fmt: skip
