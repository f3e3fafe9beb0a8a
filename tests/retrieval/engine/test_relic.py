"""RELiC's file: what is read, and what is refused with its place named."""

import copy
import json
import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.errors import BadInput
from retrieval.engine.text import relic
from retrieval.engine.text.passages import Passage

DATA = os.environ.get("VARIORUM_TEST_DATA") or None
SENTENCES = ["The ship left. ", "   ", "Nobody saw it go; ", "not even Ada", "", "Ben was asleep. "]
FILE = {
    "the_ship": {
        "sentences": SENTENCES,
        "quotes": {"17": [["As the critic says: "], 2, 2, ["So we see. ", "Again. "]], "18": [[], 0, 1, []]},
        "candidates": {f"{n}_sentence": list(range(len(SENTENCES) - n + 1)) for n in range(1, 6)},
    }
}


def read(data: object) -> dict[str, relic.RelicBook]:
    return relic.parse(json.dumps(data), "val.json")


def test_a_book_is_read_with_its_quotes_and_candidates() -> None:
    (book,) = read(FILE).values()
    assert book.title == "the_ship"
    assert book.sentences == tuple(SENTENCES)
    assert book.quotes["17"] == (("As the critic says: ",), ("So we see. ", "Again. "), Passage(2, 2), 2)
    assert book.quotes["18"].left == ()
    assert book.candidates[5] == (0, 1)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["no mark", "byte order mark"])
def test_bytes_and_text_read_the_same(mark: bytes) -> None:
    text = json.dumps(FILE, ensure_ascii=False)
    assert relic.parse(mark + text.encode(), "val.json") == relic.parse(mark.decode() + text, "val.json")


def test_candidates_may_leave_positions_out_and_longer_sizes_may_be_listed() -> None:
    file = copy.deepcopy(FILE)
    file["the_ship"]["candidates"] |= {"1_sentence": [0, 3], "6_sentence": [0]}
    file["the_ship"]["quotes"]["19"] = [["x"], 0, 6, []]
    file["the_ship"]["year"] = 1913
    (book,) = read(file).values()
    assert (book.candidates[1], book.candidates[6]) == ((0, 3), (0,))
    assert book.quotes["19"].passage.stop == 6


def edited(change: Callable[[dict], object]) -> str:
    file = copy.deepcopy(FILE)
    change(file["the_ship"])
    return json.dumps(file)


QUOTE = r"val\.json: book 'the_ship', quote '17'"
WRONG = [
    (lambda b: b.pop("sentences"), r"book 'the_ship': the key \"sentences\" is missing; a book has"),
    (lambda b: b.pop("quotes"), r"book 'the_ship': the key \"quotes\" is missing"),
    (lambda b: b.pop("candidates"), r"book 'the_ship': the key \"candidates\" is missing"),
    (lambda b: b.update(sentences="x"), r"\"sentences\": it is a string; it must be a list of sentences"),
    (lambda b: b.update(sentences=[]), r"\"sentences\" is empty; a book has at least one"),
    (lambda b: b["sentences"].insert(3, None), r"\"sentences\", entry 3: it is null; it must be a string"),
    (lambda b: b["sentences"].insert(3, "a\0b"), r"\"sentences\", entry 3: character 1 is U\+0000"),
    (lambda b: b["sentences"].insert(0, "\ud800"), r"\"sentences\", entry 0: character 0 is U\+D800"),
    (lambda b: b.update(quotes=[]), r"\"quotes\": it is a list; it must be an object of quotes by id"),
    (lambda b: b["quotes"].update({"17": {}}), QUOTE + r": it is an object; it must be \[\[left"),
    (lambda b: b["quotes"]["17"].pop(), QUOTE + r": it has 3 entries; it must be"),
    (lambda b: b["quotes"]["17"].__setitem__(0, "x"), QUOTE + r", left sentences: it is a string"),
    (
        lambda b: b["quotes"]["17"][3].append(3),
        QUOTE + r", right sentences, entry 2: it is 3; it must be a s",
    ),
    (lambda b: b["quotes"]["17"][3].append("\udfff"), QUOTE + r", right sentences, entry 2: char.* U\+DFFF"),
    (lambda b: b["quotes"]["17"].__setitem__(1, 5), QUOTE + r", start index: it is 5; 2 of 6 .* from 0 to 4"),
    (lambda b: b["quotes"]["17"].__setitem__(1, -1), QUOTE + r", start index: it is -1"),
    (lambda b: b["quotes"]["17"].__setitem__(1, 2.0), QUOTE + r", start index: it is 2\.0"),
    (lambda b: b["quotes"]["17"].__setitem__(1, True), QUOTE + r", start index: it is true"),
    (lambda b: b["quotes"]["17"].__setitem__(1, "2"), QUOTE + r", start index: it is '2'"),
    (lambda b: b["quotes"]["17"].__setitem__(2, 0), QUOTE + r": the number of sentences is 0; .* 1 to 20"),
    (lambda b: b["quotes"]["17"].__setitem__(2, None), QUOTE + r": the number of sentences is null"),
    (
        lambda b: b["quotes"]["17"].__setitem__(2, 7),
        QUOTE + r".*: it names .* 7 sentences; the book has only 6",
    ),
    (lambda b: b["quotes"]["17"].__setitem__(2, float("nan")), QUOTE + r": the number of sentences is NaN"),
    (lambda b: b["quotes"].update({"\ud800": []}), r"quote '\\ud800': the id: character 0 is U\+D800"),
    (lambda b: b["candidates"]["2_sentence"].remove(2), QUOTE + r".* 2 is not in .*\"2_sentence\"; the gold"),
    (lambda b: b.update(candidates=[]), r"\"candidates\": it is a list; it must be an object"),
    (lambda b: b["candidates"].pop("3_sentence"), r"\"3_sentence\" is missing; write \[\] where"),
    (lambda b: b["candidates"].update({"one": []}), r"\"candidates\": the key 'one' is not known"),
    (lambda b: b["candidates"].update({"21_sentence": []}), r"the key '21_sentence' is not known"),
    (
        lambda b: b["candidates"].update({"1_sentence": 0}),
        r"\"1_sentence\": it is a number; it must be a list",
    ),
    (
        lambda b: b["candidates"]["5_sentence"].append(2),
        r"\"5_sentence\", entry 2: it is 2; 5 of 6 .* 0 to 1",
    ),
    (
        lambda b: b["candidates"]["5_sentence"].append(float("inf")),
        r"\"5_sentence\", entry 2: it is Infinity",
    ),
    (lambda b: b["candidates"]["1_sentence"].append(3), r"\"1_sentence\": 3 occurs twice"),
]


@pytest.mark.parametrize(("change", "says"), WRONG, ids=[says for _, says in WRONG])
def test_what_is_wrong_is_named_with_its_place(change: Callable[[dict], object], says: str) -> None:
    with pytest.raises(BadInput, match=says) as refused:
        relic.parse(edited(change), "val.json")
    assert str(refused.value).startswith("val.json: book 'the_ship'")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "val.json: the file is empty"),
        (" \n", "val.json: the file is empty"),
        (b"\xff\xfe{}", "val.json: byte 0 is not UTF-8"),
        ('{"a":\n [1,}', "val.json: line 2, column 5 is not JSON"),
        ("[]", "val.json: it is a list; it must be a JSON object of books"),
        ("NaN", "val.json: it is NaN; it must be a JSON object of books"),
        ("{}", "val.json: the file holds no book"),
        ('{"a": 3}', "val.json: book 'a': it is a number; it must be an object with"),
        ('{"a": {}, "a": {}}', "val.json: the key 'a' is written twice"),
        ('{"a": {"quotes": 1, "quotes": 2}}', "val.json: book 'a': the key 'quotes' is written twice"),
        (
            '{"a": {"sentences": {"x": 1, "x": 2}, "quotes": {}, "candidates": {}}}',
            "val.json: book 'a', \"sentences\": it is an object; it must be a list",
        ),
        ('{"a": ' + "9" * 5000 + "}", "val.json: the file is not RELiC's JSON"),
        ('{"a": ' + "[" * 100_000, "val.json: .*not.*JSON"),
        ('{"a\\u0000": {}}', "the title: character 1 is U.0000"),
    ],
)
def test_a_file_that_is_no_relic_file_is_refused(data: bytes | str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        relic.parse(data, "val.json")


def test_an_id_written_twice_is_refused_where_it_stands() -> None:
    text = json.dumps(FILE).replace('"18"', '"17"')
    with pytest.raises(BadInput, match=r"book 'the_ship', \"quotes\": the key '17' is written twice"):
        relic.parse(text, "val.json")
    text = json.dumps(FILE).replace('"2_sentence"', '"1_sentence"')
    with pytest.raises(BadInput, match=r"book 'the_ship', \"candidates\": the key '1_sentence' is written"):
        relic.parse(text, "val.json")


def test_joined_sentences_can_be_cut_out_again() -> None:
    text, bounds = relic.join(SENTENCES)
    assert text == "The ship left.    Nobody saw it go; not even Ada Ben was asleep. "
    assert [text[start:end] for start, end in bounds] == SENTENCES
    assert bounds[4] == (49, 49)


@given(st.lists(st.text(alphabet=st.sampled_from("aB. \n\u00a0é𝔄"), max_size=6), max_size=12))
def test_join_keeps_every_sentence_its_index_and_its_order(sentences: list[str]) -> None:
    text, bounds = relic.join(sentences)
    assert [text[start:end] for start, end in bounds] == sentences
    assert all(end <= start for (_, end), (start, _) in pairwise(bounds))
    assert "".join(text.split()) == "".join("".join(sentences).split())
    assert text.split() == " ".join(sentences).split()


@pytest.mark.skipif(DATA is None, reason="VARIORUM_TEST_DATA names no folder of real texts")
@pytest.mark.parametrize("book", ["frankenstein", "ethan_frome", "the_awakening", "the_great_gatsby"])
def test_relic_s_own_books_read_and_join(book: str) -> None:
    sentences = json.loads(Path(DATA, "relic_books", f"{book}.json").read_text(encoding="utf-8"))["sentences"]
    candidates = {f"{n}_sentence": list(range(len(sentences) - n + 1)) for n in relic.SIZES}
    file = {book: {"sentences": sentences, "quotes": {"1": [["x"], 3, 2, []]}, "candidates": candidates}}
    found = read(file)[book]
    text, bounds = relic.join(found.sentences)
    assert [text[start:end] for start, end in bounds] == sentences
    assert len(found.candidates[5]) == len(sentences) - 4
