"""What an index needs, said before it is built."""

import pytest

from retrieval.engine.corpora import needs
from tests.retrieval.engine.corpora.made import indexed, texts


def test_the_needs_of_a_million_documents_in_a_sentence():
    found = needs.of(1_000_000, 110_000_000, 400_000)
    assert found.sentence(machine=24 * 10**9) == (
        "1,000,000 documents need about 570 MB of disk (1.1 GB while the index is built) and 586 MB of "
        "memory to search quickly; this machine has 24.0 GB."
    )
    assert found.sentence(machine=500 * 10**6).endswith("has 500 MB: searches will wait for the disk.")
    assert needs.of(1, 1, 1).sentence(machine=10**9).startswith("1 document needs about 1 MB")


def test_what_is_expected_of_a_number_of_documents_is_near_what_they_need():
    measured, expected = needs.of(1_000_000, 110_000_000, 400_000), needs.expected(1_000_000, 130)
    assert expected.disk == pytest.approx(measured.disk, rel=0.1)
    assert expected.memory_to_build < 500 * 10**6


def test_an_index_takes_what_was_said(tmp_path):
    index = indexed(tmp_path, texts(1, 2000))
    said = needs.of(len(index), index.manifest.postings, index.manifest.terms)
    size = sum(file["bytes"] for file in index.manifest.files.values())
    assert size == pytest.approx(said.disk, rel=0.05)


def test_the_memory_of_this_machine_is_known(tmp_path, monkeypatch):
    whole = needs.memory()
    assert whole > 2**28
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(needs, "_LIMIT", limit)
    for text, expected in (("max\n", None), ("268435456\n", 2**28)):
        limit.write_text(text)
        assert needs.memory() == (expected or pytest.approx(needs.memory()))
