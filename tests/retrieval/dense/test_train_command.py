"""`manage.py train_dense`: from imported books to a checkpoint that ranks, all of it offline."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from retrieval.candidates import pipeline, submitting
from retrieval.engine.dense import folder
from retrieval.engine.text.tokens import GAP
from retrieval.models import Checkpoint, Split, Status, TrainingJob
from retrieval.training import pairs
from retrieval.training import plan as training_plan
from retrieval.training.plan import Plan
from retrieval.training.progress import TrainingProgress
from tests import builders

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def private(small_toys):
    pass


def run(*arguments):
    out = StringIO()
    call_command("train_dense", *arguments, stdout=out, stderr=out)
    return out.getvalue()


SPLIT = ("--books=boats,lamps", "--validate=ships", "--name=tiny", "--batch=4", "--epochs=2")


def test_a_toy_is_trained_allowed_and_ranks(books, tmp_path):
    said = run(*SPLIT)
    row = Checkpoint.objects.get()
    assert f"Checkpoint tiny (toy model), sha256 {row.sha256}" in said
    assert said.count("Epoch ") == 2
    assert said.count("(best)") == 1
    assert folder.fingerprint(row.place) == row.sha256
    card = json.loads((row.place / "card.json").read_text())
    assert card == row.card
    assert card["toy"] is True
    assert [each["slug"] for each in card["trained_on"]["books"]] == ["boats", "lamps"]
    assert card["trained_on"]["books"][0] == {"slug": "boats", "sha256": books[0].sha256, "pairs": 6}
    assert card["start"]["name"] == "random weights"
    assert row.settings["similarity"] == card["encoder"]["similarity"] == "cosine"
    assert card["recipe"]["scale"] == 20
    out = StringIO()
    call_command("generate", "--book=ships", "--ranker=dense", "--wait", stdout=out, stderr=out)
    assert "Done: 18 candidates for 6 excerpts." in out.getvalue()
    with pytest.raises(CommandError, match="There is a checkpoint 'tiny' already"):
        run(*SPLIT)


def test_ctrl_c_keeps_whole_epochs_and_the_same_command_goes_on(books, monkeypatch, tmp_path):
    step = TrainingProgress.step

    def interrupted(self, epoch, *rest):
        if epoch == 2:
            raise KeyboardInterrupt
        step(self, epoch, *rest)

    monkeypatch.setattr(TrainingProgress, "step", interrupted)
    with pytest.raises(CommandError, match="the same command") as stopped:
        run(*SPLIT)
    assert stopped.value.returncode == 130
    assert not Checkpoint.objects.exists()
    waiting = TrainingJob.objects.get()
    assert (waiting.status, waiting.attempts, len(waiting.curve)) == (Status.QUEUED, 0, 1)
    monkeypatch.setattr(TrainingProgress, "step", step)
    with pytest.raises(CommandError, match=r"begun under the name tiny with another rate: 0\.001; repeat"):
        run(*SPLIT, "--rate=0.5")
    run(*SPLIT)
    again = Checkpoint.objects.get()
    run(*[each.replace("tiny", "whole") for each in SPLIT])
    assert again.card["curve"] == Checkpoint.objects.get(slug="whole").card["curve"]


def test_training_goes_on_from_a_checkpoint_with_the_hard_negatives_of_a_job(books, monkeypatch):
    run(*SPLIT[:3], "--batch=4", "--epochs=1")
    job = submitting.submit(books[0], ranker="bm25", parameters={})
    pipeline.attempt(job.pk, "one")
    plan = Plan("other", ("boats",), ("ships",), contexts=((1, 0),), negatives=(job.pk,))
    learned = pairs.of_split(training_plan.submit(plan), plan, Split.TRAIN)
    first = job.candidates.filter(excerpt=job.excerpts.order_by("pk")[0], is_gold=False).order_by("rank")
    assert [each.first for each in learned[0].wrong] == [row.first for row in first]
    assert learned[0].wrong[0].text == books[0].passage(first[0].first, 1)
    assert learned[0].query.endswith(GAP)
    said = run(
        "--books=boats", "--validate=ships", "--name=next", "--from=tiny", "--epochs=1", "--context=1/0",
        "--context=4/4", "--mask-overlaps", f"--negatives-from={job.pk}", "--rate=0.001",
    )  # fmt: skip
    assert "Checkpoint next (toy model)" in said
    card = Checkpoint.objects.get(slug="next").card
    assert card["start"] == {"name": "tiny", "sha256": Checkpoint.objects.get(slug="tiny").sha256}
    assert (card["contexts"], card["recipe"]["hard_negatives"]) == (["1/0", "4/4"], True)
    assert (card["trained_on"]["books"][0]["pairs"], card["recipe"]["mixing"]) == (6, "each")


def test_a_quotation_and_a_sentence_are_learned_with_contexts_of_each_size(books):
    plan = Plan("mixed", ("boats",), ("ships",), contexts=((1, 1), (4, 4)), cloze=2)
    learned = pairs.of_split(training_plan.submit(plan), plan, Split.TRAIN)
    excerpt = books[0].excerpts.order_by("pk")[0]
    assert (learned[0].query, *learned[0].others) == (excerpt.query(1, 1), excerpt.query(4, 4))
    own = learned[-1]
    before, after = (books[0].passage(first, 1) for first in (own.first - 1, own.first + 1))
    assert own.query == f"{before} {GAP} {after}"
    assert own.others[0].startswith(books[0].passage(own.first - 4, 4))
    run(*SPLIT, "--context=1/1", "--context=4/4", "--mixing=drawn", "--sub-batch=2")
    card = Checkpoint.objects.get().card
    assert (card["recipe"]["mixing"], card["recipe"]["sub_batch"]) == ("drawn", 2)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--books=boats", "--validate=boats"], "The book boats is in both splits"),
        (["--books=boots", "--validate=ships"], "no book 'boots'; the known books are: boats, empty, lamps"),
        (["--books=empty", "--validate=ships"], "'empty' has no excerpt to learn from"),
        (["--books=boats", "--validate=ships", "--epochs=0"], "epochs is 0; it must be a number from 1"),
        (["--books=boats", "--validate=ships", "--name=a b"], "name 'a b' is not possible"),
        (["--books=boats", "--validate=ships", "--from=x"], "No checkpoint is there yet"),
        (["--books=boats", "--validate=ships", "--negatives-from=9"], "There is no job 9"),
        (["--books=boats", "--validate=ships", "--context=9/9"], "'9/9' is not L/R, such as 4/4"),
        (["--books=boats", "--validate=ships", "--context-tokens=500"], "reads 258 at most"),
    ],
)
def test_what_cannot_be_trained_is_said_in_a_sentence(books, arguments, says):
    builders.book("empty")
    with pytest.raises(CommandError, match=says):
        run("--name=tiny", *arguments)
    assert not Checkpoint.objects.exists()
