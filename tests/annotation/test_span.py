"""The span task, under whatever a form, a script or a file may send."""

import contextlib
import re
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.tasktypes import passage
from annotation.tasktypes.base import Invalid
from annotation.tasktypes.span import NO_ALLUSION, Span
from annotation.tasktypes.tokens import tokenise

TASK = Span()
EXAMPLE = TASK.example()
N = len(EXAMPLE.payload["tokens"])
REFERENCE = {"citation": "Proverbs 1:1", "text": "A word.", "language": "en"}
LATIN = "Felix osculum. Osculum plane pacis, sed dilectio illa supereminet omni scientiae, et pax illa."
HEBREW = "בְּרֵאשִׁית בָּרָא אֱלֹהִים, וְאֵת הָאָרֶץ׃ וְהָאָרֶץ הָיְתָה תֹהוּ"


def payload(text, anchor=None, language="la", **more):
    return {
        "text": text,
        "sha256": sha256(text.encode()).hexdigest(),
        "tokens": tokenise(text),
        "anchor": anchor,
        "language": language,
        "references": [REFERENCE],
        **more,
    }


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@given(st.integers(-3, N + 3), st.integers(-3, N + 3))
def test_a_span_is_taken_just_where_it_holds_the_anchor_and_stays_in_the_passage(start, end):
    first, last = EXAMPLE.payload["anchor"]
    answer = {"start": start, "end": end}
    if 0 <= start <= first and last <= end <= N:
        assert TASK.parse(EXAMPLE.payload, answer) == answer
        form = {"first": str(start + 1), "last": str(end)}
        assert TASK.parse(EXAMPLE.payload, form) == answer
    else:
        with pytest.raises(Invalid):
            TASK.parse(EXAMPLE.payload, answer)


@given(st.integers(-3, N + 3), st.integers(-3, N + 3))
def test_without_an_anchor_any_span_in_the_passage_is_taken_and_no_empty_one(start, end):
    free = {**EXAMPLE.payload, "anchor": None}
    if 0 <= start < end <= N:
        assert TASK.check_answer(free, {"start": start, "end": end}) == {"start": start, "end": end}
    else:
        with pytest.raises(Invalid):
            TASK.check_answer(free, {"start": start, "end": end})


@pytest.mark.parametrize(
    ("data", "sentence", "field"),
    [
        ({"start": 9, "end": 8}, r"\[9, 8\) is reversed", "end"),
        ({"start": 8, "end": 8}, r"\[8, 8\) is empty", "end"),
        ({"start": 8, "end": 99}, "beyond the passage, which has 14 tokens", "end"),
        ({"start": 9, "end": 11}, r"must contain the anchor, “[^”]+” \(word 9\)\.", "start"),
        ({"start": 0, "end": 8}, "must contain the anchor", "end"),
        ({"start": True, "end": 9}, "whole number", "start"),
        ({"start": 8.0, "end": 9}, "whole number", "start"),
        ({"start": 8}, "whole number", "end"),
        ({"first": "9"}, "Mark the words", "last"),
        ({"first": "0", "last": "9"}, "number from 1 to 14", "first"),
        ({"first": "9", "last": "15"}, "number from 1 to 14", "last"),
        ({"first": "١", "last": "9"}, "number from 1 to 14", "first"),
        ({"first": "10", "last": "11"}, "must contain the anchor", "first"),
        ({"first": "10", "last": "9"}, "The last word, 9, stands before the first, 10", "last"),
        ({"declined": "no_idea"}, "a start and an end", "first"),
        ({"declined": "no_allusion", "start": 8, "end": 9}, "not both", "declined"),
    ],
)
def test_what_is_wrong_with_an_answer_is_said(data, sentence, field):
    with pytest.raises(Invalid, match=sentence) as caught:
        TASK.parse(EXAMPLE.payload, data)
    assert caught.value.field == field


def test_no_allusion_is_an_answer_of_its_own_and_never_a_span():
    pressed = {"first": "", "last": "", "declined": "no_allusion"}
    assert TASK.parse(EXAMPLE.payload, pressed) == {"declined": "no_allusion"}
    rows = TASK.rows(EXAMPLE.payload, NO_ALLUSION)
    assert rows["declined"] == "no_allusion"
    assert rows["start"] is rows["end"] is rows["n_tokens"] is rows["span_text"] is None


@given(json_values)
def test_anything_else_is_refused_and_never_an_error(value):
    for name in ("first", "start", "declined"):
        with contextlib.suppress(Invalid):
            TASK.parse(EXAMPLE.payload, {name: value, "last": "9", **({"end": 9} if name == "start" else {})})


@given(st.dictionaries(st.sampled_from(sorted(EXAMPLE.payload)), json_values))
def test_a_payload_is_an_item_or_invalid_and_never_an_error(change):
    with contextlib.suppress(Invalid):
        TASK.check_payload({**EXAMPLE.payload, **change})


@pytest.mark.parametrize(
    ("change", "sentence", "field"),
    [
        ({"text": "Another text."}, "is not that of the text", "sha256"),
        ({"sha256": "0" * 64}, "is not that of the text", "sha256"),
        ({"sha256": None}, "is not that of the text", "sha256"),
        ({"text": "a\x00b"}, "holds NUL", "text"),
        ({"text": "a\ud800b"}, "lone surrogate", "text"),
        ({"text": " "}, "must be a text", "text"),
        ({"text": "word " * 4001}, "at most 20,000", "text"),
        ({"tokens": []}, "with at least one", "tokens"),
        ({"tokens": [[0, 4], [3, 9]]}, "before entry 0 ends", "tokens"),
        ({"tokens": [[5, 9], [0, 4]]}, "'Keep' at 0 belongs to no token", "tokens"),
        ({"tokens": [[0, 0]]}, "first < end", "tokens"),
        ({"tokens": [[4, 0]]}, "first < end", "tokens"),
        ({"tokens": [[0, 99]]}, "the text has 58 characters", "tokens"),
        ({"tokens": [[0, 5]]}, "begins or ends with a blank", "tokens"),
        ({"tokens": EXAMPLE.payload["tokens"][:3]}, "belongs to no token", "tokens"),
        ({"tokens": [[True, 4]]}, "must be", "tokens"),
        ({"anchor": [8, 15]}, "within 0 and 14", "anchor"),
        ({"anchor": [14, 15]}, "within 0 and 14", "anchor"),
        ({"anchor": [3, 3]}, "within 0 and 14", "anchor"),
        ({"anchor": [-1, 2]}, "within 0 and 14", "anchor"),
        ({"anchor": 8}, "must be null or", "anchor"),
        ({"language": "Latin!"}, "language tag", "language"),
        ({"references": []}, "1 to 50", "references"),
        ({"references": [{**REFERENCE, "text": ""}]}, "entry 0: “text” must be", "references"),
        ({"references": [{**REFERENCE, "gold": 1}]}, "no other fields", "references"),
        ({"references": [{**REFERENCE, "citation": "\x00"}]}, "entry 0: “citation”", "references"),
        ({"lemmata": ["one"]}, "one for each token", "lemmata"),
        ({"citation": 3}, "must be a text", "citation"),
        ({"gold": 1}, "Unknown field “gold”", "gold"),
    ],
)
def test_what_is_wrong_with_an_item_is_said(change, sentence, field):
    with pytest.raises(Invalid, match=sentence) as caught:
        TASK.check_payload({**EXAMPLE.payload, **change})
    assert caught.value.field == field


def test_export_gives_characters_of_the_stored_text():
    made = payload(LATIN, [13, 14])
    rows = TASK.rows(made, {"start": 7, "end": 13})
    assert rows["span_text"] == "sed dilectio illa supereminet omni scientiae"
    assert LATIN[rows["start_character"] : rows["end_character"]] == rows["span_text"]
    assert rows["n_tokens"] == 6


def test_what_is_shown_is_the_text_again_and_where_clauses_begin():
    shown = TASK.present(payload("  “Felix!” Osculum, plane\npacis; sed.", [6, 7]), [])
    pieces = [shown["before"], *(token["text"] + token["after"] for token in shown["tokens"])]
    assert "".join(pieces) == shown["text"]
    words = [shown["tokens"][n]["text"] for n in shown["clauses"]]
    assert words == ["“", "Osculum", "plane", "pacis", "sed"]
    assert [shown["tokens"][n]["text"] for n in shown["sentences"]] == ["“", "Osculum", "pacis"]
    assert (shown["latest_start"], shown["earliest_last"]) == (6, 6)


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("Felix (inquit) osculum: plane; pacis", ["Felix", "inquit", "osculum", "plane", "pacis"]),
        ("“Felix,” inquit, “osculum.” Plane", ["“", "inquit", "osculum", "Plane"]),
        ("well-known words - 1,246 of them, from 1:18 on", ["well-known", "1", "from"]),
        ("μῆνιν ἄειδε· θεὰ, τίς; οὐδείς", ["μῆνιν", "θεὰ", "τίς", "οὐδείς"]),
        ("שלום׃ עולם׀ אמת", ["שלום", "עולם", "אמת"]),
        ("في البدء، خلق؛ الله", ["في", "خلق", "الله"]),
    ],
)
def test_where_clauses_begin(text, clauses):
    shown = TASK.present(payload(text), [])
    assert [shown["tokens"][n]["text"] for n in shown["clauses"]] == clauses


def test_a_file_may_cut_its_tokens_at_blanks():
    text = "Felix, inquit osculum. Plane"
    tokens = [[0, 6], [7, 13], [14, 22], [23, 28]]
    made = {"text": text, "tokens": tokens}
    assert passage.beginnings(made, passage.CLAUSE_ENDS) == [0, 1, 3]


@pytest.mark.parametrize(
    ("text", "language", "direction", "sentences"),
    [
        (HEBREW, "he", "rtl", ["בְּרֵאשִׁית", "וְהָאָרֶץ"]),
        ("في البدء، خلق الله؟ وكانت الأرض.", "ar", "rtl", ["في", "وكانت"]),
        ("τίς ἄρα; θεός· οὐδείς.", "grc", "ltr", ["τίς", "θεός"]),
        ("quis; nemo. Nihil", "la", "ltr", ["quis", "Nihil"]),
        ("1:2 — שלום", "he", "rtl", ["1"]),
    ],
)
def test_writing_systems(text, language, direction, sentences):
    made = payload(text, language=language)
    TASK.check_payload(made)
    shown = TASK.present(made, [])
    assert shown["direction"] == direction
    assert [shown["tokens"][n]["text"] for n in shown["sentences"]] == sentences


def test_simulated_readers_move_borders_or_decline_and_keep_the_anchor():
    made, gold = payload(LATIN, [12, 13]), {"start": 7, "end": 13}
    said = [TASK.simulate(made, gold, 0.5, Random(seed)) for seed in range(600)]
    declined = sum("declined" in answer for answer in said)
    assert 35 <= declined <= 85, "a fifth of the half that is wrong"
    spans = {(answer["start"], answer["end"]) for answer in said if "start" in answer}
    assert len(spans) > 6
    assert all(start <= 12 < end for start, end in spans)
    assert not any(LATIN[slice(*made["tokens"][start])] in ",." for start, _ in spans)
    assert TASK.simulate(made, NO_ALLUSION, 1.0, Random(1)) == NO_ALLUSION
    assert "start" in TASK.simulate(made, NO_ALLUSION, 0.0, Random(1))


@pytest.mark.parametrize(("anchor", "likely"), [([12, 13], (7, 13)), (None, (7, 13))])
def test_without_gold_the_clause_stands_in_for_it(anchor, likely):
    reference = {**REFERENCE, "text": "supereminentem scientiae dilectio", "language": "la"}
    made = payload(LATIN, anchor, references=[reference])
    answer = TASK.simulate(made, None, 1.0, Random(1))
    assert (answer["start"], answer["end"]) == likely


@given(st.integers(1, 6), st.randoms(use_true_random=False), st.booleans())
def test_whatever_is_simulated_is_an_answer(length, random, anchored):
    made = payload(" , ".join(["word"] * length), [0, 1] if anchored else None)
    answer = TASK.simulate(made, None, random.random(), random)
    assert TASK.check_answer(made, answer) == answer


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Sed, dilectio... illa.", ["Sed", ",", "dilectio", "...", "illa", "."]),
        ("o’clock well-nigh -- 'tis", ["o’clock", "well-nigh", "--", "'", "tis"]),
        (HEBREW, ["בְּרֵאשִׁית", "בָּרָא", "אֱלֹהִים", ",", "וְאֵת", "הָאָרֶץ", "׃", "וְהָאָרֶץ", "הָיְתָה", "תֹהוּ"]),
        ("עַל־פְּנֵי", ["עַל", "־", "פְּנֵי"]),
        ("ἀλλ᾽ ἄγε", ["ἀλλ᾽", "ἄγε"]),
        ("𝔸𝔹 \u00a0 x\u0301y", ["𝔸𝔹", "x\u0301y"]),
        (" \n\t", []),
    ],
)
def test_words_and_punctuation_are_told_apart(text, tokens):
    assert [text[first:end] for first, end in tokenise(text)] == tokens


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=60))
def test_any_text_is_tokenised_so_that_it_can_be_an_item(text):
    if text.strip():
        made = payload(text)
        TASK.check_payload(made)
        shown = TASK.present(made, [])
        assert shown["before"] + "".join(t["text"] + t["after"] for t in shown["tokens"]) == text


def test_the_columns_of_an_answer_are_documented():
    page = (Path(__file__).parents[2] / "docs/span-task.md").read_text("utf-8")
    table = page.partition("## Export")[2].partition("##")[0]
    assert set(re.findall(r"`(\w+)`", table)) >= set(TASK.rows(EXAMPLE.payload, NO_ALLUSION))
