"""Probabilities of choices, worked out by hand from the probabilities of tokens."""

import math
import time

import pytest

from common.chat import Request
from machines.client import answers, decisions, probabilities


def told(*tokens):
    """`logprobs.content` of tokens, each with its probability and those of its alternatives."""
    return [
        {
            "token": text,
            "logprob": math.log(p),
            "top_logprobs": [
                {"token": other, "logprob": math.log(q)} for other, q in {text: p, **others}.items()
            ],
        }
        for text, p, others in tokens
    ]


def likely(text, choices, *tokens):
    found = probabilities.of_choices(text, choices, probabilities.alternatives(told(*tokens)))
    return {choice: round(p, 6) for choice, p in found.items()}


GRADES = tuple("01234")


def test_a_bare_answer():
    assert likely("3", GRADES, ("3", 0.6, {"2": 0.3, "x": 0.1})) == {"3": 0.6, "2": 0.3}


def test_an_answer_in_json():
    tokens = [
        ('{"', 1.0, {}),
        ("grade", 1.0, {}),
        ('":', 1.0, {}),
        (" 3", 0.5, {" 2": 0.25, "4": 0.1}),
        ("}", 1, {}),
    ]
    assert likely('{"grade": 3}', GRADES, *tokens) == {"3": 0.5, "2": 0.25}


def test_a_token_that_holds_more_than_the_answer():
    assert likely('{"g":3}', GRADES, ('{"g', 1.0, {}), ('":3}', 0.8, {'":1}': 0.15})) == {"3": 0.8, "1": 0.15}


def test_choices_that_begin_alike_are_told_apart_by_later_tokens():
    choices = ("relevant", "related", "other")
    tokens = [("rel", 0.9, {"other": 0.1}), ("evant", 0.75, {"ated": 0.25})]
    assert likely("relevant", choices, *tokens) == {"other": 0.1, "relevant": 0.675, "related": 0.225}
    assert likely("relevant", choices[:2], *tokens) == {"relevant": 0.675, "related": 0.225}


def test_ten_is_not_one():
    choices = tuple(map(str, range(11)))
    assert likely("10", choices, ("10", 0.4, {"1": 0.3, "9": 0.2})) == {"10": 0.4, "1": 0.3, "9": 0.2}


@pytest.mark.parametrize(
    "content",
    [None, "x", [None], [{}], [{"token": 3}], [{"token": "3"}], [{"token": "3", "logprob": float("nan")}],
     [{"token": "3", "logprob": "0"}],
     [{"token": "3", "logprob": None, "top_logprobs": [None, {"token": "3"}]}],
     told(("2", 0.9, {"3": 0.1}))],
)  # fmt: skip
def test_what_is_missing_or_of_another_reply_tells_nothing(content):
    assert probabilities.of_choices("3", GRADES, probabilities.alternatives(content)) == {}


def test_a_reply_that_makes_no_choice_tells_nothing():
    assert likely("perhaps", GRADES, ("perhaps", 1.0, {"3": 0.5})) == {}
    assert (
        likely('{"grade": 7}', GRADES, ('{"grade": ', 1.0, {}), ("7", 1.0, {"3": 0.5}), ("}", 1.0, {})) == {}
    )


SCHEMA = {"properties": {"grade": {"enum": [0, 1, 2]}}}


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (Request((), schema=SCHEMA, choices=("0", "1", "2")), '{"grade": 1}'),
        (
            Request((), schema={"properties": {"pick": {"enum": ["0", "1"]}}}, choices=("0", "1")),
            '{"pick": "1"}',
        ),
        (Request((), choices=("0", "1", "2")), "1"),
        (Request((), schema={"properties": {"a": {}, "b": {}}}, choices=("0", "1")), "1"),
    ],
)
def test_a_decision_reads_as_if_it_were_written(request_, text):
    answers = {"answer": {"probabilities": {"0": 0.2, "1": 0.5, "2": 0.3}}}
    assert decisions.reply(answers, request_).text == text


@pytest.mark.parametrize(
    "answers", [None, {}, {"answer": 3}, {"answer": {}}, {"answer": {"probabilities": {"7": 1}}}]
)
def test_a_decision_without_probabilities_of_the_choices_is_none(answers):
    assert decisions.reply(answers, Request((), choices=("0", "1"))) is None


def test_decisions_are_for_2_to_26_different_choices():
    fits = [decisions.fits(Request((), choices=tuple(map(str, range(n))))) for n in (0, 1, 2, 26, 27)]
    assert fits == [False, False, True, True, False]
    assert not decisions.fits(Request((), choices=("a", "a")))


@pytest.mark.parametrize(
    ("logprob", "p"),
    [(math.nan, None), (math.inf, 1.0), (-math.inf, 0.0), (10**400, 1.0), (-(10**400), 0.0), ("-1", None)],
)
def test_a_logarithm_that_is_none_ends_nothing(logprob, p):
    (token,) = probabilities.alternatives([{"token": "3", "logprob": logprob}])
    assert token.likely == ({} if p is None else {"3": p})


def test_no_choice_is_more_than_certain():
    each = [{"token": "3", "logprob": 0.0}, {"token": "3}", "logprob": 0.0}, {"token": "1", "logprob": 0.0}]
    tokens = probabilities.alternatives([{"token": "3", "logprob": 0.0, "top_logprobs": each}])
    assert probabilities.of_choices("3", GRADES, tokens) == {"3": 1.0, "1": 1.0}


@pytest.mark.parametrize("told", [10**400, 7.5, -0.1, math.nan, True, "1", None])
def test_a_decision_with_what_is_no_probability_is_none(told):
    request = Request((), choices=GRADES)
    assert decisions.reply({"answer": {"probabilities": {"3": told}}}, request) is None


def test_a_reply_of_colons_takes_time_in_proportion_to_its_length():
    text = '{"x": "' + ": " * 100_000 + " " * 50_000 + '", "grade": 3}'
    began = time.process_time()
    assert answers.place_of_choice(text, GRADES) == len(text) - 2
    assert time.process_time() - began < 1


def test_a_reply_without_end_is_not_searched_for_its_choice():
    text = "3" * (probabilities.LONGEST + 1)
    assert probabilities.of_choices(text, (text, "1"), [probabilities.Token(text, 0, {text: 1.0})]) == {}
