"""build_study, open_study, invite, simulate, export: from a finished job to a file, and what they refuse."""

import csv
import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Enrolment, Invitation, Judgment, Study
from annotation.people import enrolments
from common.link_codes import code_of
from tests import builders


@pytest.fixture
def job(db):
    book = builders.book()
    source = builders.source()
    return builders.finished_job(book, [builders.excerpt(book, source, first) for first in (3, 7, 11)])


def run(*words, **options):
    out, err = StringIO(), StringIO()
    call_command(*map(str, words), stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


def build(job, *more):
    return run("build_study", "fleet", "--task", "choice", "--job", job.pk, "--seed", 7, *more)


def test_the_whole_way(job, tmp_path):
    out, _ = build(job, "--overlap", 2)
    assert "Built “fleet”, a draft with 3 items." in out
    out, _ = run("simulate", "fleet", "--annotators", 2, "--accuracy", 0.9, "--seed", 1)
    assert "“fleet” was a draft and has been opened." in out
    assert "6 simulated judgments added" in out
    out, _ = run("simulate", "fleet", "--annotators", 2, "--accuracy", 0.9, "--seed", 1)
    assert "Nothing was left to do" in out
    out, _ = run("export", "fleet", "--format", "jsonl")
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["simulated"] for row in rows] == [True] * 6
    path = tmp_path / "fleet.csv"
    _, err = run("export", "fleet", "--format", "csv", "--output", path)
    assert "Wrote 7 lines" in err
    with path.open(newline="", encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 6
    assert [each.name for each in tmp_path.iterdir()] == ["fleet.csv"]


def test_build_takes_title_researcher_and_guidelines(job, dora, tmp_path):
    path = tmp_path / "guidelines.txt"
    path.write_bytes("\ufeffRead it aloud — twice.".encode())
    build(job, "--title", "The Fleet", "--researcher", "dora", "--guidelines", path, "--contact", "Dora")
    study = Study.objects.get()
    assert (study.title, study.contact, study.overlap) == ("The Fleet", "Dora", 3)
    assert study.guidelines.get().text == "Read it aloud — twice."
    assert Enrolment.objects.get().user == dora


def test_build_takes_all_that_the_pages_set_up(job, dora, tmp_path):
    path = tmp_path / "consent.txt"
    path.write_text("You agree.", encoding="utf-8")
    asks = ("--ask-confidence", "--ask-basis", "--rate", "0.80", "--currency", "EUR")
    order = ("--filling", "breadth", "--quota", 20, "--lease", 30)
    build(job, *asks, *order, "--consent", path, "--on-withdrawal", "drop", "--researcher", "dora")
    study = Study.objects.get()
    assert (study.ask_confidence, study.ask_basis, str(study.rate), study.currency) == (
        True,
        True,
        "0.80",
        "EUR",
    )
    assert (study.filling, study.quota, study.lease_minutes) == ("breadth", 20, 30)
    assert (study.consents.get().text, study.consents.get().keeps) == ("You agree.", False)


@pytest.mark.parametrize(
    "more", [("--rate", "2"), ("--currency", "EUR"), ("--rate", "-1", "--currency", "EUR"), ("--rate", "x")]
)
def test_build_refuses_a_pay_that_is_none(job, more):
    with pytest.raises(CommandError):
        build(job, *more)
    assert not Study.objects.exists()


def test_build_names_the_study_after_the_book(job):
    build(job)
    assert Study.objects.get().title == "The Boats and its critics"


def test_build_says_what_was_left_out(job):
    job.candidates.filter(is_gold=False, excerpt=job.candidates.first().excerpt).delete()
    out, _ = build(job)
    assert "a draft with 2 items" in out
    assert "left out, too few candidates: 1" in out


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--job", "1000000000"], "no candidate job 1000000000"),
        (["--overlap", "0"], "overlap cannot be 0"),
        (["--task", "chess"], "no task “chess”"),
        (["--researcher", "nobody"], "no user 'nobody'"),
        (["--guidelines", "/nowhere/at/all"], "cannot be read"),
    ],
)
def test_build_refuses_in_one_sentence(job, more, sentence):
    with pytest.raises(CommandError, match=sentence):
        build(job, *more)
    assert not Study.objects.exists()


def test_guidelines_in_another_encoding_are_refused(job, tmp_path):
    path = tmp_path / "guidelines.txt"
    path.write_bytes("Größe".encode("latin-1"))
    with pytest.raises(CommandError, match="is not UTF-8"):
        build(job, "--guidelines", path)


def test_open_study_opens_or_says_what_is_missing(job, ada, ben, cleo):
    build(job)
    with pytest.raises(CommandError, match="has no reader, and no invitation link is valid"):
        run("open_study", "fleet")
    study = Study.objects.get()
    for user in (ada, ben, cleo):
        enrolments.enrol(study, user, "annotator")
    assert "9 readings wait" in run("open_study", "fleet")[0]
    with pytest.raises(CommandError, match="is open: only a draft"):
        run("open_study", "fleet")


def test_invite_prints_the_path_of_a_link(job, ada):
    build(job)
    out, err = run("invite", "fleet", "--seats", 2, "--days", 3)
    assert out.startswith("/join/#")
    invitation = enrolments.read(code_of(out))
    assert (invitation.seats, invitation.role) == (2, "annotator")
    assert "For 2 people" in err
    assert "For 1 person, until" in run("invite", "fleet", "--seats", 1)[1]
    with pytest.raises(CommandError, match="0 seats"):
        run("invite", "fleet", "--seats", 0)
    assert Invitation.objects.count() == 2


@pytest.mark.parametrize("command", ["open_study", "invite", "export --format csv", "simulate --seed 1"])
def test_an_unknown_study_is_named_with_those_there_are(job, command):
    name, *more = command.split()
    with pytest.raises(CommandError, match="no study 'fleet'; build_study makes one"):
        run(name, "fleet", *more)
    build(job)
    with pytest.raises(CommandError, match="no study 'flet'; known: fleet"):
        run(name, "flet", *more)


def test_simulate_refuses_in_one_sentence(job):
    build(job)
    with pytest.raises(CommandError, match="not a probability"):
        run("simulate", "fleet", "--accuracy", 87, "--seed", 1)
    assert not Judgment.objects.exists()


def test_a_file_that_cannot_be_written_leaves_the_old_one_and_no_part(job, tmp_path, monkeypatch):
    build(job, "--overlap", 1)
    run("simulate", "fleet", "--annotators", 1, "--seed", 1)
    path = tmp_path / "fleet.jsonl"
    path.write_text("the old one")

    def full_disk(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(CommandError, match="cannot be written: No space left"):
        run("export", "fleet", "--format", "jsonl", "--output", path)
    assert path.read_text() == "the old one"
    assert [each.name for each in tmp_path.iterdir()] == ["fleet.jsonl"]
    with pytest.raises(CommandError, match="cannot be written: No such file"):
        run("export", "fleet", "--format", "jsonl", "--output", tmp_path / "no" / "folder.jsonl")
