"""The generated library of the benchmark: the same from the same seed, and real enough to be imported."""

import json
from statistics import mean

import pytest

from benchmarks import library
from retrieval.candidates import pipeline, submitting
from retrieval.loading import import_relic
from retrieval.models import Book, Status


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(library, "SENTENCES", 60)


def test_the_same_seed_writes_the_same_book(short):
    assert library.Writer(3).book(5) == library.Writer(3).book(5)
    assert library.Writer(3).book(5) != library.Writer(4).book(5)


def test_sentences_are_as_long_as_those_of_novels():
    writer = library.Writer(1)
    lengths = sorted(len(writer.sentence().split()) for _ in range(2000))
    assert 17 < mean(lengths) < 23
    assert 12 <= lengths[1000] <= 18
    assert lengths[0] <= 4
    assert lengths[-1] > 80


@pytest.mark.django_db
def test_it_goes_through_the_doors_of_real_data(short, tmp_path):
    size = library.written(tmp_path, books=2, excerpts=40)
    data = (tmp_path / library.FILE).read_bytes()
    assert size == len(data) / 2**20
    assert len(json.loads((tmp_path / "one" / library.FILE).read_bytes())) == 1
    import_relic(data, name=library.FILE)
    for book in Book.objects.all():
        assert book.excerpts.count() == 20
        job = submitting.submit(book, ranker="bm25", parameters={})
        assert pipeline.attempt(job.pk, "one")
        job.refresh_from_db()
        assert (job.status, job.done) == (Status.DONE, 20)


def test_the_whole_is_computed_from_what_each_book_adds(capsys):
    one, eight = library.Taken(1, 10, 100), library.Taken(1, 17, 170)
    library.told(8, one, eight, [library.Taken(9, 30, 90), library.Taken(9, 50, 80)], 40)
    said = " ".join(capsys.readouterr().out.split())
    assert f"import {(10 + 79) / 60:.1f} min on one core peak 890 MiB" in said
    assert f"jobs {80 / 8 * 80 / 2 / 60:.1f} min on 2 cores peak 90 MiB a worker" in said
    assert "database 400 MiB" in said
