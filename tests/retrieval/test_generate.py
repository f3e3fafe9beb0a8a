"""`manage.py generate`: with a worker, without one, and interrupted."""

from dataclasses import asdict
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from retrieval.candidates import pipeline, submitting
from retrieval.engine.ranking import bm25
from retrieval.engine.ranking.matching import OFF, Matching
from retrieval.jobs import queue, workers
from retrieval.management import following
from retrieval.models import CandidateJob, Status
from tests import builders

pytestmark = pytest.mark.django_db


def run(*arguments, **options):
    out, err = StringIO(), StringIO()
    call_command("generate", *arguments, stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


def test_queues_a_job_with_everything_asked_for_and_says_that_nobody_works(boats):
    out, _ = run(
        "--book=boats", "--negatives=3", "--size=1", "--left=2", "--right=1", "--set=k1=0.9", "--set", "b=0.4"
    )
    job = CandidateJob.objects.get()
    asked = {name: value for name, value in job.parameters.items() if name not in ("rules", "matching")}
    assert asked == {"negatives": 3, "size": 1, "left": 2, "right": 1, "k1": 0.9, "b": 0.4}
    assert job.status == Status.QUEUED
    assert f"Job {job.pk}: bm25 on boats, 3 excerpts." in out
    assert "No worker is there for the queue cpu" in out
    assert f"generate --resume {job.pk} --wait" in out


def test_rules_can_be_switched_off(boats):
    run("--book=boats", "--without=overlap", "--without", "near_duplicate", "--run=12")
    rules = CandidateJob.objects.get().parameters["rules"]
    assert {name for name, on in rules.items() if on is False} == {"overlap", "near_duplicate"}
    assert rules["run"] == 12
    with pytest.raises(CommandError, match="invalid choice: 'gold'"):
        run("--book=boats", "--without=gold")


def test_what_negatives_share_with_the_gold_can_be_switched_off(boats):
    run("--book=boats", "--unmatched=length", "--unmatched", "dialogue", "--band=1.3")
    run("--book=boats", "--unmatched=all")
    some, none = (job.parameters["matching"] for job in CandidateJob.objects.order_by("pk"))
    assert some == asdict(Matching(length=False, dialogue=False, band=1.3))
    assert none == asdict(OFF)
    with pytest.raises(CommandError, match="A pool is not matched"):
        run("--book=boats", "--pool=10", "--unmatched=case")


def test_what_matching_cost_is_printed(boats):
    out, _ = run("--book=boats", "--wait")
    assert "Wrong options look like the right one: the mean rank of an excerpt’s is" in out
    assert "The ranker’s best" in out
    assert "Length alone" in out
    assert "All begin alike: capital or small letter" in out
    bare, _ = run("--book=boats", "--unmatched=all", "--wait")
    assert "look like" not in bare


def test_says_nothing_of_workers_when_one_is_there(boats):
    workers.report("one", ["cpu"])
    out, _ = run("--book=boats")
    assert "No worker" not in out


def test_wait_works_here_when_no_worker_is_there(boats):
    out, err = run("--book=boats", "--wait")
    job = CandidateJob.objects.get()
    assert (job.status, job.done) == (Status.DONE, 3)
    assert "No worker is there for the queue cpu: working here." in err
    assert "Done: 9 candidates for 3 excerpts." in out


def test_wait_follows_the_worker_that_is_there(boats, monkeypatch):
    workers.report("one", ["cpu"])
    polls = []

    def a_moment_passes(seconds):
        polls.append(seconds)
        pipeline.attempt(CandidateJob.objects.get().pk, "one")

    monkeypatch.setattr(following.time, "sleep", a_moment_passes)
    out, err = run("--book=boats", "--wait")
    assert polls == [following.POLL_SECONDS]
    assert "working here" not in err
    assert "Done: 9 candidates for 3 excerpts." in out


def test_ctrl_c_leaves_a_job_that_can_be_resumed(boats, monkeypatch):
    monkeypatch.setattr(pipeline.run, "__kwdefaults__", {**pipeline.run.__kwdefaults__, "chunk": 1})
    scores, calls = bm25.Bm25Index.scores, iter(range(10))

    def interrupted(self, queries):
        if next(calls) == 2:
            raise KeyboardInterrupt
        return scores(self, queries)

    monkeypatch.setattr(bm25.Bm25Index, "scores", interrupted)
    with pytest.raises(CommandError, match=r"Stopped at 2 of 3\. Nothing is lost") as stopped:
        run("--book=boats", "--wait")
    assert stopped.value.returncode == 130
    job = CandidateJob.objects.get()
    assert (job.status, job.attempts, job.done) == (Status.QUEUED, 0, 2)
    out, _ = run(f"--resume={job.pk}", "--wait")
    assert "Done: 9 candidates for 3 excerpts." in out
    assert CandidateJob.objects.count() == 1


def test_a_job_that_fails_for_good_ends_the_command_with_the_cause(boats, monkeypatch, settings):
    settings.JOB_MAX_ATTEMPTS = 1
    monkeypatch.setattr(bm25.Bm25Ranker, "prepare", lambda *_: 1 / 0)
    with pytest.raises(CommandError, match="failed in attempt 1: ZeroDivisionError: division by zero"):
        run("--book=boats", "--wait")


def test_a_job_cancelled_while_it_waits_ends_the_command(boats, monkeypatch):
    workers.report("one", ["cpu"])
    monkeypatch.setattr(following.time, "sleep", lambda _: queue.cancel(CandidateJob.objects.get().pk))
    with pytest.raises(CommandError, match="was cancelled at 0 of 3"):
        run("--book=boats", "--wait")


def test_an_unknown_book_is_answered_with_the_known_ones(boats):
    builders.book("lamps")
    with pytest.raises(CommandError) as wrong:
        run("--book=ships")
    assert str(wrong.value) == "There is no book 'ships'; the known books are: boats, lamps."
    assert not CandidateJob.objects.exists()


def test_without_any_book_it_says_how_to_get_one():
    with pytest.raises(CommandError, match=r"no book 'ships', nor any other: import one with manage\.py"):
        run("--book=ships")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--ranker=bm52"], "no ranker called 'bm52'"),
        (["--negatives=0"], "negatives is 0; it must be a whole number from 1 to 50"),
        (["--left=0", "--right=0"], "left and right are both 0"),
        (["--set=k1"], "'k1' is not NAME=VALUE"),
        (["--set=k1=much"], "parameter k1 is 'much'; it must be a number from"),
        (["--ranker=dense"], "No checkpoint is there yet: train one with manage"),
        (["--set=k2=1"], "no parameter 'k2'"),
        (["--set=size=2"], "Write --size instead of --set size"),
        (["--size=9"], "no excerpt with a passage of 9 sentence"),
    ],
)
def test_a_wrong_argument_is_named_and_leaves_nothing(boats, arguments, says):
    with pytest.raises(CommandError, match=says):
        run("--book=boats", *arguments)
    assert not CandidateJob.objects.exists()


def test_resume_knows_which_jobs_there_are_and_which_are_done(boats):
    with pytest.raises(CommandError, match=r"There is no job 7\."):
        run("--resume=7")
    run("--book=boats", "--wait")
    job = CandidateJob.objects.get()
    with pytest.raises(CommandError, match=f"Job {job.pk} is done already"):
        run(f"--resume={job.pk}")


def test_resume_takes_a_cancelled_job_up_again(boats):
    job = submitting.submit(boats, ranker="bm25", parameters={})
    queue.cancel(job.pk)
    run(f"--resume={job.pk}", "--wait")
    job.refresh_from_db()
    assert job.status == Status.DONE
