"""What is kept of a file: whole or not at all, mapped into memory, refused where it has changed."""

import hashlib

import numpy as np
import pytest

from common.errors import BadInput
from retrieval.engine.words import keeping
from retrieval.engine.words.kinds import KINDS, kind
from retrieval.engine.words.tables import LemmaTable, StopList, SynonymTable
from retrieval.engine.words.vectors import WordVectors

VECTORS = b"3 2\nboat 1 2\nSea 3 4\nat sea 5 6\n"


@pytest.fixture
def file(tmp_path):
    (tmp_path / "a.vec").write_bytes(VECTORS)
    return tmp_path / "a.vec"


def kept(file, folder, slug="vectors"):
    sha256, _ = keeping.keep(file, folder, KINDS[slug])
    return keeping.place(folder, KINDS[slug], sha256)


def test_vectors_are_mapped_aligned_and_found_by_lower_case(file, tmp_path):
    sha256, counts = keeping.keep(file, tmp_path / "kept", KINDS["vectors"])
    found = keeping.opened(tmp_path / "kept/vectors" / sha256, KINDS["vectors"])
    assert sha256 == hashlib.sha256(VECTORS).hexdigest()
    assert counts == (3, 2, [])
    assert isinstance(found, WordVectors)
    assert isinstance(found.matrix, np.memmap)
    assert found.matrix.offset % 64 == 0
    assert found.matrix.dtype == np.float32
    assert found.matrix.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert found.rows(["sea", "Sea", "boat", "at sea", "quay"]).tolist() == [1, 1, 0, 2, -1]
    assert (found.sha256, found.width, list(found.words)) == (sha256, 2, ["boat", "Sea", "at sea"])


@pytest.mark.parametrize(
    ("slug", "text", "expected"),
    [
        ("lemmas", "ships\tship\nlaid\tto lay\n", LemmaTable({"ships": "ship", "laid": "to lay"})),
        ("synonyms", "boat ship\nship craft\n", None),
        ("stop-list", "the\nof\n", StopList(frozenset({"the", "of"}))),
    ],
)
def test_tables_come_back_as_they_were(tmp_path, slug, text, expected):
    (tmp_path / "table").write_text(text)
    folder = kept(tmp_path / "table", tmp_path / "kept", slug)
    found = keeping.opened(folder, KINDS[slug])
    groups = {"boat": frozenset({0}), "ship": frozenset({0, 1}), "craft": frozenset({1})}
    expected = expected or SynonymTable(groups)
    assert type(found) is type(expected)
    assert {**vars(found), "sha256": ""} == vars(expected)
    assert found.sha256 == folder.name


def test_a_process_opens_a_folder_once(file, tmp_path):
    folder = kept(file, tmp_path / "kept")
    assert keeping.opened(folder, KINDS["vectors"]) is keeping.opened(folder, KINDS["vectors"])


def test_a_file_that_changed_or_is_gone_is_refused_until_it_is_added_again(file, tmp_path):
    folder = kept(file, tmp_path / "kept")
    keeping.opened(folder, KINDS["vectors"])
    (folder / "words.txt").write_text("boat\nquay\nat sea\n")
    with pytest.raises(BadInput, match=r"words.txt is not what was kept.*add_words vectors FILE --name NAME"):
        keeping.opened(folder, KINDS["vectors"])
    (folder / "vectors.npy").unlink()
    with pytest.raises(BadInput, match=r"vectors.npy is gone"):
        keeping.opened(folder, KINDS["vectors"])
    assert kept(file, tmp_path / "kept") == folder
    assert keeping.opened(folder, KINDS["vectors"]).rows(["sea"]).tolist() == [1]


def test_an_addition_that_is_stopped_leaves_nothing_and_begins_anew(file, tmp_path):
    def stopped(*step):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        keeping.keep(file, tmp_path / "kept", KINDS["vectors"], stopped)
    assert [each.name for each in (tmp_path / "kept/vectors").iterdir()] == [".lock"]
    killed = tmp_path / "kept/vectors/.part-0123"
    killed.mkdir()
    (killed / "vectors.npy").write_bytes(b"half")
    folder = kept(file, tmp_path / "kept")
    assert {each.name for each in folder.parent.iterdir()} == {".lock", folder.name}


def test_two_do_not_add_at_once(file, tmp_path):
    with pytest.raises(BadInput, match="Another process is adding"):
        keeping.keep(
            file,
            tmp_path / "kept",
            KINDS["vectors"],
            lambda *step: keeping.keep(file, tmp_path / "kept", KINDS["vectors"]) and None,
        )


def test_an_unknown_kind_is_answered_with_the_known_ones():
    with pytest.raises(BadInput, match=r"no kind 'music' of words; choose one of: vectors, lemmas, syn"):
        kind("music")
