"""/api/v1/: what scripts may do, and what nobody may."""

import json
import uuid
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiYamlRenderer
from rest_framework.test import APIClient

from annotation.models import ApiToken, Judgment
from annotation.people.tokens import issue
from retrieval.loading import jobs
from retrieval.models import CandidateJob
from tests import builders

ROOT = Path(__file__).resolve().parents[2]
SECRET_WORDS = ("gold", "provenance", "is_gold", "scores")


def script(user, *scopes, days=1):
    """A client that carries a fresh token of that person."""
    _, plain = issue(user, "a script", scopes, timezone.now() + timedelta(days=days))
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {plain}")
    return client


@pytest.fixture
def study(dora, ada, ben):
    made = builders.study(items=3, overlap=2, by=dora)
    builders.enrolment(made, ada)
    builders.enrolment(made, ben)
    return made


def answer(position, **fields):
    return {"submission": str(uuid.uuid4()), "answer": {"position": position}, **fields}


def test_a_token_is_stored_as_a_digest_only(ada):
    token, plain = issue(ada, "laptop", ["read"], timezone.now() + timedelta(days=1))
    assert plain not in json.dumps(ApiToken.objects.values().get(), default=str)
    assert token.digest != plain


@pytest.mark.parametrize("scopes", [[], ["read", "everything"]])
def test_a_token_needs_known_scopes(ada, scopes):
    with pytest.raises(ValueError, match="Unknown scope"):
        issue(ada, "laptop", scopes, timezone.now() + timedelta(days=1))


@pytest.mark.parametrize("days", [-1, 4000])
def test_a_token_ends_within_a_year(ada, days):
    with pytest.raises(ValueError, match="at most a year"):
        issue(ada, "laptop", ["read"], timezone.now() + timedelta(days=days))


def test_without_a_token_nothing_is_said(study):
    reply = APIClient().get("/api/v1/studies/")
    assert reply.status_code == 401
    assert reply["WWW-Authenticate"].startswith("Bearer")


def test_an_expired_or_revoked_token_or_account_opens_nothing(study, dora):
    client = script(dora, "read")
    assert client.get("/api/v1/studies/").status_code == 200
    ApiToken.objects.update(expires=timezone.now())
    assert client.get("/api/v1/studies/").status_code == 401
    ApiToken.objects.update(expires=timezone.now() + timedelta(days=1), revoked=timezone.now())
    assert client.get("/api/v1/studies/").status_code == 401
    ApiToken.objects.update(revoked=None)
    dora.is_active = False
    dora.save()
    assert client.get("/api/v1/studies/").status_code == 401


def test_a_token_does_only_what_its_scope_says(study, dora, ada):
    assert script(dora, "judge").get("/api/v1/studies/").status_code == 403
    assert script(ada, "read").post("/api/v1/studies/fleet/next/").status_code == 403


def test_a_researcher_sees_her_studies_with_counts(study, dora):
    builders.study("other", items=1)
    results = script(dora, "read").get("/api/v1/studies/").json()["results"]
    assert [
        (each["slug"], each["items"], each["assignments"], each["assignments_done"]) for each in results
    ] == [("fleet", 3, 6, 0)]


def test_counts_are_not_joined_with_each_other(study, dora):
    """Items times places are twelve million rows where a study has two thousand items."""
    with CaptureQueriesContext(connection) as queries:
        assert script(dora, "read").get("/api/v1/studies/").status_code == 200
    counting = [each["sql"] for each in queries if "n_assignments" in each["sql"]]
    assert counting
    outer = [sql.rpartition('FROM "annotation_study"')[2] for sql in counting]
    assert not any("JOIN" in sql for sql in outer)


@pytest.mark.parametrize("path", ["", "items/", "judgments/"])
def test_A01_a_foreign_study_looks_like_an_unknown_one(study, ada, eve, stan, path):
    for person in (ada, eve, stan):
        client = script(person, "read")
        foreign = client.get(f"/api/v1/studies/fleet/{path}")
        unknown = client.get(f"/api/v1/studies/nowhere/{path}")
        assert (foreign.status_code, foreign.content) == (404, unknown.content)


def test_a_script_reads_for_ada_and_never_sees_the_gold(study, ada):
    client = script(ada, "judge")
    place = client.post("/api/v1/studies/fleet/next/").json()
    assert client.post("/api/v1/studies/fleet/next/").json()["id"] == place["id"]
    reply = client.post(
        f"/api/v1/assignments/{place['id']}/judgment/", answer(1, note="clear"), format="json"
    )
    assert reply.status_code == 201, reply.json()
    assert not any(word in json.dumps([place, reply.json()]) for word in SECRET_WORDS)
    judgment = Judgment.objects.get()
    chosen = place["shown"]["options"][1]["text"]
    assert judgment.assignment.item.payload["options"][judgment.answer["option"]] == chosen
    assert (judgment.position, judgment.channel, judgment.note) == (1, "api", "clear")
    assert reply.json()["answer"] == {"position": 1}
    assert "order" not in reply.json()


def test_the_last_item_is_followed_by_nothing(study, ada):
    client = script(ada, "judge")
    for _ in range(3):
        place = client.post("/api/v1/studies/fleet/next/").json()
        client.post(f"/api/v1/assignments/{place['id']}/judgment/", answer(0), format="json")
    assert client.post("/api/v1/studies/fleet/next/").status_code == 204


def test_R02_a_repeated_submission_is_one_judgment(study, ada):
    client = script(ada, "judge")
    place = client.post("/api/v1/studies/fleet/next/").json()
    body = answer(2)
    replies = [
        client.post(f"/api/v1/assignments/{place['id']}/judgment/", body, format="json") for _ in range(3)
    ]
    assert {reply.json()["id"] for reply in replies} == {Judgment.objects.get().pk}


def test_a_script_takes_back_by_the_rules_of_the_page_and_once(study, ada, ben):
    client = script(ada, "judge")
    place = client.post("/api/v1/studies/fleet/next/").json()
    address, first, second = f"/api/v1/assignments/{place['id']}", answer(1), answer(2, revision=1)

    def take_back(of, submission, by=client):
        body = {"of": of, "submission": submission}
        return by.post(f"{address}/take-back/", body, format="json")

    for body in (first, second):
        assert client.post(f"{address}/judgment/", body, format="json").status_code == 201
    assert "changed this answer since" in str(take_back(first["submission"], str(uuid.uuid4())).json())
    acts = [str(uuid.uuid4()) for _ in range(3)]
    replies = [take_back(second["submission"], acts[0]) for _ in range(2)]
    assert {(each.status_code, each.json()["id"], each.json()["revision"]) for each in replies} == {
        (201, Judgment.objects.last().pk, 3)
    }
    assert replies[0].json()["answer"] == {"position": 1}
    assert not any(word in replies[0].text for word in SECRET_WORDS)
    last = take_back(acts[0], acts[1])
    assert (last.json()["outcome"], last.json()["answer"]) == ("taken_back", None)
    assert take_back(acts[1], acts[2]).status_code == 409
    assert client.post("/api/v1/studies/fleet/next/").json()["revision"] == 4
    assert Judgment.objects.filter(channel="api").count() == 4
    assert take_back(acts[1], acts[2], by=script(ben, "judge")).status_code == 404
    assert take_back(acts[1], acts[2], by=script(ada, "read")).status_code == 403
    assert "submission" in client.post(f"{address}/take-back/", {"of": acts[1]}, format="json").json()


def test_R03_the_same_submission_with_another_answer_is_a_conflict(study, ada):
    client = script(ada, "judge")
    place = client.post("/api/v1/studies/fleet/next/").json()
    body = answer(2)
    client.post(f"/api/v1/assignments/{place['id']}/judgment/", body, format="json")
    changed = client.post(
        f"/api/v1/assignments/{place['id']}/judgment/", {**body, "answer": {"position": 0}}, format="json"
    )
    assert changed.status_code == 409
    assert Judgment.objects.get().position == 2


@pytest.mark.parametrize(
    "body",
    [
        {"answer": {"position": 7}},
        {"answer": {}},
        {"answer": {"position": "1, 2"}},
        {"answer": {"position": -1}},
        {"answer": {"option": 1}},
        {"answer": {"option": 1, "position": 1}},
    ],
)
def test_an_answer_is_checked_as_on_the_page(study, ada, body):
    client = script(ada, "judge")
    place = client.post("/api/v1/studies/fleet/next/").json()
    reply = client.post(
        f"/api/v1/assignments/{place['id']}/judgment/",
        {"submission": str(uuid.uuid4()), **body},
        format="json",
    )
    assert reply.status_code == 400
    assert "position" in reply.json()
    assert not Judgment.objects.exists()


@pytest.mark.parametrize("field", ["is_gold", "annotator", "created", "study", "is_staff"])
def test_A05_a_field_nobody_asked_for_is_refused(study, ada, field):
    client = script(ada, "judge")
    place = client.post("/api/v1/studies/fleet/next/").json()
    reply = client.post(
        f"/api/v1/assignments/{place['id']}/judgment/", answer(1, **{field: 1}), format="json"
    )
    assert reply.status_code == 400
    assert field in reply.json()
    assert not Judgment.objects.exists()


def test_another_readers_place_is_not_there(study, ada, ben):
    place = script(ada, "judge").post("/api/v1/studies/fleet/next/").json()
    reply = script(ben, "judge").post(
        f"/api/v1/assignments/{place['id']}/judgment/", answer(1), format="json"
    )
    assert reply.status_code == 404


def test_judgments_come_in_pages_under_pseudonyms(study, dora, ada, ben):
    for reader in (ada, ben):
        client = script(reader, "judge")
        for _ in range(3):
            place = client.post("/api/v1/studies/fleet/next/").json()
            client.post(f"/api/v1/assignments/{place['id']}/judgment/", answer(1), format="json")
    client, url, seen = script(dora, "read"), "/api/v1/studies/fleet/judgments/?page_size=4", []
    while url:
        reply = client.get(url)
        assert not {"ada", "ben", "Ada", "Ben"} & set(reply.content.decode().replace('"', " ").split())
        seen += [(each["item"], each["pseudonym"]) for each in reply.json()["results"]]
        url = reply.json()["next"]
    assert sorted(seen) == [(item, name) for item in (1, 2, 3) for name in ("A", "B")]
    only_a = client.get("/api/v1/studies/fleet/judgments/?pseudonym=A").json()["results"]
    assert {each["pseudonym"] for each in only_a} == {"A"}


@pytest.mark.parametrize("query", ["annotator__user__password__startswith=a", "itme=1", "ordering=answer"])
def test_A06_an_unknown_filter_is_refused(study, dora, query):
    reply = script(dora, "read").get(f"/api/v1/studies/fleet/judgments/?{query}")
    assert reply.status_code == 400
    assert query.split("=")[0] in reply.json()


@pytest.mark.parametrize("value", ["1e99999999", "-1", "x"])
def test_a_number_in_a_filter_is_bounded(study, dora, value):
    reply = script(dora, "read").get(f"/api/v1/studies/fleet/judgments/?item={value}")
    assert reply.status_code == 400


@pytest.fixture
def shelf(stan):
    book = builders.book()
    builders.excerpt(book, builders.source())
    return book


def test_staff_launch_follow_and_cancel_a_job(shelf, stan):
    client = script(stan, "jobs")
    body = {"book": "boats", "ranker": "bm25", "parameters": {"negatives": 2, "k1": 0.9}}
    launched = client.post("/api/v1/jobs/", body, format="json")
    assert launched.status_code == 201, launched.json()
    polled = client.get(f"/api/v1/jobs/{launched.json()['id']}/").json()
    assert (polled["status"], polled["total"], polled["parameters"]["k1"]) == ("queued", 1, 0.9)
    cancelled = client.post(f"/api/v1/jobs/{launched.json()['id']}/cancel/")
    assert cancelled.json()["status"] == "cancelled"
    assert [each["id"] for each in client.get("/api/v1/jobs/?status=cancelled").json()["results"]] == [
        launched.json()["id"]
    ]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"book": "nowhere"}, "book"),
        ({"book": "boats", "ranker": "oracle"}, "parameters"),
        ({"book": "boats", "parameters": {"k1": "high"}}, "parameters"),
        ({"book": "boats", "parameters": {"negatives": 0}}, "parameters"),
    ],
)
def test_a_wrong_launch_gets_one_sentence_and_leaves_nothing(shelf, stan, body, field):
    reply = script(stan, "jobs").post("/api/v1/jobs/", body, format="json")
    assert reply.status_code == 400
    assert len(reply.json()[field]) == 1
    assert not CandidateJob.objects.exists()


def test_A08_scholars_read_jobs_and_texts_and_only_staff_launch(shelf, dora, ada):
    """With `corpora`, or with `jobs`, which was the scope of books before; not with `read`."""
    for name in ("jobs", "books", "sources"):
        for person, status in ((dora, 200), (ada, 403)):
            for scope in ("corpora", "jobs"):
                assert script(person, scope).get(f"/api/v1/{name}/").status_code == status
        assert script(dora, "read").get(f"/api/v1/{name}/").status_code == 403
    for person in (dora, ada):
        said = script(person, "jobs").post("/api/v1/jobs/", {"book": "boats"}, format="json")
        assert (said.status_code, said.json()["detail"][:10]) == (403, "Only staff")
    (source,) = script(dora, "corpora").get("/api/v1/sources/").json()["results"]
    assert (source["slug"], "text" in source) == ("critic", False)


def test_a_claim_finds_passages_with_their_places(shelf, dora):
    reply = script(dora, "search").get("/api/v1/books/boats/search/?claim=the+tarred+boats&size=2&k=3")
    assert reply.status_code == 200
    found = reply.json()
    assert len(found) == 3
    assert found[0]["text"] == shelf.passage(found[0]["first"], 2)
    assert (found[0]["rank"], found[0]["size"], found[0]["heading"]) == (1, 2, "")
    assert [each["score"] for each in found] == sorted((each["score"] for each in found), reverse=True)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("", "claim"),
        ("claim=", "claim"),
        ("claim=zeppelin", "claim"),
        ("claim=boats&size=0", "size"),
        ("claim=boats&size=21", "size"),
        ("claim=boats&k=201", "k"),
        ("claim=boats&k=many", "k"),
        ("claim=boats&ranker=oracle", "claim"),
        ("claim=boats&sise=2", "sise"),
        ("claim=boats&page_size=2", "page_size"),
    ],
)
def test_a_search_is_strict_and_says_one_sentence(shelf, dora, query, field):
    reply = script(dora, "search").get(f"/api/v1/books/boats/search/?{query}")
    assert reply.status_code == 400
    assert list(reply.json()) == [field]
    assert len(reply.json()[field]) == 1


def test_A08_only_scholars_with_the_scope_search(shelf, dora, stan, ada):
    path = "/api/v1/books/boats/search/?claim=boats"
    assert script(stan, "search").get(path).status_code == 200
    assert script(stan, "jobs").get(path).status_code == 403
    assert script(dora, "search").post(path).status_code == 405
    foreign, unknown = (
        script(ada, "search").get(each) for each in (path, "/api/v1/books/ships/search/?claim=boats")
    )
    assert (foreign.status_code, foreign.content) == (403, unknown.content)
    assert script(dora, "search").get("/api/v1/books/ships/search/?claim=boats").status_code == 404


def test_a_session_needs_a_csrf_token_to_change_anything(shelf, stan):
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(stan)
    assert client.get("/api/v1/jobs/").status_code == 200
    assert client.post("/api/v1/jobs/", {"book": "boats"}, format="json").status_code == 403


@pytest.mark.parametrize("body", ['{"submission": NaN}', "{", "[]"])
def test_broken_json_is_refused(study, ada, body):
    client = script(ada, "judge")
    place = client.post("/api/v1/studies/fleet/next/").json()
    reply = client.post(f"/api/v1/assignments/{place['id']}/judgment/", body, content_type="application/json")
    assert reply.status_code == 400


def test_a_script_reads_trainings_with_their_losses_and_cards(stan, dora):
    done = builders.finished_training(builders.book())
    client = script(stan, "jobs")
    read = client.get(f"/api/v1/trainings/{done.pk}/").json()
    assert read["books"] == [
        {"book": "boats", "split": "train", "sha256": builders.Book.objects.get().sha256}
    ]
    assert (read["curve"], read["checkpoint"]) == (done.curve, done.made.sha256)
    assert (read["card"]["best_epoch"], read["toy"], read["status"]) == (2, True, "done")
    assert client.get("/api/v1/trainings/?name=other").json()["results"] == []
    with CaptureQueriesContext(connection) as asked:
        assert [each["id"] for each in client.get("/api/v1/trainings/").json()["results"]] == [done.pk]
    assert not any('"retrieval_book"."text"' in each["sql"] for each in asked.captured_queries)
    assert script(dora, "jobs").get("/api/v1/trainings/").status_code == 403
    assert script(stan, "read").get("/api/v1/trainings/").status_code == 403


def test_a_script_follows_searches_for_quotations(stan, dora):
    book, source = builders.book(), builders.source()
    job = jobs.submit_search(book, source, by=stan)
    client = script(stan, "jobs")
    read = client.get(f"/api/v1/loadings/{job.pk}/").json()
    assert (read["work"], read["book"], read["source"]) == ("find", "boats", "critic")
    assert (read["status"], read["done"], read["total"]) == ("queued", 0, 0)
    assert client.get("/api/v1/loadings/?work=book").json()["results"] == []
    (only,) = client.get("/api/v1/loadings/?source=critic").json()["results"]
    assert only == read
    assert client.post("/api/v1/loadings/", {}, content_type="application/json").status_code == 405
    assert script(dora, "jobs").get("/api/v1/loadings/").status_code == 403
    assert script(stan, "read").get("/api/v1/loadings/").status_code == 403


def test_a_job_tells_the_sha256_of_the_models_it_ranks_with(stan):
    book = builders.book()
    job = builders.finished_job(book, [builders.excerpt(book, builders.source())])
    client = script(stan, "jobs")
    assert client.get(f"/api/v1/jobs/{job.pk}/").json()["checkpoints"] == {}
    CandidateJob.objects.update(parameters={**job.parameters, "checkpoint": "toy"}, checkpoint="c" * 64)
    assert client.get(f"/api/v1/jobs/{job.pk}/").json()["checkpoints"] == {"toy": "c" * 64}


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the bounds of integers are the database's own")
def test_the_schema_is_the_one_that_was_reviewed(client):
    """After a wanted change: manage.py spectacular --file docs/openapi.yaml, and read the difference."""
    served = client.get("/api/v1/schema/").content.decode()
    assert served == (ROOT / "docs/openapi.yaml").read_text()


@pytest.mark.parametrize("query", ["?kind=work&kind=check", "?kind=work&kind=work", "?kind=work&kind="])
def test_A06_a_filter_given_twice_is_refused(study, dora, query):
    """The last was taken: a script that wanted both kinds got one of them."""
    refused = script(dora, "read").get(f"/api/v1/studies/fleet/items/{query}")
    assert (refused.status_code, list(refused.json())) == (400, ["kind"])
    assert refused.json()["kind"] == ["It is given more than once, and can be taken once."]


def test_every_wrong_parameter_is_named(study, dora):
    refused = script(dora, "read").get("/api/v1/studies/fleet/items/?kind=work&kind=check&knd=work")
    assert (refused.status_code, sorted(refused.json())) == (400, ["kind", "knd"])


def test_what_the_schema_calls_an_array_may_be_repeated(study, dora):
    found = script(dora, "read").get("/api/v1/studies/fleet/citation/?author=Austen,+Jane&author=Helm,+W.")
    assert found.status_code == 200
    assert "Jane" in found.text
    assert "Helm" in found.text


def test_the_schema_is_written_once_in_each_form(client, monkeypatch):
    kinds = ("*/*", "application/yaml", "application/json", "application/json; indent=2")
    first = [client.get("/api/v1/schema/", headers={"accept": each}) for each in kinds]
    assert [each["Content-Type"].split(";")[0] for each in first] == [
        "application/vnd.oai.openapi",
        "application/yaml",
        "application/json",
        "application/json",
    ]
    assert first[0].content == first[1].content
    assert first[2].content != first[3].content
    assert first[2].json() == first[3].json()
    for renderer in (OpenApiYamlRenderer, OpenApiJsonRenderer):
        monkeypatch.setattr(renderer, "render", lambda *_: pytest.fail("It is written again."))
    again = [client.get("/api/v1/schema/", headers={"accept": each}).content for each in kinds]
    assert again == [each.content for each in first]


def test_what_the_address_of_the_schema_refuses_is_not_the_schema(client):
    client.get("/api/v1/schema/")
    refused = client.get("/api/v1/schema/", headers={"accept": "text/html"})
    assert (refused.status_code, b"openapi" in refused.content) == (406, False)
    refused = client.post("/api/v1/schema/", headers={"accept": "application/json"})
    assert (refused.status_code, list(refused.json())) == (405, ["detail"])


def test_the_page_for_people_names_every_operation(client, db):
    page = client.get("/api/v1/").content.decode()
    for line in ("GET /api/v1/studies/", "POST /api/v1/jobs/", "POST /api/v1/assignments/{id}/judgment/"):
        assert line in page


@pytest.mark.parametrize(
    ("body", "says"),
    [
        pytest.param('{"book": "a", "book": "b"}', "'book' is written twice", id="a key twice"),
        pytest.param('{"book": NaN}', "NaN is no number", id="NaN"),
        pytest.param("[" * 50_000, "nesting has no end", id="nested without end"),
        pytest.param('{"book": ' + "9" * 6000 + "}", "parse error", id="a number without end"),
        pytest.param('{"book": ', "parse error", id="cut off"),
        pytest.param(b"\xff\xfe", "parse error", id="another encoding"),
    ],
)
def test_I02_json_that_could_be_read_two_ways_is_refused(stan, body, says):
    response = script(stan, "jobs").post("/api/v1/jobs/", body, content_type="application/json")
    assert response.status_code == 400
    assert says in response.json()["detail"]
