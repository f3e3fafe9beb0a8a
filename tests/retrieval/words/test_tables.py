"""What is kept of words: by the command, on the page, in the diagnosis; deleted where nothing uses it."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from common.errors import BadInput
from retrieval.candidates import submitting
from retrieval.corpora.models import Run, SearchJob
from retrieval.curating import deletion
from retrieval.engine.words.kinds import KINDS
from retrieval.models import CandidateJob, Deletion, WordTable
from retrieval.words import tables
from tests import builders
from variorum import diagnosis

pytestmark = pytest.mark.django_db


def run(*arguments):
    out = StringIO()
    call_command("add_words", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_keeps_a_file_and_says_what_it_left_out(data, file):
    path = file("vectors", "boats 1 2\nboats 3 4\nsea 1 2\n")
    said = run("vectors", str(path), "--name=sea", "--source=a harbour", "--licence=CC0")
    row = WordTable.objects.get()
    assert said.startswith(f"Added: Word vectors sea, 2 words of 2 numbers, sha256 {row.sha256}.")
    assert "1 line left out: their word was there before; the first is line 2." in said
    assert (row.kind, row.n_words, row.width, row.source, row.licence) == (
        "vectors",
        2,
        2,
        "a harbour",
        "CC0",
    )
    assert row.place.is_relative_to(data)
    assert tables.opened(row).rows(["sea"]).tolist() == [1]
    assert run("vectors", str(path), "--name=sea").startswith("Known already: Word vectors sea")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["vectors", "{file}", "--name=a b"], "The name 'a b' is not possible"),
        (["vectors", "{file}.gone", "--name=a"], "There is no file"),
        (["lemmas", "{file}", "--name=a"], "Line 1 of vectors.txt is no lemma"),
        (["vectors", "{file}", "--name=taken"], "There is a word vectors 'taken' already"),
    ],
)
def test_what_is_refused_leaves_no_row(add, file, arguments, says):
    add("vectors", "taken", "other 1 2\n")
    path = file("vectors")
    with pytest.raises(CommandError, match=says):
        run(*(each.format(file=path) for each in arguments))
    assert WordTable.objects.count() == 1


def test_a_name_is_one_of_its_kind(add):
    add("lemmas", "latin"), add("stop-list", "latin")
    assert tables.find(KINDS["lemmas"], "").slug == "latin"
    add("lemmas", "greek", "b\ta\n")
    with pytest.raises(BadInput, match=r"several lemma tables; name one of: greek, latin"):
        tables.find(KINDS["lemmas"], "")
    with pytest.raises(
        BadInput, match=r"no lemma table 'norse'; choose one of: greek, latin; or add it with .*--name norse"
    ):
        tables.find(KINDS["lemmas"], "norse")
    with pytest.raises(
        BadInput, match=r"No word vectors are here yet; add some with manage.py add_words vectors"
    ):
        tables.find(KINDS["vectors"], "")


def test_the_diagnosis_looks_at_every_table(add):
    row = add("lemmas", "english")
    assert diagnosis.words(row).ok
    (row.place / "table.tsv").write_text("boats\tship\n")
    found = diagnosis.words(row)
    assert found.ok is False
    assert "add_words lemmas FILE --name NAME" in found.detail


class TestPage:
    def test_lists_what_is_kept(self, add, as_user, dora):
        assert "None yet. Rankers of words" in as_user(dora).get("/training/").content.decode()
        add("vectors", "sea", source="a harbour", licence="CC0")
        shown = as_user(dora).get("/training/").content.decode()
        assert "Word vectors sea" in shown
        assert "a harbour, CC0" in shown
        assert "/words/" not in shown

    def test_staff_delete_what_nothing_uses(self, add, as_user, stan, django_capture_on_commit_callbacks):
        row, twin = add("stop-list", "short"), add("stop-list", "twin")
        address = f"/words/{row.pk}/delete/"
        assert address in as_user(stan).get("/training/").content.decode()
        with django_capture_on_commit_callbacks(execute=True):
            answer = as_user(stan).post(address, {"reason": "not ours"}, follow=True)
        assert "Stop list short is deleted." in answer.content.decode()
        assert Deletion.objects.get().facts["sha256"] == row.sha256
        assert twin.place.is_dir()
        with django_capture_on_commit_callbacks(execute=True):
            as_user(stan).post(f"/words/{twin.pk}/delete/", {"reason": "nor this"})
        assert not twin.place.exists()

    def test_what_a_job_ranks_with_stays(self, add, boats, as_user, stan):
        row = add("vectors", "sea")
        job = submitting.submit(boats, ranker="tfidf-emb", parameters={})
        shown = as_user(stan).get(f"/words/{row.pk}/delete/").content.decode()
        assert f"job {job.pk}" in shown
        assert as_user(stan).post(f"/words/{row.pk}/delete/", {"reason": "x"}).status_code == 422
        assert WordTable.objects.get() == row
        CandidateJob.objects.all().delete()
        assert as_user(stan).post(f"/words/{row.pk}/delete/", {"reason": "x"}).status_code == 302

    def test_what_a_run_or_a_search_of_a_corpus_uses_stays(self, add):
        row, twin = add("lemmas", "english"), add("stop-list", "short")
        builders.judged_collection()
        run = Run.objects.first()
        run.made_with = {"similarity": {"tables": {row.key: row.sha256}}}
        run.save()
        asked = {"plan": {"parameters": {"stop_list": "short"}}, "code_version": "test", "name": "later"}
        search = SearchJob.objects.create(corpus=run.corpus, topics=run.topics, **asked)
        assert deletion.why_not(row).endswith(f"what stands on it: run {run.name} of {run.corpus.slug}.")
        assert f"search {search.pk}, which has not ended" in deletion.why_not(twin)

    def test_others_cannot_delete(self, add, as_user, dora, ada):
        row = add("vectors", "sea")
        for person in (dora, ada):
            assert as_user(person).post(f"/words/{row.pk}/delete/", {"reason": "x"}).status_code in (403, 404)
        assert WordTable.objects.count() == 1
