"""Documents of JSONL and of TREC text."""

import json
import time

import pytest

from common.errors import BadInput
from retrieval.engine.interchange import delimited, documents
from retrieval.engine.interchange.lines import Line, wrong_in

WRONG = wrong_in("corpus")


def as_lines(text):
    return [Line(n, line, 0) for n, line in enumerate(text.split("\n"), 1)]


def jsonl(*rows):
    text = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)
    return list(documents.jsonl(as_lines(text), WRONG))


def trec(text):
    return list(documents.trec(as_lines(text), WRONG))


def test_a_line_of_json_is_a_document():
    (read,) = jsonl(
        {
            "id": "d1",
            "title": "Gin",
            "text": "Of gin.",
            "genre": "fiction",
            "year": "1751",
            "source": "s",
            "x": 1,
        }
    )
    assert (read.external_id, read.title, read.text) == ("d1", "Gin", "Of gin.")
    assert (read.genre, read.year, read.source_key, read.extra) == ("fiction", 1751, "s", {"x": 1})
    assert (read.line, read.last) == (1, 1)


def test_beirs_shape_is_read_with_a_number_as_id_no_title_and_metadata():
    (read,) = jsonl(
        {"_id": 7, "title": None, "text": "t", "metadata": {"genre": "essay", "year": -20, "url": "u"}}
    )
    assert read[:6] == ("7", "", "t", "essay", -20, "")
    assert read.extra == {"url": "u"}


def test_blank_lines_are_passed_over_and_counted():
    assert [read.line for read in jsonl({"id": "a", "text": "t"}, "", {"id": "b", "text": "t"})] == [1, 3]


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({"text": "t"}, 'no "id"; each object needs one'),
        ({"id": "a b", "text": "t"}, "the id 'a b' is empty or holds white space"),
        ({"id": "x" * 201, "text": "t"}, "longer than 200 bytes"),
        ({"id": "é" * 101, "text": "t"}, "longer than 200 bytes"),
        ({"id": True, "text": "t"}, 'no "id"'),
        ({"id": "a"}, '"text" is missing; a string was expected'),
        ({"id": "a", "text": ["t"]}, '"text" is a list; a string was expected'),
        ({"id": "a", "text": "t", "year": 1.5}, '"year" is a number; a whole number was expected'),
        ({"id": "a", "text": "t", "year": 9999}, "9999 is no year"),
        ({"id": "a", "text": "t", "title": "x" * 2001}, "the title has more than 2000 characters"),
        ({"id": "a", "text": "t", "metadata": 1}, '"metadata" is a number; an object was expected'),
        ('{"id": "a", "text": "t", "id": "b"}', "the key 'id' stands twice"),
        ('{"id": "a", "text": "t", "x": NaN}', "NaN is no number"),
        ('{"id": "a", "text": "\\ud800"}', "half of a character"),
        ('{"id": "a", "text": "a\\u0000b"}', "a null character"),
        ('{"id": "a", "text": "t", "x": ["\\u0000"]}', "'x' holds a null character"),
        ('{"id": "a", "text": "t", "\\u0000": 1}', "holds a null character"),
        ('{"id": "a", "text": "t", "metadata": {"x": {"y\\udfff": 1}}}', "'x' holds half of a character"),
        ('{"id": "a", "text": "t", "x": [1, -1e999]}', "'x' holds a number that is too large"),
        ('{"id": "a", "text": "t", "x": ' + "[" * 60 + "]" * 60 + "}", "'x' nests deeper than 50"),
        ('["a"]', "a list; one JSON object a line was expected"),
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
    ],
)
def test_a_broken_line_is_named(row, sentence):
    with pytest.raises(BadInput) as refused:
        jsonl({"id": "first", "text": "t"}, row)
    assert str(refused.value).startswith("corpus, line 2: ")
    assert sentence in str(refused.value)


TREC = """
<DOC>
<DOCNO> LA-1 </DOCNO>
<DATE>1 May</DATE>
<HEADLINE>
Gin &amp; water
</HEADLINE>
<TEXT>
<P>
First, 1 < 2 and <b>bold</b>.
</P>
<P>Second.</P>
</TEXT>
</DOC>
<DOC>
<DOCNO>LA-2</DOCNO>
Bare text.
</DOC>
"""


def test_trec_text_is_read_without_being_xml():
    one, two = trec(TREC)
    assert one.external_id == "LA-1"
    assert one.title == "Gin & water"
    assert one.text == "First, 1 < 2 and\nbold\n.\nSecond."
    assert (one.line, one.last) == (2, 14)
    assert (two.external_id, two.text) == ("LA-2", "Bare text.")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<DOC>\n<DOCNO>a</DOCNO>\nt", "line 1: <DOC> has no </DOC>"),
        ("<DOC>\n<DOC>", "line 2: <DOC> within the document of line 1"),
        ("stray", "line 1: text outside <DOC> and </DOC>"),
        ("<DOC>\nt\n</DOC>", "line 1: the document has 0 <DOCNO>"),
        ("<DOC>\n<DOCNO>a</DOCNO>\n<DOCNO>b</DOCNO>\nt\n</DOC>", "has 2 <DOCNO>"),
        ("<DOC>\n<DOCNO>a b</DOCNO>\nt\n</DOC>", "holds white space"),
    ],
)
def test_a_broken_document_is_named(text, sentence):
    with pytest.raises(BadInput) as refused:
        trec(text)
    assert sentence in str(refused.value)


NEWSPAPER = """
<DOC>
<DOCNO> LA010189-0001 </DOCNO>
<DATE>
<P>
January 1, 1989
</P>
</DATE>
<HEADLINE>
<P>
FOG IN THE HARBOR;
</P>
<P>
FERRIES <B>WAIT</B>
</P>
</HEADLINE>
<!-- PJG STAG 4700 -->
<TEXT>
The first&blank;boat &hyph; of <!-- two
<lines> of a --> ten.
<TITLE>
</TEXT>
</DOC>
"""


def test_tags_within_a_headline_or_a_date_are_of_it_and_comments_are_no_text():
    (read,) = trec(NEWSPAPER)
    assert read.title == "FOG IN THE HARBOR; FERRIES WAIT"
    assert read.text == "The first boat - of  ten."


def test_a_title_without_an_end_ends_with_the_next_tag():
    (read,) = trec("<DOC>\n<DOCNO>a\n<TITLE>Fog\n<TEXT>\nThick.\n</DOC>")
    assert (read.external_id, read.title, read.text) == ("a", "Fog", "Thick.")


def test_documents_may_stand_on_one_line_each():
    read = trec("<DOC><DOCNO>a</DOCNO><TEXT>one</TEXT></DOC>\n<doc> <docno>b</docno>\ntwo </doc>")
    assert [(each.external_id, each.text, each.line, each.last) for each in read] == [
        ("a", "one", 1, 1),
        ("b", "two", 2, 3),
    ]


def test_signs_of_less_and_greater_around_words_are_no_tag():
    (read,) = trec("<DOC>\n<DOCNO>a</DOCNO>\nx <y and y> z, <td nowrap>1<a href='b c'>2</a>\n</DOC>")
    assert read.text == "x <y and y> z,\n1\n2"


def test_what_does_not_fit_into_the_title_begins_the_text():
    (read,) = trec(f"<DOC>\n<DOCNO>a</DOCNO>\n<TTL>{'fog ' * 200}</TTL>\nBody.\n</DOC>")
    assert len(read.title) <= documents.LONGEST_TITLE
    assert f"{read.title} {read.text}".split() == ["fog"] * 200 + ["Body."]


def test_a_title_alone_is_a_document_where_the_text_is_there_and_empty():
    (read,) = jsonl({"_id": "a", "title": "Fog", "text": ""})
    assert (read.title, read.text) == ("Fog", "")
    with pytest.raises(BadInput, match='"text" is missing'):
        jsonl({"_id": "a", "title": "Fog"})


def test_many_tags_that_nothing_ends_take_no_longer_than_their_number():
    began = time.process_time()
    (read,) = trec("<DOC>\n<DOCNO>a</DOCNO>\nt" + "<a>" * 100_000 + "</b></a>" * 100_000 + "\n</DOC>")
    assert read.text == "t"
    assert time.process_time() - began < 20


@pytest.mark.parametrize("key", ["id", "_id", "docid", "doc_id", "docno"])
def test_ids_are_found_under_the_names_that_other_tools_give_them(key):
    assert jsonl({key: "a", "text": "t"})[0].external_id == "a"


def test_a_document_may_be_empty_and_says_so():
    empty = [{"id": "a", "text": " "}, {"id": "b", "title": None, "text": None}]
    assert [read.is_empty for read in [*jsonl(*empty), *trec("<DOC>\n<DOCNO>a</DOCNO>\n</DOC>")]] == [
        True
    ] * 3
    assert not jsonl({"id": "a", "title": "t", "text": None})[0].is_empty


def test_a_paper_of_litsearch():
    row = {
        "corpusid": 7,
        "title": "T",
        "abstract": "A",
        "citations": [1, 2],
        "full_paper": "A" * 99,
        "venue": "V",
    }
    (read,) = jsonl(row)
    assert (read.external_id, read.title, read.text, read.extra) == ("7", "T", "A", {"venue": "V"})


def table(*rows):
    found = [Line(number, row, 10 * number) for number, row in enumerate(rows, 1)]
    columns, is_head = delimited.columns_of(found[0], WRONG)
    return list(delimited.table(found[is_head:], WRONG, columns))


def test_tables_of_ms_marco_and_with_a_head():
    (passage,) = table("7\tGin was sold.")
    assert (passage.external_id, passage.title, passage.text, passage.end) == ("7", "", "Gin was sold.", 10)
    (page,) = table("D7\thttp://gin\tGin\tIt was sold.")
    assert (page.title, page.text, page.extra) == ("Gin", "It was sold.", {"url": "http://gin"})
    (read,) = table("docno\tbody\ttitle\tyear\tgenre\tseen", "", "d7\tSold.\tGin\t1751\tsatire\t")
    assert (read.external_id, read.text, read.title, read.year, read.genre) == (
        "d7",
        "Sold.",
        "Gin",
        1751,
        "satire",
    )
    assert (read.extra, read.line) == ({}, 3)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (("7\ta\tb",), "line 1: 3 columns between tabs; id and text were expected"),
        (("7 a",), "line 1: 1 columns between tabs"),
        (("id\ttitle",), "line 1: the head needs the column text"),
        (("7\ta", "8\ta\tb"), "line 2: 3 columns between tabs; 2 were expected"),
        (("7\ta", "8 9\tb"), "line 2: the id '8 9' is empty or holds white space"),
        (("id\ttext\tyear", "7\ta\tlate"), "line 2: the year 'late' is no whole number"),
    ],
)
def test_a_broken_table_is_named(rows, sentence):
    with pytest.raises(BadInput) as refused:
        table(*rows)
    assert sentence in str(refused.value)
