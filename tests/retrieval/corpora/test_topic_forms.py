"""Sets of topics made in the browser: empty or of a file, topic by topic, refused by field."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from retrieval.corpora.forms import files
from retrieval.corpora.models import Topic, TopicSet, TopicVersion
from tests import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def dora(client):
    client.force_login(builders.researcher("Dora"))
    return client


def post(client, name, *args, **said):
    return client.post(reverse(f"corpora:{name}", args=args), said)


def made(client, **more):
    return post(client, "new_topics", title="Boats", slug="boats", **more)


def upload(name, text):
    return SimpleUploadedFile(name, text.encode())


def test_a_set_is_begun_and_filled_topic_by_topic(dora):
    assert made(dora, source="A seminar").url == reverse("corpora:add_topic", args=["boats"])
    said = {
        "title": "late boats",
        "description": "When?",
        "narrative": "Any boat.\r\nNo ship.",
        "author": "Mara Lind",
        "language": "en",
        "facets": "subset: fiction\nspecificity: broad",
    }
    assert post(dora, "add_topic", "boats", external_id="t1", **said).status_code == 302
    version = TopicVersion.objects.get()
    assert (version.version, version.title, version.author) == (1, "late boats", "Mara Lind")
    assert version.by.first_name == "Dora"
    assert version.narrative == "Any boat.\nNo ship."
    assert version.facets == {"subset": "fiction", "specificity": "broad"}
    assert TopicSet.objects.get().facets == ["specificity", "subset"]
    assert post(dora, "add_topic", "boats", external_id="t2", title="quiet boats").status_code == 302
    assert list(Topic.objects.values_list("number", "external_id")) == [(0, "t1"), (1, "t2")]
    shown = dora.get(reverse("corpora:topics", args=["boats"])).text
    assert shown.index("late boats") < shown.index("quiet boats")


def test_a_file_is_loaded_as_the_command_loads_it(dora):
    file = upload("t.tsv", "id\ttitle\tsubset\n1\tlate boats\tfiction\n")
    assert made(dora, file=file, language="fr").url == reverse("corpora:topics", args=["boats"])
    version = TopicVersion.objects.get()
    assert (version.title, version.language, version.facets) == ("late boats", "fr", {"subset": "fiction"})


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (
            {"file": ("t.tsv", "1\tboats\n1\tships\n")},
            "t.tsv, line 2: the topic &#x27;1&#x27; is given",
        ),
        ({"file": ("t.csv", "1,boats")}, "t.csv: topics are a .jsonl file"),
        ({"file": ("t.tsv", "")}, "t.tsv holds no topic"),
        ({"file": ("t.tsv.gz", "1\tboats\n")}, "unpack it first"),
        ({"file": ("t.tsv", "1\tboats\n"), "language": "no tag"}, "is not a tag such as en"),
        (
            {"file": ("t.tsv", f"id\ttitle\n1\tok\n2\t{'x' * 5_001}")},
            "t.tsv, line 3: the title has 5,001 characters",
        ),
        (
            {"file": ("t.tsv", "id\ttitle\tlanguage\n1\tgin\tEnglish!")},
            "t.tsv, line 2: the language &#x27;English!&#x27;",
        ),
        ({"file": ("é" * 200 + ".tsv", "1")}, "é.tsv, line 1: no tab"),
        ({"file": ("t.tsv", f"1\t{'x' * 5_001}\n")}, "t.tsv, line 1: the title has 5,001 characters"),
        ({"slug": "a boat"}, "Enter a valid “slug”"),
        ({"title": ""}, "This field is required"),
    ],
)
def test_what_cannot_be_a_set_is_refused_beside_its_field(dora, more, sentence):
    more = dict(more)
    if "file" in more:
        more["file"] = upload(*more["file"])
    answer = post(dora, "new_topics", **{"title": "Boats", "slug": "boats"} | more)
    assert answer.status_code == 422
    assert sentence in answer.text
    if "line" in sentence:
        assert [*answer.context["form"].errors] == ["file"]
    assert not TopicSet.objects.exists()


def test_a_slug_is_taken_once_and_a_large_file_is_for_the_command(dora, monkeypatch):
    made(dora)
    assert "Other topics are here as &quot;boats&quot;" in made(dora).text
    monkeypatch.setattr(files, "LARGEST_FILE", 4)
    assert "The command import_topics takes larger ones" in made(dora, file=upload("t.tsv", "1\tboats")).text


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"external_id": "t1"}, "The topic &#x27;t1&#x27; is here already"),
        ({"external_id": "t 2"}, "is empty or holds white space"),
        ({"title": ""}, "This field is required"),
        ({"language": "no tag"}, "is not a tag such as en"),
        ({"facets": "broad"}, "“broad”: a name, a colon and a value were expected."),
        ({"facets": "\n".join(f"{n}: b" for n in range(21))}, "has 21 facets; 20 are the most"),
        ({"facets": f"a: {'b' * 201}"}, "has at most 200 characters"),
        ({"facets": "a: b\na: c"}, "“a” stands there twice"),
    ],
)
def test_a_topic_is_refused_beside_its_field_and_nothing_is_stored(dora, said, sentence):
    made(dora)
    post(dora, "add_topic", "boats", external_id="t1", title="late boats")
    answer = post(dora, "add_topic", "boats", **{"external_id": "t2", "title": "quiet boats"} | said)
    assert answer.status_code == 422
    assert sentence in answer.text
    assert Topic.objects.count() == 1


def test_author_language_and_facets_of_a_topic_change_with_its_wording(dora):
    builders.collection()
    said = {"title": "late boats", "author": "Mara Lind", "language": "fr", "facets": "subset: verse"}
    answer = post(dora, "topic", "boats", 1, **said, description="", narrative="", why="Another reader asks.")
    assert answer.status_code == 302
    newest = TopicVersion.objects.order_by("-version").first()
    assert (newest.author, newest.language, newest.facets) == ("Mara Lind", "fr", {"subset": "verse"})
    assert TopicSet.objects.get().facets == ["specificity", "subset"]
    assert "Asked by Mara Lind" in dora.get(reverse("corpora:topic", args=["boats", 1])).text


def test_facets_of_a_file_that_no_line_can_say_stay_when_the_title_changes(dora):
    builders.collection()
    odd = {"note": "", "time: of day": "dusk", "evidence": "word " * 30}
    TopicVersion.objects.create(topic=Topic.objects.get(), version=3, title="late boats", facets=odd)
    page = dora.get(reverse("corpora:topic", args=["boats", 1]))
    facets = page.context["form"]["facets"].value().replace("\n", "\r\n")
    said = {"title": "last boats", "facets": facets, "why": "A slip."}
    assert post(dora, "topic", "boats", 1, **said).status_code == 302
    newest = TopicVersion.objects.order_by("-version").first()
    assert (newest.title, newest.facets) == ("last boats", odd)
