"""A run or judgments loaded on a page: all of a file or nothing."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from retrieval.corpora.forms import files
from retrieval.corpora.models import Qrels, Run, TopicSet
from tests import builders
from tests.variorum.test_api import script

pytestmark = pytest.mark.django_db
RUN = "t1 Q0 d2 1 2.5 lamp\nt1 Q0 d1 2 1.5 lamp\n"


@pytest.fixture
def dora(quay, client):
    client.force_login(builders.researcher("Dora"))
    return client


def sent(dora, text, file_name="lamp.run", **more):
    file = SimpleUploadedFile(file_name, text.encode() if isinstance(text, str) else text)
    asked = {"what": "run", "topics": "boats", "file": file, **more}
    return dora.post(reverse("corpora:load_file", args=["quay"]), asked, follow=True)


def test_a_run_is_loaded_under_its_tag_and_shown_with_what_was_noticed(dora):
    shown = sent(dora, RUN)
    run = Run.objects.get()
    assert (run.name, run.n_rows, run.file_name, run.created_by.first_name) == ("lamp", 2, "lamp.run", "Dora")
    assert "Loaded: lamp, 2 rows." in shown.text
    assert "1 topic of the set has no document in it" in shown.text
    assert "Known already: lamp, 2 rows." in sent(dora, RUN).text


def test_judgments_are_loaded_under_a_name_with_their_source(dora):
    shown = sent(
        dora, "t1 0 d1 2\nt1 0 d2 0\n", "x.qrels", what="qrels", name="experts", source="Two experts"
    )
    assert "Loaded: experts, 2 judgments." in shown.text
    assert (Qrels.objects.get().source, Qrels.objects.get().grades.count()) == ("Two experts", 2)


@pytest.mark.parametrize(
    ("text", "more", "field", "sentence"),
    [
        (RUN + "t1 Q0 d9 3 1 lamp\n", {}, "file", "lamp.run, line 3: the document 'd9' is not in the corpus"),
        (RUN + "t9 Q0 d1 1 1 lamp\n", {}, "file", "line 3: the topic 't9' is not among the topics"),
        (RUN + "t1 Q0 d3\n", {}, "file", "lamp.run, line 3"),
        ("", {}, "file", "line 1: no row"),
        (RUN.replace("lamp", "a/b"), {}, "file", "is no name here"),
        (RUN, {"source": "me"}, "source", "A run has no source"),
        ("t1 0 d1 2\n", {"what": "qrels"}, "name", "Give the judgments a name"),
        ("t1 0 d1 x\n", {"what": "qrels", "name": "e"}, "file", "the grade 'x' is no whole number"),
        (RUN, {"topics": "none"}, "topics", "Select a valid choice"),
    ],
)
def test_what_is_wrong_is_said_by_line_and_nothing_is_stored(dora, text, more, field, sentence):
    answer = sent(dora, text, **more)
    assert answer.status_code == 422
    assert set(answer.context["form"].errors) == {field}
    assert sentence in str(answer.context["form"].errors[field][0])
    assert not Run.everything.exists()
    assert not Qrels.objects.exists()


def test_files_that_are_packed_or_too_large_are_for_the_command(dora, monkeypatch):
    assert "unpack it first" in sent(dora, RUN, "lamp.run.gz").text
    monkeypatch.setattr(files, "LARGEST_FILE", 10)
    assert "The command import_run takes larger ones." in sent(dora, RUN).text


class TestTopicsByScript:
    ADDRESS = "/api/v1/topics/boats/members/"

    def test_a_topic_is_added_and_reworded_with_who_and_why(self, quay):
        dora = builders.researcher("Dora")
        key = script(dora, "topics")
        new = {"id": "t3", "title": "loud boats", "facets": {"kind": "broad"}}
        made = key.post(self.ADDRESS, new, content_type="application/json")
        assert (made.status_code, made.json()["number"]) == (201, 2)
        address = f"{self.ADDRESS}2/versions/"
        changed = key.post(
            address, {"narrative": "Any.", "why": "Too short."}, content_type="application/json"
        )
        assert changed.status_code == 201
        first, second = changed.json()["versions"]
        assert (second["version"], second["title"], second["narrative"]) == (2, "loud boats", "Any.")
        assert (second["why"], second["by"], second["facets"]) == (
            "Too short.",
            dora.username,
            first["facets"],
        )
        assert TopicSet.objects.get().facets == ["kind"]

    @pytest.mark.parametrize(
        ("where", "said", "field"),
        [
            ("", {"id": "t1", "title": "again"}, "id"),
            ("", {"id": "a b", "title": "x"}, "id"),
            ("", {"id": "t3"}, "title"),
            ("", {"id": "t3", "title": "x", "query": "x"}, "query"),
            ("0/versions/", {"title": "new"}, "why"),
            ("0/versions/", {"title": "wet quay", "why": "y"}, "detail"),
            ("0/versions/", {"title": " ", "why": "y"}, "title"),
            ("0/versions/", {"language": "no such", "why": "y"}, "language"),
        ],
    )
    def test_what_is_wrong_is_named(self, quay, where, said, field):
        key = script(builders.researcher("Dora"), "topics")
        reply = key.post(self.ADDRESS + where, said, content_type="application/json")
        assert (reply.status_code, list(reply.json())) == (400, [field])
        assert [topic.versions.count() for topic in TopicSet.objects.get().members.all()] == [1, 1]

    def test_reading_and_writing_need_scopes_of_their_own(self, quay):
        dora = builders.researcher("Dora")
        assert script(dora, "corpora").post(self.ADDRESS, {}).status_code == 403
        assert script(dora, "topics").get(self.ADDRESS).status_code == 403
        assert script(dora, "corpora").get(self.ADDRESS).status_code == 200
