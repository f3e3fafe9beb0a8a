"""An index on disk: what is in it, whole or not there, the same however often it was interrupted."""

import json
import multiprocessing
import os
import shutil
import signal
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from common.errors import BadInput
from retrieval.engine.corpora import building, merging
from retrieval.engine.corpora.blocks import text_digest
from retrieval.engine.corpora.building import build
from retrieval.engine.corpora.index import CorpusIndex, subset, whole
from retrieval.engine.corpora.tokenising import Tokeniser, TokenSettings
from tests.retrieval.engine.corpora.made import indexed, texts

SMALL = 200
"""Words a block, so that some hundred documents make many."""


def counts(index: CorpusIndex) -> dict[str, dict[int, int]]:
    """For each term, in the order of the index, its count in each document."""
    found = {}
    for number in range(len(index.vocabulary)):
        documents, times = index.postings(number)
        assert documents.tolist() == sorted(documents.tolist())
        found[index.vocabulary.term(number)] = dict(zip(documents.tolist(), times.tolist(), strict=True))
    return found


def counted(documents: list[str], settings: TokenSettings) -> dict[str, dict[int, int]]:
    tokeniser = Tokeniser(settings)
    each = [Counter(tokeniser.terms(text)) for text in documents]
    terms = sorted({term for one in each for term in one})
    return {term: {n: one[term] for n, one in enumerate(each) if term in one} for term in terms}


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    "settings", [TokenSettings(), TokenSettings(stop_list="lucene", stemmer="snowball-porter")]
)
@pytest.mark.parametrize("block_tokens", [1, SMALL, 10**6])
def test_an_index_holds_the_counts_of_its_documents(tmp_path, settings, block_tokens, monkeypatch):
    monkeypatch.setattr(merging, "POSTINGS", 50)
    prose = ["The ship’s dog ran; the dogs run.", "", "Ændring, žen: ", "to be or not to be", "—"]
    documents = [*texts(1, 60), *prose]
    index = indexed(tmp_path, documents, settings=settings, block_tokens=block_tokens)
    expected = counted(documents, settings)
    assert counts(index) == expected
    assert list(counts(index)) == list(expected)
    tokeniser = Tokeniser(settings)
    assert index.lengths.tolist() == [len(tokeniser.terms(text)) for text in documents]
    said = index.manifest
    assert (said.documents, said.terms) == (len(index), len(expected)) == (65, len(expected))
    assert said.tokens == sum(index.lengths)
    assert said.postings == sum(map(len, expected.values()))
    index.check()


def test_blocks_change_nothing_but_the_number_of_blocks(tmp_path):
    documents = texts(2, 80)
    found = [
        files(indexed(tmp_path, documents, name=f"of-{size}", block_tokens=size).folder)
        for size in (1, SMALL, 10**6)
    ]
    assert found[0] == found[1] == found[2]


def test_terms_are_looked_up_in_both_directions(tmp_path):
    vocabulary = indexed(tmp_path, ["b žen ab a", "𝒳 zz ﬁ"]).vocabulary
    words = [vocabulary.term(number) for number in range(len(vocabulary))]
    assert words == sorted(["b", "žen", "ab", "a", "𝒳", "zz", "ﬁ"])
    assert [vocabulary.number(word) for word in words] == list(range(7))
    assert [vocabulary.number(word) for word in ("", "aa", "zzz", "\ud800", "\U0010ffff")] == [None] * 5


def test_a_large_count_takes_a_wider_type(tmp_path):
    index = indexed(tmp_path, ["sea " * 70_000 + "ship", "sea"])
    assert index.postings(0)[1].tolist() == [70_000, 1]
    assert index.postings(0)[1].dtype == np.uint32
    assert indexed(tmp_path, ["sea " * 255], name="narrow").postings(0)[1].dtype == np.uint8


def test_the_manifest_says_what_the_index_was_built_from(tmp_path):
    documents = ["the sea", "the ship"]
    index = indexed(tmp_path, documents, source={"corpus": "novels", "sha256": "ab" * 32})
    digest = bytes(32)
    for text in documents:
        digest = text_digest(digest, text)
    said = json.loads((tmp_path / "index" / "manifest.json").read_text())
    assert said["texts_sha256"] == digest.hex() == index.manifest.texts_sha256
    assert said["source"] == {"corpus": "novels", "sha256": "ab" * 32}
    assert said["settings"] == {"tokeniser": "straight-2", "stop_list": "none", "stemmer": "none"}
    assert {"numpy", "python"} <= set(said["made_with"])
    other = indexed(tmp_path, documents, name="other", settings=TokenSettings(stemmer="plural"))
    again = indexed(tmp_path, documents, name="again", source={"corpus": "another name"})
    assert index.manifest.digest == again.manifest.digest != other.manifest.digest


class Stopped(Exception):
    pass


def test_a_build_that_was_stopped_anywhere_goes_on_and_makes_the_same_files(tmp_path):
    documents = texts(3, 80)
    expected = files(indexed(tmp_path, documents, block_tokens=SMALL, source={"n": 1}).folder)
    folder, begun, stages = tmp_path / "stopped", [], []

    def stop_later(done: int, total: int, stage: str) -> None:
        stages.append((stage, done, total))
        if stages.count((stage, done, total)) == 1 and len(stages) % 2 == 0:
            raise Stopped

    def given(first: int) -> list[str]:
        begun.append(first)
        return documents[first:]

    for _ in range(100):
        try:
            build(folder, given, 80, source={"n": 1}, block_tokens=SMALL, progress=stop_later)
            break
        except Stopped:
            assert not folder.exists()
    assert files(folder) == expected
    assert not building.staged(folder).exists()
    assert begun == sorted(begun)
    assert len(set(begun)) > 3
    assert {stage for stage, _, _ in stages} == {
        "Counting words",
        "Writing the index: documents",
        "Writing the index: counts",
    }


def _slowly(folder: Path, documents: list[str]) -> None:
    def given(first: int):
        for text in documents[first:]:
            time.sleep(0.005)
            yield text

    build(folder, given, len(documents), block_tokens=SMALL)


def test_a_killed_build_leaves_nothing_to_read_and_goes_on(tmp_path):
    documents = texts(4, 300)
    expected = files(indexed(tmp_path, documents, block_tokens=SMALL).folder)
    folder = tmp_path / "killed"
    process = multiprocessing.get_context("fork").Process(target=_slowly, args=(folder, documents))
    process.start()
    blocks = building.staged(folder) / "blocks"
    while not (blocks.is_dir() and any(place.suffix == "" for place in blocks.iterdir())):
        time.sleep(0.005)
    with pytest.raises(Stopped):
        build(folder, lambda first: documents[first:], 300, progress=stopped_waiting)
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    with pytest.raises(BadInput, match="There is no index in killed; build it first"):
        CorpusIndex(folder)
    begun = []
    build(folder, lambda first: begun.append(first) or documents[first:], 300, block_tokens=SMALL)
    assert begun[0] > 0
    assert files(folder) == expected


def stopped_waiting(done: int, total: int, stage: str) -> None:
    assert stage == "Waiting: another process makes this"
    raise Stopped


def test_an_index_that_another_process_has_just_built_is_taken(tmp_path, monkeypatch):
    folder, flock = tmp_path / "index", building.fcntl.flock

    def built_meanwhile(handle: int, how: int) -> None:
        monkeypatch.setattr(building.fcntl, "flock", flock)
        build(folder, lambda first: ["sea"][first:], 1)
        flock(handle, how)

    monkeypatch.setattr(building.fcntl, "flock", built_meanwhile)
    build(folder, lambda first: ["ship"][first:], 1)
    assert counts(CorpusIndex(folder)) == {"sea": {0: 1}}
    assert not building.staged(folder).exists()


@pytest.mark.services
@pytest.mark.parametrize("killed", [False, True])
def test_who_comes_while_another_builds_waits_and_takes_it_or_goes_on(tmp_path, monkeypatch, killed):
    documents = texts(4, 100)
    expected = files(indexed(tmp_path, documents, block_tokens=SMALL).folder)
    monkeypatch.setattr(building, "LOOKS", 0.01)
    folder = tmp_path / "other"
    process = multiprocessing.get_context("fork").Process(target=_slowly, args=(folder, documents))
    process.start()
    blocks = building.staged(folder) / "blocks"
    while not (blocks.is_dir() and any(place.suffix == "" for place in blocks.iterdir())):
        time.sleep(0.005)
    waited, begun = [], []

    def told(done: int, total: int, stage: str) -> None:
        if stage.startswith("Waiting"):
            waited.append((done, total))
            if killed and len(waited) == 2:
                os.kill(process.pid, signal.SIGKILL)

    def given(first: int) -> list[str]:
        begun.append(first)
        return documents[first:]

    build(folder, given, 100, block_tokens=SMALL, progress=told)
    process.join()
    assert waited[0] == (0, 100)
    assert files(folder) == expected
    assert bool(begun) is killed
    assert all(first > 0 for first in begun)


def test_what_was_begun_with_other_settings_is_begun_anew(tmp_path):
    documents, begun = texts(5, 80), []

    def stop(done: int, total: int, stage: str) -> None:
        if done:
            raise Stopped

    def given(first: int) -> list[str]:
        begun.append(first)
        return documents[first:]

    folder = tmp_path / "index"
    with pytest.raises(Stopped):
        build(folder, given, 80, block_tokens=SMALL, progress=stop)
    build(folder, given, 80, block_tokens=SMALL, settings=TokenSettings(stemmer="plural"))
    assert begun == [0, 0]
    assert CorpusIndex(folder).manifest.settings.stemmer == "plural"


def test_too_many_or_too_few_documents_are_refused_and_nothing_is_kept(tmp_path):
    for number in (1, 3):
        with pytest.raises(BadInput, match=rf"The corpus has {number} documents and 2 came"):
            build(tmp_path / "index", lambda first: ["sea", "ship"][first:], number)
    assert not (tmp_path / "index").exists()
    build(tmp_path / "index", lambda first: ["sea", "ship"][first:], 2)


@pytest.mark.parametrize(
    ("documents", "sentence"),
    [([], "There is no document to index"), (["", "—"], "No document has a term")],
)
def test_a_corpus_of_nothing_is_refused(tmp_path, documents, sentence):
    with pytest.raises(BadInput, match=sentence):
        indexed(tmp_path, documents)
    assert not (tmp_path / "index").exists()


def test_an_index_is_never_written_over(tmp_path):
    indexed(tmp_path, ["sea"])
    before = files(tmp_path / "index")
    with pytest.raises(BadInput, match="another index in index; delete it to build this one"):
        indexed(tmp_path, ["ship"], source={"n": 2})
    indexed(tmp_path, ["sea"])
    assert files(tmp_path / "index") == before


def test_a_damaged_index_is_refused_by_name(tmp_path):
    folder = indexed(tmp_path, texts(6, 20)).folder
    for name, harm, sentence in (
        (
            "counts.npy",
            lambda path: path.write_bytes(path.read_bytes()[:-1]),
            "counts.npy has .* bytes; it must",
        ),
        ("terms.bin", Path.unlink, "terms.bin is missing"),
        ("manifest.json", lambda path: path.write_text("{"), "manifest.json is not JSON"),
        ("manifest.json", lambda path: path.write_text("{}"), "does not describe an index corpus-index-1"),
        ("manifest.json", Path.unlink, "There is no index"),
    ):
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder, copy)
        harm(copy / name)
        with pytest.raises(BadInput, match=sentence):
            CorpusIndex(copy)


def test_a_changed_byte_is_found_when_the_files_are_checked(tmp_path):
    index = indexed(tmp_path, texts(6, 20))
    path = index.folder / "documents.npy"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(BadInput, match=r"documents\.npy is not as it was written"):
        CorpusIndex(index.folder).check()


def test_a_subset_has_its_own_statistics(tmp_path, monkeypatch):
    monkeypatch.setattr("retrieval.engine.corpora.index._AT_A_TIME", 7)
    documents = texts(7, 50)
    index = indexed(tmp_path, documents)
    mask = np.arange(50) % 3 == 0
    alone = counted([text for text, inside in zip(documents, mask, strict=True) if inside], TokenSettings())
    found = subset(index, mask, "genre=fiction")
    frequencies = {index.vocabulary.term(n): int(x) for n, x in enumerate(found.frequencies) if x}
    assert frequencies == {term: len(where) for term, where in alone.items()}
    assert (found.documents, found.tokens) == (17, int(index.lengths[mask].sum()))
    assert found.describe()["name"] == "genre=fiction"
    assert found.describe()["mask_sha256"] != subset(index, ~mask, "genre=fiction").describe()["mask_sha256"]
    everything = subset(index, np.ones(50, dtype=bool), "all")
    assert everything.frequencies.tolist() == whole(index).frequencies.tolist()
    assert everything.mean_length == whole(index).mean_length


def test_a_subset_that_is_none_is_refused(tmp_path):
    index = indexed(tmp_path, ["sea", "", "ship"])
    for mask in ([True, False], [1, 0, 1], [[True, False, True]]):
        with pytest.raises(BadInput, match="it must have a truth value for each of the 3 documents"):
            subset(index, mask, "odd")
    for mask in ([False] * 3, [False, True, False]):
        with pytest.raises(BadInput, match="The subset 'odd' has no document with a term"):
            subset(index, mask, "odd")
