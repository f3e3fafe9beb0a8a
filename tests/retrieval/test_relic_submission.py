"""RELiC's submission file: what stands in it, out of a job and out of RELiC's own file."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from common.errors import BadInput
from retrieval.candidates import submission
from retrieval.candidates.pipeline import attempt
from retrieval.candidates.submitting import submit
from retrieval.engine.ranking import rankers
from retrieval.engine.text import relic
from retrieval.loading import import_relic
from retrieval.management.commands import relic_submission
from retrieval.models import Candidate, CandidateJob, Checkpoint, Excerpt, Status
from tests import builders

WORDS = "lamp rope boat bell net oar sail mast keel tide buoy crane".split()
PLACES = "wall door quay stair gate road field river bridge tower".split()
SENTENCES = [f"The {word} stood by the {place}. " for word in WORDS for place in PLACES]


def starts(n, step=1):
    return {f"{size}_sentence": list(range(0, n - size + 1, step)) for size in range(1, 6)}


def books(hidden=False, **changes):
    """A book of 120 sentences with two quotations, of one and of two sentences."""
    quotes = {
        "q1": [["The critic has the bell in mind,", "and the bridge:"], 38, 1, ["No more."]],
        "q2": [["Of the keel it is said:"], 84, 2, ["And of the road by the stair."]],
    }
    if hidden:
        for quote in quotes.values():
            quote[1] = None
    return {"the_quay": {"sentences": SENTENCES, "quotes": quotes, "candidates": starts(120), **changes}}


def parsed(**changes):
    return relic.parse(json.dumps(books(**changes)), "relic.json")


def of_file(found, ranker="bm25", **options):
    ranked = {}
    for each in submission.of_file(found, rankers.get(ranker), {}, **options):
        ranked |= each
    return ranked


def finished(book, **parameters):
    job = submit(book, ranker="bm25", parameters=parameters)
    assert attempt(job.pk, "me")
    return CandidateJob.objects.get(pk=job.pk)


def test_the_hundred_best_starts_of_each_quotation_best_first():
    found = of_file(parsed())
    assert {name: len(best) for name, best in found.items()} == {"q1": 100, "q2": 100}
    assert all(len(set(best)) == 100 for best in found.values())
    assert found["q1"][0] == 38
    assert found["q2"][0] in {82, 83}
    assert max(found["q2"]) <= 118


def test_a_file_that_hides_the_starts_is_ranked_as_the_one_that_has_them():
    assert of_file(parsed(hidden=True)) == of_file(parsed())


def test_only_starts_that_the_file_lists_are_named():
    found = of_file(parsed(hidden=True, candidates=starts(120, step=7)))
    assert all(start % 7 == 0 for best in found.values() for start in best)
    assert {len(best) for best in found.values()} == {18, 17}


def test_what_was_ranked_before_is_not_ranked_again():
    assert of_file(parsed(), known={"q1": [5], "elsewhere": [1]})["q1"] == [5]


def test_an_id_in_two_books_and_an_empty_context_are_refused():
    twice = {**books(), "another_quay": books()["the_quay"]}
    with pytest.raises(BadInput, match=r"'q1' stands in 'the_quay' and in 'another_quay'"):
        of_file(relic.parse(json.dumps(twice), "relic.json"))
    with pytest.raises(BadInput, match="left and right are both 0"):
        of_file(parsed(), left=0, right=0)


@pytest.mark.django_db
def test_a_job_is_ranked_again_as_it_was():
    (imported,) = import_relic(json.dumps(books()).encode(), name="relic.json")
    job = finished(imported.book, left=1, right=1, negatives=3)
    found = submission.of_job(job)
    assert found == of_file(parsed(), left=1, right=1)
    for excerpt in Excerpt.objects.all():
        gold = Candidate.objects.get(job=job, excerpt=excerpt, is_gold=True)
        assert found[excerpt.external_id].index(excerpt.first) + 1 == gold.rank


@pytest.mark.django_db
def test_an_import_says_which_quotes_are_hidden():
    (imported,) = import_relic(json.dumps(books(hidden=True)).encode(), name="relic.json")
    assert imported.new == 0
    assert any("hides their place: 2" in remark for remark in imported.remarks)


@pytest.mark.django_db
def test_a_job_that_is_not_done_has_none():
    book = builders.book()
    job = builders.finished_job(book, [builders.excerpt(book, builders.source())])
    CandidateJob.objects.update(status=Status.QUEUED)
    job.refresh_from_db()
    with pytest.raises(BadInput, match="is not done but"):
        submission.of_job(job)


def command(*arguments, **options):
    err = StringIO()
    call_command("relic_submission", *arguments, stderr=err, **options)
    return err.getvalue()


def test_the_command_writes_the_file_whole_and_goes_on_where_it_stopped(tmp_path, monkeypatch):
    source, output = tmp_path / "test.json", tmp_path / "submission.json"
    second = {"another_quay": books()["the_quay"]}
    second["another_quay"]["quotes"] = {
        "z" + name: quote for name, quote in books()["the_quay"]["quotes"].items()
    }
    source.write_text(json.dumps({**books(hidden=True), **second}))
    whole, ranked = submission._ranked, []

    def stopped(found, *others):
        if ranked:
            raise KeyboardInterrupt
        ranked.append(found)
        return whole(found, *others)

    monkeypatch.setattr(submission, "_ranked", stopped)
    with pytest.raises(CommandError, match="Stopped"):
        command(file=str(source), output=output)
    assert not output.exists()
    (part,) = tmp_path.glob(".submission.json.*.part")
    with part.open("a") as file:
        file.write('{"zq1": [1, 2')
    asked = []

    def counted(found, *others):
        asked.extend(each.name for each in found.asked)
        return whole(found, *others)

    monkeypatch.setattr(submission, "_ranked", counted)
    assert "4 quotations" in command(file=str(source), output=output)
    assert asked == ["zq1", "zq2"]
    assert json.loads(output.read_text()) == of_file(relic.parse(source.read_bytes(), "test.json"))
    assert not list(tmp_path.glob(".submission*"))


def test_what_another_model_or_another_version_ranked_is_not_gone_on_with(tmp_path, monkeypatch):
    source, output = tmp_path / "test.json", tmp_path / "submission.json"
    source.write_text(json.dumps(books(hidden=True)))
    parts = set()

    def stopped(*_):
        raise KeyboardInterrupt

    def started(model, version):
        frozen = submission.freezing.freeze
        with monkeypatch.context() as patched:
            patched.setattr(
                submission.freezing, "freeze", lambda *given: frozen(*given)._replace(checkpoint=model)
            )
            patched.setattr(relic_submission, "code_version", lambda: version)
            patched.setattr(relic_submission, "Kept", kept)
            patched.setattr(submission, "_ranked", stopped)
            with pytest.raises(CommandError, match="Stopped"):
                command(file=str(source), output=output)

    def kept(path, of):
        parts.add(of)
        return whole(path, of)

    whole = relic_submission.Kept
    for model, version in (
        (None, "1"),
        (None, "2"),
        (Checkpoint(sha256="a"), "1"),
        (Checkpoint(sha256="b"), "1"),
    ):
        started(model, version)
        started(model, version)
    assert len(parts) == 4


def test_the_command_says_where_lists_are_short(tmp_path):
    source = tmp_path / "test.json"
    source.write_text(json.dumps(books(candidates=starts(120, step=7), hidden=True)))
    said = command(file=str(source), output=tmp_path / "out.json")
    assert "2 of them with fewer than 100 candidates" in said


@pytest.mark.django_db
def test_the_command_refuses_what_is_not_there(tmp_path):
    with pytest.raises(CommandError, match="There is no job 7"):
        command(job=7, output=tmp_path / "out.json")
    assert not list(tmp_path.iterdir())
