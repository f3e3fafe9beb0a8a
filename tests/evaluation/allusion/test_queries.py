"""What readers marked as topics with judgments: the command `span_queries`, and what it tells."""

import uuid
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Decision, Event, Item, Role
from evaluation.allusion.queries.making import made
from retrieval.corpora.loading.topics import current
from retrieval.corpora.models import Grade, Qrels, TopicSet
from tests import builders
from tests.evaluation.allusion.verses import psalter, sermon
from tests.evaluation.judged import NOW

pytestmark = pytest.mark.django_db


@pytest.fixture
def corpus():
    return psalter()


def queried(study, *more, name="spans", corpus="psalter"):
    out = StringIO()
    call_command("span_queries", study.slug, "--corpus", corpus, "--name", name, *more, stdout=out)
    return out.getvalue()


def wordings(name="spans"):
    found = current(TopicSet.objects.get(slug=name))
    return {
        each.topic.external_id: {key: said["text"] for key, said in each.wordings.items()} for each in found
    }


def decide(study, number, answer):
    adjudicator = builders.enrolment(study, builders.person("Cleo"), role=Role.ADJUDICATOR, pseudonym="J1")
    item = study.items.get(number=number)
    return Decision.objects.create(
        item=item,
        adjudicator=adjudicator,
        answer=answer,
        revision=1,
        reason="It is so.",
        seen=[],
        submission=uuid.uuid4(),
        created=NOW,
    )


def test_an_item_is_a_topic_in_the_words_of_each_reader_of_most_of_them_and_of_windows(corpus):
    study = sermon([(7, 13), (7, 13), (8, 11)])
    said = queried(study)
    assert 'Stored: "spans", 1 query and 1 judgment.' in said
    assert "1 of the words that more than half of the readers marked" in said
    assert wordings() == {
        "item-1": {
            "manual": "the tide asks no man twice",
            "majority": "the tide asks no man twice",
            "reader-A": "the tide asks no man twice",
            "reader-B": "the tide asks no man twice",
            "reader-C": "tide asks no",
            "source": study.items.get().payload["text"],
            "window-3": "neighbour, for the tide asks no man",
            "window-10": study.items.get().payload["text"].removesuffix("."),
        }
    }
    (version,) = current(TopicSet.objects.get())
    assert version.title == "the tide asks no man twice"
    assert version.wordings["manual"]["lemmas"] == "the tide ask no man twice"
    assert version.facets == {"query": "majority"}
    assert list(Grade.objects.values_list("topic__external_id", "document__external_id", "grade")) == [
        ("item-1", "Shore-Psalter_4_2", 1)
    ]


def test_what_was_decided_stands_over_what_readers_marked(corpus):
    study = sermon([(7, 13), (7, 13), (8, 11)], gold=[(2, 9)])
    decide(study, 1, {"start": 6, "end": 10})
    queried(study)
    found = wordings()["item-1"]
    assert found["manual"] == found["adjudicated"] == "for the tide asks"
    assert found["gold"] == "lamp, neighbour, for the tide"


def test_most_readers_agree_on_words_and_not_on_spans(corpus):
    queried(sermon(["n", (7, 13), (6, 11)]))
    assert wordings()["item-1"]["manual"] == "the tide asks no"


def test_where_no_word_is_marked_by_most_the_first_reader_who_marked_any_is_taken(corpus):
    study = sermon(["n", (6, 9), (16, 17)], anchor=None)
    assert "1 marked by one reader, no word by most" in queried(study)
    assert wordings()["item-1"]["manual"] == "for the tide"
    assert "majority" not in wordings()["item-1"]


def test_items_without_an_allusion_unread_items_and_unsettled_ones_are_counted(corpus):
    study = sermon(
        [(7, 13), (7, 13), "n"], ["n", "n", (7, 13)], ["u", "u", "u"], ["n", "n", "u"], [".", ".", "."]
    )
    decide(study, 1, {"start": 7, "end": 13})
    found = made(study, corpus)
    assert [each.number for each in found.queries] == [1]
    assert found.left_out == {"declined": 3, "unread": 1}
    said = queried(study)
    assert "Left out: 3 items in which readers found no allusion, or could not set its borders." in said
    assert "Left out: 1 item that nobody has read." in said
    assert "The study is open" in said


def test_what_was_decided_to_be_no_allusion_gives_no_query(corpus):
    study = sermon([(7, 13), (7, 13), (7, 13)], [(7, 13), ".", "."])
    decide(study, 1, {"declined": "no_allusion"})
    assert [each.number for each in made(study, corpus).queries] == [2]


def test_gold_is_the_query_of_an_item_that_nobody_read(corpus):
    study = sermon([".", ".", "."], [".", ".", "."], gold=[(7, 13), "n"])
    found = made(study, corpus)
    assert [each.usual for each in found.queries] == ["gold"]
    assert found.left_out == {"declined": 1}


def test_unread_items_are_asked_for_by_their_whole_source(corpus):
    study = sermon([".", ".", "."])
    with pytest.raises(CommandError, match="has no reading yet; --unread makes the whole source"):
        queried(study)
    assert "1 the whole source, which no reader has read" in queried(study, "--unread")
    text = study.items.get().payload["text"]
    assert wordings()["item-1"]["source"] == text
    assert "manual" not in wordings()["item-1"]
    (version,) = current(TopicSet.objects.get())
    assert (version.title, version.facets) == (text, {"query": "source"})


def test_several_places_are_one_query(corpus):
    study = sermon([((2, 3), (8, 9)), ((2, 3), (8, 9)), ((8, 9),)], task="spans")
    queried(study)
    found = wordings()["item-1"]
    assert (found["manual"], found["reader-C"]) == ("lamp tide", "tide")


def test_items_without_anchor_and_lemmas_are_counted(corpus):
    study = sermon([(7, 13), (7, 13), (7, 13)], anchor=None, lemmas=False)
    said = queried(study)
    assert "Without windows: 1 query, whose items have no anchor." in said
    assert "Without lemmas: 1 query, whose passages come without." in said
    assert not any(name.startswith("window") for name in wordings()["item-1"])
    (version,) = current(TopicSet.objects.get())
    assert "lemmas" not in version.wordings["manual"]


def test_windows_may_be_chosen(corpus):
    study = sermon([(7, 13), ".", "."])
    queried(study, "--window", "1", "--window", "2")
    found = wordings()["item-1"]
    assert (found["window-1"], found["window-2"]) == ("the tide asks", "for the tide asks no")
    assert "window-3" not in found
    with pytest.raises(CommandError, match="A window has 1 to 1,000 words"):
        queried(study, "--window", "0", name="none")


def test_references_are_found_by_id_by_citation_and_by_title(corpus):
    citations = ("2-Tides_1_7", "Shore Psalter 4:1–3", "2 Tides 1:8")
    study = sermon([(7, 13), ".", "."], citations=citations)
    corpus.documents.filter(external_id="2-Tides_1_8").update(external_id="tides-18")
    (query,) = made(study, corpus).queries
    assert query.targets == (
        "2-Tides_1_7", "Shore-Psalter_4_1", "Shore-Psalter_4_2", "Shore-Psalter_4_3", "tides-18"
    )  # fmt: skip
    assert "With several right documents, of which the one found first counts: 1 query." in queried(study)


def test_what_is_not_in_the_corpus_is_named(corpus):
    citations = ("Shore Psalter 4:2–4", "A letter of 1800", "Psalm 4:2")
    study = sermon([(7, 13), ".", "."], [(7, 12), ".", "."], citations=citations)
    said = queried(study)
    assert (
        "No document of the corpus, or a title that several have: 3 citations: Shore-Psalter_4_4 (item 1), "
        "A letter of 1800 (item 1), "
        "Psalm 4:2 (item 1)." in said
    )
    other = sermon([(7, 13), ".", "."], citations=("Psalm 4:2",), slug="other", names=["Hugh", "Ida", "Kit"])
    with pytest.raises(CommandError, match='No reference of "other" points into "psalter"'):
        queried(other, name="other")


def test_a_title_of_two_documents_is_nobodys(corpus):
    corpus.documents.filter(external_id__startswith="2-").update(title="Two tides")
    study = sermon([(7, 13), ".", "."], citations=("Two tides", "2-Tides_1_7"))
    found = made(study, corpus)
    assert found.queries[0].targets == ("2-Tides_1_7",)
    assert list(found.unmatched) == ["Two tides"]


def test_verses_that_the_file_of_references_named_go_before_citations(corpus):
    study = sermon([(7, 13), ".", "."], citations=("Shore Psalter 4:2",))
    Item.objects.filter(study=study).update(number=1)
    item = study.items.get()
    item.provenance = {"target": ["2 Tides 1:7", "2 Tides 1:8"]}
    item.save()
    assert made(study, corpus).queries[0].targets == ("2-Tides_1_7", "2-Tides_1_8")


def test_made_again_they_are_known_and_other_readings_need_another_name(corpus):
    study = sermon([(7, 13), (7, 13), "."])
    queried(study)
    assert 'Known: "spans", 1 query' in queried(study)
    assert (TopicSet.objects.count(), Qrels.objects.count(), Grade.objects.count()) == (1, 1, 1)
    decide(study, 1, {"start": 8, "end": 9})
    with pytest.raises(CommandError, match="other words were marked since"):
        queried(study)
    queried(study, name="later")
    assert wordings("later")["item-1"]["manual"] == "tide"
    assert wordings()["item-1"]["manual"] == "the tide asks no man twice"


def test_words_of_programs_are_said_to_be_theirs_and_the_record_says_what_was_made(corpus):
    study = sermon([(7, 13), (7, 13), "."], fields={"simulated": True})
    assert "Programs marked these words (A, B and C)" in queried(study)
    assert TopicSet.objects.get().source.startswith("What simulated readers of the study sermon marked")
    (event,) = Event.objects.filter(study=study, verb="export")
    assert event.data == {"format": "topics", "topics": "spans", "corpus": "psalter", "queries": 1}


def test_a_further_corpus_gets_judgments_of_the_same_topics(corpus):
    study = sermon([(7, 13), (7, 13), "."])
    queried(study)
    psalter("another")
    assert 'Stored: "spans"' in queried(study, corpus="another")
    assert TopicSet.objects.count() == 1
    assert set(Qrels.objects.values_list("corpus__slug", "name")) == {
        ("psalter", "spans"),
        ("another", "spans"),
    }


def test_a_study_that_marks_no_spans_is_refused(corpus):
    study = builders.study("gaps", items=1)
    with pytest.raises(CommandError, match="queries are made of spans"):
        queried(study)
    with pytest.raises(CommandError, match="There is no study"):
        call_command("span_queries", "nobody", "--corpus", "psalter", "--name", "spans")
