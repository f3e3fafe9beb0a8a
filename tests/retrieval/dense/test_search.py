"""Evidence search with rankers that encode: on a page, in a script, and the job that makes the vectors."""

import re
import threading
from datetime import timedelta
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.people.tokens import issue
from common.errors import BadInput
from retrieval import tasks
from retrieval.dense import checkpoints, encoding_heartbeat, encoding_jobs
from retrieval.engine.dense import ranker
from retrieval.engine.dense.progress import EncodingProgress
from retrieval.engine.dense.settings import Settings
from retrieval.engine.ranking import order
from retrieval.engine.text.passages import texts
from retrieval.jobs import attempts, queue
from retrieval.models import Checkpoint, EncodingJob, Status
from retrieval.search import evidence
from tests import builders
from tests.retrieval.dense.later import dense_encoder, torch

pytestmark = pytest.mark.django_db
URL, CLAIM = "/books/boats/search/", "silent lamps before the crooked morning"
HTMX = {"HX-Request": "true"}


LONG = 120.0  # seconds, of which a busy machine may need many


@pytest.fixture(autouse=True)
def private(settings, tmp_path, monkeypatch):
    settings.DATA_DIR, settings.DEVICE = tmp_path, "cpu"
    monkeypatch.setattr(evidence, "LONGEST_WAIT", LONG)
    monkeypatch.setattr(evidence, "LONGEST_ENCODING", LONG)
    evidence._unanswered.clear()
    ranker.opened.cache_clear()
    torch.set_num_threads(1)
    yield
    # What nobody waited for is done before the next test begins.
    evidence._encoding.submit(int).result(LONG)


@pytest.fixture
def boats():
    return builders.book()


@pytest.fixture
def toy_row(toy):
    row = checkpoints.add(toy, slug="toy")[0]
    Checkpoint.objects.update(toy=True)
    return row


@pytest.fixture
def slow(monkeypatch):
    """No book is quickly encoded."""
    monkeypatch.setattr(evidence, "LONGEST_ENCODING", -1.0)
    monkeypatch.setattr("retrieval.engine.dense.encoder.CPU_BUDGET", 32)


def kept(settings):
    return sorted((settings.DATA_DIR / "vectors").glob("*.npy"))


def encoded(boats, size=1, spec="dense:toy"):
    job = encoding_jobs.submit(boats, spec, size)
    assert encoding_jobs.attempt(job.pk, "one")
    job.refresh_from_db()
    return job


def expected(toy, boats, size=1):
    """Positions by the vectors themselves."""
    encoder = dense_encoder.Encoder(toy, Settings(), asked="cpu")
    vectors = encoder.quotations(list(texts(boats.text, boats.bounds(), size)))
    scores = vectors.astype(np.float16).astype(np.float32) @ encoder.contexts([CLAIM])[0]
    return order.top(scores.astype(np.float64), 5).tolist()


@pytest.mark.parametrize("size", [1, 2])
def test_a_small_book_is_encoded_while_one_waits_and_the_vectors_are_kept(
    toy, toy_row, boats, settings, size
):
    hits = evidence.search(boats, CLAIM, ranker="dense:toy", size=size, k=5, overlapping=True)
    assert [hit.first for hit in hits] == expected(toy, boats, size)
    assert [hit.rank for hit in hits] == [1, 2, 3, 4, 5]
    (file,) = kept(settings)
    written = file.stat().st_mtime_ns
    assert evidence.search(boats, CLAIM, ranker="dense:toy", size=size, k=5, overlapping=True) == hits
    assert file.stat().st_mtime_ns == written


def test_words_the_book_does_not_know_are_no_fault_for_encoders(toy_row, boats):
    assert evidence.search(boats, "zeppelin", ranker="dense:toy")
    assert evidence.search(boats, "zeppelin", ranker="hybrid:toy")
    assert evidence.search(boats, "zeppelin", ranker="late:toy")
    with pytest.raises(BadInput, match="No word of the claim occurs"):
        evidence.search(boats, "zeppelin")


def test_vectors_of_another_precision_or_device_will_do(toy_row, boats, settings, slow, monkeypatch):
    job = EncodingJob.objects.create(
        book=boats, size=1, ranker="dense", checkpoint=toy_row.sha256, total=boats.n_sentences,
        parameters={"checkpoint": "toy", "precision": "bf16"},
    )  # fmt: skip
    assert encoding_jobs.attempt(job.pk, "one")
    assert len(evidence.search(boats, CLAIM, ranker="dense:toy", k=3)) == 3
    assert len(kept(settings)) == 1
    kept(settings)[0].write_bytes(b"half a file")
    with pytest.raises(evidence.NotEncoded):
        evidence.search(boats, CLAIM, ranker="dense:toy")


def test_a_long_book_says_what_is_missing_and_keeps_nothing(toy_row, boats, settings, slow):
    with pytest.raises(evidence.NotEncoded, match=r"The 24 passages have not .* about \d+ \w+ here"):
        evidence.search(boats, CLAIM, ranker="dense:toy")
    assert not kept(settings)


def test_patience_is_measured_in_tokens_and_spent_only_on_encoding(monkeypatch):
    monkeypatch.setattr(evidence, "LONGEST_ENCODING", 4.0)
    now = iter([0.0, 1.0, 2.0])
    tell = evidence._patient(lambda: next(now))
    tell(EncodingProgress("Comparing", 1, 100, 10, 10**9))
    tell(EncodingProgress("Encoding", 1, 100, 10, 350))
    tell(EncodingProgress("Encoding", 2, 100, 110, 350))
    with pytest.raises(evidence.NotEncoded, match=r"The 100 passages .* about 80 s here"):
        tell(EncodingProgress("Encoding", 3, 100, 210, 8210))


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("dense:nobody", "There is no checkpoint 'nobody'; choose one of: toy"),
        ("bm25:toy", "The ranker bm25 takes no checkpoint; write bm25 alone"),
        ("oracle", "There is no ranker called 'oracle'"),
    ],
)
def test_an_unknown_ranker_or_checkpoint_is_named(toy_row, boats, spec, says):
    with pytest.raises(BadInput, match=says):
        evidence.search(boats, CLAIM, ranker=spec)


def test_the_page_names_who_answered_and_calls_a_toy_a_toy(as_user, dora, toy_row, boats):
    page = as_user(dora).get(URL, {"claim": CLAIM, "ranker": "dense:toy"})
    text = page.content.decode()
    assert "Ranked by Dense encoders · toy (toy model)." in text
    assert "says nothing" in text
    assert '<option value="dense:toy" selected>Dense encoders · toy (toy model)</option>' in text
    text = as_user(dora).get(URL, {"claim": CLAIM}).content.decode()
    assert "Ranked by BM25." in text
    assert "says nothing" not in text


def test_a_script_is_told_what_to_do(client, dora, toy_row, boats, slow):
    _, written = issue(dora, "hers", ["search"], timezone.now() + timedelta(days=1))
    asked = {"claim": CLAIM, "ranker": "dense:toy"}
    reply = client.get("/api/v1/books/boats/search/", asked, headers={"Authorization": f"Bearer {written}"})
    assert reply.status_code == 400
    assert "manage.py encode_book" in reply.json()["ranker"][0]


def test_a_model_that_loads_for_long_is_waited_for_by_asking_again(
    as_user, client, dora, toy_row, boats, monkeypatch
):
    loaded, opened = threading.Event(), ranker.opened
    monkeypatch.setattr(evidence, "LONGEST_WAIT", 0.05)
    monkeypatch.setattr(ranker, "opened", lambda *given: loaded.wait(LONG) and opened(*given))
    browser, asked = as_user(dora), {"claim": CLAIM, "size": 1, "ranker": "dense:toy"}
    page = browser.get(URL, asked, headers=HTMX)
    text = page.content.decode()
    assert page.status_code == 200
    assert "The model is being loaded, or is at work on another search." in text
    again = re.search(r'hx-get="([^"]+)" hx-trigger="load delay:1s" hx-target="#found"', text)[1]
    assert '<div id="status" hx-swap-oob="innerHTML">One moment: the model is being loaded.</div>' in text
    _, written = issue(dora, "hers", ["search"], timezone.now() + timedelta(days=1))
    script = {"Authorization": f"Bearer {written}"}
    assert client.get("/api/v1/books/boats/search/", asked, headers=script).status_code == 503
    loaded.set()
    monkeypatch.setattr(evidence, "LONGEST_WAIT", LONG)
    found = browser.get(again.replace("&amp;", "&"), headers=HTMX).context["hits"]
    assert len(found) == 20


def test_a_refusal_that_came_too_late_is_told_to_who_asks_again(toy_row, boats, slow, monkeypatch):
    begun, go_on, opened = [], threading.Event(), ranker.opened

    def slowly(*given):
        begun.append(given)
        assert go_on.wait(LONG)
        return opened(*given)

    monkeypatch.setattr(evidence, "LONGEST_WAIT", 0.05)
    monkeypatch.setattr(ranker, "opened", slowly)
    for _ in range(2):
        with pytest.raises(evidence.NotLoaded):
            evidence.search(boats, CLAIM, ranker="dense:toy")
    go_on.set()
    monkeypatch.setattr(evidence, "LONGEST_WAIT", LONG)
    with pytest.raises(evidence.NotEncoded):
        evidence.search(boats, CLAIM, ranker="dense:toy")
    assert len(begun) == 1
    assert not evidence._unanswered
    monkeypatch.setattr(evidence, "LONGEST_WAIT", 0.0)
    monkeypatch.setattr(evidence, "MOST_UNANSWERED", 2)
    go_on.clear()
    for n in range(4):
        with pytest.raises(evidence.NotLoaded):
            evidence.search(boats, f"lamp {n}", ranker="dense:toy")
    assert len(evidence._unanswered) == 2
    go_on.set()


class TestEncodedByAJob:
    def test_from_the_page_to_the_passages(self, as_user, stan, toy_row, boats, slow):
        browser, asked = as_user(stan), {"claim": CLAIM, "size": 2, "ranker": "dense:toy"}
        page = browser.get(URL, asked)
        text = page.content.decode()
        assert page.status_code == 200
        assert "The 23 passages have not been encoded by this ranker yet" in text
        assert "claim=silent+lamps+before+the+crooked+morning&amp;size=2&amp;ranker=bm25" in text
        back = browser.post("/books/boats/encode/", asked)
        assert (
            back["Location"]
            == f"{URL}?claim=silent+lamps+before+the+crooked+morning&size=2&ranker=dense%3Atoy"
        )
        job = EncodingJob.objects.get()
        assert (job.size, job.total, job.checkpoint, job.created_by) == (2, 23, toy_row.sha256, stan)
        text = browser.get(back["Location"]).content.decode()
        assert "The passages are being encoded" in text
        poll = f"/encodings/{job.pk}/progress/?{back['Location'].partition('?')[2]}"
        assert poll.replace("&", "&amp;") in text
        state = browser.get(poll, headers=HTMX)
        assert "It begins as soon as a worker is free" in state.content.decode()
        assert browser.get(poll, headers={**HTMX, "If-None-Match": state["ETag"]}).status_code == 304
        assert browser.get(poll)["Location"] == back["Location"]
        assert browser.post("/books/boats/encode/", asked)
        assert EncodingJob.objects.count() == 1
        assert tasks.computing("encoding").attempt(job.pk, "one")
        found = browser.get(poll, headers=HTMX)
        assert found["HX-Retarget"] == "#found"
        assert found.context["hits"] == evidence.search(boats, CLAIM, ranker="dense:toy", size=2)

    def test_a_researcher_is_told_whom_to_ask(self, as_user, dora, toy_row, boats, slow):
        text = as_user(dora).get(URL, {"claim": CLAIM, "ranker": "dense:toy"}).content.decode()
        assert "A member of staff can have them encoded" in text
        assert '<button class="button primary">Encode' not in text
        assert (
            as_user(dora).post("/books/boats/encode/", {"ranker": "dense:toy", "size": 1}).status_code == 404
        )

    def test_cancelled_failed_and_refused(self, as_user, stan, toy_row, boats, slow, settings):
        browser, asked = as_user(stan), {"claim": CLAIM, "size": "1", "ranker": "dense:toy"}
        browser.post("/books/boats/encode/", asked)
        job = EncodingJob.objects.get()
        claimed = queue.claim(job.pk, "one", EncodingJob)
        browser.post(f"/encodings/{job.pk}/cancel/", asked)
        with pytest.raises(attempts.LeaseLost):
            encoding_jobs.run(claimed)
        assert not kept(settings)
        assert "The last encoding was cancelled." in browser.get(URL, asked).content.decode()
        assert (
            "had ended before"
            in browser.post(f"/encodings/{job.pk}/cancel/", asked, follow=True).content.decode()
        )
        Checkpoint.objects.update(sha256="0" * 64)
        assert encoded(boats).status == Status.FAILED
        Checkpoint.objects.update(sha256=toy_row.sha256)
        assert (
            "It failed:</strong> The checkpoint in toy has changed"
            in browser.get(URL, asked).content.decode()
        )
        for wrong in ({"size": "x"}, {"size": "25"}, {"ranker": "bm25"}, {"ranker": "dense:none"}):
            browser.post("/books/boats/encode/", asked | wrong)
        assert EncodingJob.objects.count() == 2

    def test_a_stopped_encoding_begins_again(self, toy_row, boats, settings, monkeypatch):
        monkeypatch.setattr("retrieval.engine.dense.encoder.CPU_BUDGET", 32)
        monkeypatch.setattr(encoding_heartbeat, "BEAT", 0.0)
        job = encoding_jobs.submit(boats, "late:toy", 1)
        assert encoding_jobs.attempt(job.pk, "one", go_on=lambda job: job.done < 5)
        job.refresh_from_db()
        assert (job.status, job.attempts) == (Status.QUEUED, 0)
        assert "tokens a second" in job.stage
        assert encoding_jobs.attempt(job.pk, "two")
        job.refresh_from_db()
        assert (job.status, job.done) == (Status.DONE, 24)
        assert len(kept(settings)) == 1

    def test_by_command(self, toy_row, boats):
        out = StringIO()
        call_command("encode_book", "--book=boats", "--ranker=dense:toy", "--size=3", stdout=out, stderr=out)
        assert "Encoded: 22 passages; search them at /books/boats/search/" in out.getvalue()
        with pytest.raises(CommandError, match="The ranker bm25 encodes no passages"):
            call_command("encode_book", "--book=boats", "--ranker=bm25")
        with pytest.raises(CommandError, match="The size is 25; it must be from 1 to 20"):
            call_command("encode_book", "--book=boats", "--ranker=dense:toy", "--size=25")
