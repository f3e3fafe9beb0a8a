"""The runs that the tables lack: which they are, how they are made, and what cannot be made."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from evaluation.allusion import missing
from retrieval.corpora.models import Corpus, Document, Run, TopicSet, TopicVersion
from tests.evaluation.allusion.verses import psalter, sermon
from tests.evaluation.allusion.workshop import topics

pytestmark = pytest.mark.django_db
WORDS = "tide lamp quay gull night guide man time keep ask the is and he shall find twice hungry".split()


@pytest.fixture(autouse=True)
def kept(settings, tmp_path):
    settings.DATA_FOLDER = tmp_path


@pytest.fixture
def there():
    corpus = psalter()
    topics(corpus)
    return corpus


def made(*more):
    out, err = StringIO(), StringIO()
    call_command("allusion_runs", "--corpus", "psalter", "--topics", "spans", *more, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_systems_are_made_on_tokens_and_lemmas_for_each_wording_and_never_twice(there):
    _, said = made("--system", "bow", "--system", "tesserae", "--wording", "manual", "--wording", "window-3")
    assert "0 runs here, 8 to make." in said
    assert Run.objects.count() == 8
    run = Run.objects.get(name="spans-bow-lemmas-window-3")
    assert run.parameters["fields"] == ["wording:window-3"]
    assert run.parameters["similarity"]["parameters"]["words"] == "lemmas"
    out, said = made("--system", "bow", "--system", "tesserae", "--wording", "manual")
    assert "4 runs here, 0 to make." in said
    assert out == ""
    assert Run.objects.count() == 8


def test_what_lacks_word_vectors_is_named_with_the_command_that_mends_it_and_the_rest_is_made(there):
    out, said = made("--wording", "manual", "--words", "tokens")
    assert 'Stored: "spans-tfidf-tokens-manual" (tfidf)' in out
    assert "Not made: WMD (tokens). The ranker wmd needs word vectors." in said
    assert "add some with manage.py add_words vectors FILE --name NAME" in said
    assert "manage.py add_words synonyms FILE --name NAME" in said
    assert {run.ranker for run in Run.objects.all()} == {"bow", "tfidf", "tesserae", "soft-cosine"}


def test_a_dry_run_names_what_would_be_made(there):
    out, _ = made("--system", "tfidf", "--words", "tokens", "--dry-run")
    assert out.split() == [f"spans-tfidf-tokens-{name}" for name in ("manual", "source", "window-3")]
    assert not Run.objects.exists()


def test_a_run_of_another_name_stands_for_its_system(there):
    made("--system", "bow", "--words", "tokens", "--wording", "manual")
    Run.objects.update(name="mine")
    assert "1 run here, 0 to make." in made("--system", "bow", "--words", "tokens", "--wording", "manual")[1]


def test_a_run_over_other_documents_stands_for_none_that_is_asked_for(there):
    Document.objects.filter(number__lt=3).update(genre="song")
    one = ("--system", "bow", "--words", "tokens", "--wording", "manual")
    for asked in (one, (*one, "--genres", "song")):
        assert "0 runs here, 1 to make." in made(*asked)[1]
        assert "1 run here, 0 to make." in made(*asked)[1]
    assert "1 run here, 0 to make." in made(*one)[1]
    assert Run.objects.count() == 2


def test_a_name_that_is_taken_by_something_else_gets_a_number(there):
    of = TopicSet.objects.get()
    Run.objects.create(corpus=there, topics=of, name="spans-bow-tokens-manual", ranker="bm25", depth=1)
    made("--system", "bow", "--words", "tokens", "--wording", "manual")
    assert Run.objects.get(ranker="bow").name == "spans-bow-tokens-manual-2"


def test_topics_without_wordings_are_asked_by_their_titles(there):
    TopicVersion.objects.update(wordings={})
    TopicSet.objects.update(wordings=[])
    made("--system", "bow", "--words", "tokens")
    assert Run.objects.get().parameters["fields"] == ["title"]
    with pytest.raises(CommandError, match="The topics have no wording “gold”; they have: none"):
        made("--wording", "gold")


def test_a_run_that_finds_nothing_does_not_keep_the_others_from_being_made(there, tmp_path):
    (tmp_path / "far.vec").write_text("quay 1 2\nnauta 2 1\n")
    call_command("add_words", "vectors", str(tmp_path / "far.vec"), "--name", "far", stdout=StringIO())
    err = StringIO()
    asked = ("--corpus", "psalter", "--topics", "spans", "--words", "tokens", "--wording", "manual")
    with pytest.raises(CommandError, match="2 of 3 runs could not be made; see above"):
        call_command(
            *("allusion_runs", *asked, "--system", "bow-emb", "--system", "wmd", "--system", "sc-rnd"),
            stdout=StringIO(),
            stderr=err,
        )
    assert "Not made: spans-bow-emb-tokens-manual. No topic of" in err.getvalue()
    assert "bow-emb knows none: word vectors and tables must be of their language" in err.getvalue()
    assert [run.name for run in Run.objects.all()] == ["spans-sc-rnd-tokens-manual"]


def test_a_long_name_of_topics_is_cut(there):
    TopicSet.objects.update(slug="s" * 80)
    asked = missing.Asked(Corpus.objects.get(), TopicSet.objects.get(), ["bow"])
    assert max(len(each.name) for each in missing.missing(asked).wanted) <= 80


def test_from_a_span_study_to_the_three_tables(tmp_path):
    psalter()
    study = sermon([(7, 13), (7, 13), (8, 11)], [(0, 3), (7, 12), (7, 12)])
    call_command("span_queries", study.slug, "--corpus", "psalter", "--name", "spans", stdout=StringIO())
    file = tmp_path / "shore.vec"
    lines = (
        f"{word} " + " ".join(str((n * k) % 7 - 3) for k in range(1, 6)) for n, word in enumerate(WORDS, 1)
    )
    file.write_text("\n".join(lines) + "\n")
    call_command("add_words", "vectors", str(file), "--name", "shore", stdout=StringIO(), stderr=StringIO())
    _, said = made("--wording", "manual", "--wording", "window-3")
    assert "36 to make" in said
    out = StringIO()
    call_command("allusion_tables", "--corpus", "psalter", "--topics", "spans", stdout=out)
    text = out.getvalue()
    assert text.count("How to read table") == 3
    assert "Word vectors of tokens: shore." in text
    assert "Without a run: SCwn (tokens) and SCwn (lemmas)." in text
