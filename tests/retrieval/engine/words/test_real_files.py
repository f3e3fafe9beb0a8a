"""The vectors, lemmas and stop words of the Vulgate, where their files are at hand."""

from pathlib import Path

import pytest

from retrieval.engine.words import keeping
from retrieval.engine.words.kinds import KINDS
from tests.retrieval import real_texts

pytestmark = real_texts.needed


@pytest.mark.parametrize(
    ("kind", "name", "counts"),
    [
        ("vectors", "latin.lemma.ft.dim100.mc2.embeddings.gz", (9_347, 100, [])),
        ("lemmas", "vulgate.tsv.gz", (47_896, 0, [])),
        ("stop-list", "latin.stop", (171, 0, [])),
    ],
)
def test_files_as_they_are_published(tmp_path, kind, name, counts):
    assert keeping.keep(Path(real_texts.DATA, "vulgate", name), tmp_path, KINDS[kind])[1] == counts


def test_an_empty_token_of_a_verse_has_its_lemma_too(tmp_path):
    # 1 Esdras 9:14 has two spaces where a token is missing, and a lemma for it.
    sha256, _ = keeping.keep(Path(real_texts.DATA, "vulgate/vulgate.tsv.gz"), tmp_path, KINDS["lemmas"])
    found = keeping.opened(tmp_path / "lemmas" / sha256, KINDS["lemmas"])
    assert [found.lemma(word) for word in ("angelos", "vidi", "unheard")] == ["angelus", "video", "unheard"]
