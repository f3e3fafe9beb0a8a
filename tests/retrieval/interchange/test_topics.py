"""Topics of JSONL, of tables and of TREC's tagged form."""

import json

import pytest

from common.errors import BadInput
from retrieval.engine.interchange import marked, topics
from retrieval.engine.interchange.lines import Line, wrong_in

WRONG = wrong_in("topics")


def read(how, text):
    lines = [Line(n, line, 0) for n, line in enumerate(text.split("\n"), 1)]
    return list(topics.READERS[how](lines, WRONG))


def test_a_line_of_json_is_a_topic():
    row = {
        "_id": 3,
        "text": " gin craze ",
        "metadata": {"subset": "inline", "n": 2},
        "narrative": "Any drink.",
    }
    (found,) = read("jsonl", json.dumps(row))
    assert found[:4] == ("3", "gin craze", "", "Any drink.")
    assert found.facets == {"subset": "inline", "n": "2"}


def test_what_beir_keeps_beside_a_query_is_a_part_of_the_topic_a_facet_or_passed_over():
    rows = (
        {"_id": "1", "text": "fog", "metadata": {"narrative": "Sea fog.", "origin": "log", "no": None}},
        {"_id": "2", "text": "ice", "metadata": {"4983": [{"sentences": [4], "label": "SUPPORT"}]}},
    )
    one, two = read("jsonl", "\n".join(map(json.dumps, rows)))
    assert (one.narrative, one.facets) == ("Sea fog.", {"origin": "log"})
    assert two.facets == {}


@pytest.mark.parametrize("head", ["qid\tquery", "query_id\ttext", "query-id\ttext", "id\ttext", "QID\tTitle"])
def test_the_heads_of_other_tools_are_heads_and_no_topic(head):
    assert [each[:2] for each in read("tsv", f"{head}\n7\tfog")] == [("7", "fog")]


@pytest.mark.parametrize("key", ["id", "_id", "qid", "query_id"])
def test_ids_are_found_under_the_names_that_other_tools_give_them(key):
    assert read("jsonl", json.dumps({key: 7, "query": "fog"}))[0].external_id == "7"


EARLY = """
<top>
<head> Topics of the first years
<num> Number:  051
<dom> Domain:  Shipping
<title> Topic:  Ferries &amp; fog
<desc> Description:
Ferries that wait.
<smry> Summary:
A summary.
<narr> Narrative:
Any ferry.
<con> Concept(s):
1. ferry
<fac> Factor(s):
<nat> Nationality: none
</fac>
<def> Definition(s):
</top>
"""


def test_the_fields_of_trecs_first_years_end_the_field_before_them():
    (found,) = read("trec", EARLY)
    assert found[:4] == ("051", "Ferries & fog", "Ferries that wait.", "Any ferry.")


def test_a_table_without_a_head_is_id_and_title():
    assert [each[:3] for each in read("tsv", "1\tgin\n\n2\tale\n")] == [("1", "gin", ""), ("2", "ale", "")]


def test_a_table_with_a_head_has_the_columns_it_names_and_facets():
    (found,) = read("tsv", "ID\ttitle\tspecificity\tnarrative\nq1\tgin\tbroad\tAny drink.")
    assert (found.external_id, found.title, found.narrative) == ("q1", "gin", "Any drink.")
    assert (found.facets, found.line) == ({"specificity": "broad"}, 2)


TREC = """<top>
<num> Number: 301
<title> gin craze
<desc> Description:
How was gin
drunk?
<narr> Narrative: Any drink counts.
</top>

<top><num>302</num><title>ale</title></top>
"""


def test_trecs_tags_need_no_end():
    one, two = read("trec", TREC)
    assert one[:4] == ("301", "gin craze", "How was gin drunk?", "Any drink counts.")
    assert (two[:3], two.line) == (("302", "ale", ""), 10)


@pytest.mark.parametrize(
    ("how", "text", "sentence"),
    [
        ("jsonl", '{"id": "a"}', 'line 1: "title" is missing'),
        ("jsonl", '{"id": "a", "title": "t", "facets": {"x": [1]}}', "the facet 'x' is a list or an object"),
        ("tsv", "1 gin", "line 1: no tab"),
        ("tsv", "1\tgin\n2", "line 2: 1 columns between tabs; 2 were expected"),
        ("tsv", "1\t ", "line 1: the title is empty"),
        ("tsv", "id\twords\n1\tgin", "line 1: the head needs the column title"),
        ("trec", "gin", "line 1: text outside <top> and </top>"),
        ("trec", "<top>\n<num> 1\n<title> t", "line 1: <top> has no </top>"),
        ("trec", "<top>\n<top>", "line 2: <top> where none was expected"),
        ("trec", "<top>\n<title> t\n</top>", "line 1: the topic has no <num>"),
        ("trec", "<top>\n<num> 1\n</top>", "line 1: the topic '1' has no <title>"),
    ],
)
def test_a_broken_topic_is_named(how, text, sentence):
    with pytest.raises(BadInput) as refused:
        read(how, text)
    assert sentence in str(refused.value)


def xml(text):
    return list(marked.topics([Line(n, line, 0) for n, line in enumerate(text.split("\n"), 1)], WRONG))


def test_topics_in_xml_as_several_tracks_write_them():
    found = xml(
        """<?xml version="1.0"
encoding="ISO-8859-1"?>
<topics>
<topic number="1"><query>gin &amp; beer</query><question>Who drank
gin?</question><narrative>Trade is of no interest.</narrative></topic>
<topic number="2" type="faceted"><query>tea</query><description>D</description>
<subtopic number="1" type="inf">S</subtopic></topic>
<topic><number>3</number><title>rum</title><answer>no</answer></topic>
<topic number="4">A patient of 60 &#xE9;.</topic>
</topics>"""
    )
    assert [each.external_id for each in found] == ["1", "2", "3", "4"]
    assert (found[0].title, found[0].description) == ("gin & beer", "Who drank gin?")
    assert found[0].narrative == "Trade is of no interest."
    assert (found[1].facets, found[1].description) == ({"type": "faceted"}, "D")
    assert (found[2].title, found[3].title, found[3].line) == ("rum", "A patient of 60 é.", 9)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<topics><topic number='1'><query>a</query></topics>", "line 1: the file is not well-formed XML"),
        ("<topics>\n<topic number='1'>\n<query>a</topic>\n</topics>", "line 3: the file is not well-formed"),
        ("<queries/>", "line 1: no <topic> in <queries>"),
        ("<topics>\n<topic><title>a</title></topic></topics>", "line 2: the topic has no number"),
        ("<t><topic number='1'><disease>a</disease></topic></t>", "the topic '1' has no <title>, <query>"),
        ("<t><topic number='1 2'><title>a</title></topic></t>", "the id '1 2' is empty or holds white space"),
        (
            '<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/hostname">]>\n'
            "<t><topic number='1'><title>&x;</title></topic></t>",
            "line 1: ",
        ),
    ],
)
def test_broken_xml_is_named_and_opens_nothing(text, sentence):
    with pytest.raises(BadInput) as refused:
        xml(text)
    assert sentence in str(refused.value)


def test_a_question_of_litsearch_has_its_line_as_id_and_facets():
    row = {"query_set": "acl", "query": "Who sold gin?", "specificity": 1, "quality": 2, "corpusids": [7, 9]}
    (found,) = topics.jsonl([Line(3, json.dumps(row), 0)], WRONG)
    assert (found.external_id, found.title) == ("3", "Who sold gin?")
    assert found.facets == {"query_set": "acl", "specificity": "1", "quality": "2"}
