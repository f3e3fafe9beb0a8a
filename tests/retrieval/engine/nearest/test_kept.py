"""Vectors of a corpus on disk: made in blocks, resumed, mapped."""

import fcntl
import os
from itertools import islice

import numpy as np
import pytest

from common.errors import BadInput
from common.progress import silent
from retrieval.engine.corpora import building, needs
from retrieval.engine.nearest import kept

WIDTH = 3
TEXTS = [f"text {n % 9}" for n in range(23)]
WHAT = {"corpus": "a", "encoder": "b"}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(kept, "BLOCK", 4)


class Encoder:
    """Gives every text another vector each time it is asked, as batches do in the last bits."""

    def __init__(self, stop_after=99):
        self.blocks, self.stop_after = [], stop_after

    def __call__(self, texts):
        if len(self.blocks) == self.stop_after:
            raise KeyboardInterrupt
        self.blocks.append(list(texts))
        rows = [[len(text), int(text[5:]), len(self.blocks)] for text in texts]
        return np.array(rows, dtype=np.float32), np.array([text == "text 8" for text in texts])


def texts_from(first):
    return islice(TEXTS, first, None)


def build(folder, encode, texts=texts_from, number=23, what=WHAT, progress=silent):
    kept.build(folder, texts, number, WIDTH, encode, what, progress)


def test_vectors_are_those_of_their_texts_and_equal_texts_have_equal_ones(tmp_path):
    build(tmp_path / "v", Encoder())
    found = kept.opened(tmp_path / "v")
    assert found.vectors.dtype == np.float16
    assert found.vectors[:, 1].tolist() == [n % 9 for n in range(23)]
    assert found.vectors[:, 2].tolist() == [(n % 9) // 4 + 1 for n in range(23)]
    assert (found.manifest.documents, found.manifest.width, found.manifest.cut) == (23, WIDTH, 2)
    assert found.manifest.what == WHAT
    assert sorted(each.name for each in (tmp_path / "v").iterdir()) == ["manifest.json", "vectors.npy"]


@pytest.mark.parametrize("torn", [False, True])
def test_what_was_interrupted_goes_on_to_the_same_files(tmp_path, torn):
    with pytest.raises(KeyboardInterrupt):
        build(tmp_path / "v", Encoder(stop_after=3))
    assert not (tmp_path / "v").exists()
    if torn:  # a power cut in the middle of a block
        for name in ("vectors.npy", "records.bin"):
            with (tmp_path / "v.building" / name).open("ab") as file:
                file.write(b"half a block")
    rest = Encoder()
    rest.blocks = [[]] * 3
    build(tmp_path / "v", rest)
    assert rest.blocks[3:] == [TEXTS[12:16], TEXTS[16:20], TEXTS[20:]]
    build(tmp_path / "whole", Encoder())
    for name in ("vectors.npy", "manifest.json"):
        assert (tmp_path / "v" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_what_was_begun_of_something_else_is_begun_anew(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        build(tmp_path / "v", Encoder(stop_after=3))
    encode = Encoder()
    build(tmp_path / "v", encode, what={"encoder": "c"})
    assert sum(map(len, encode.blocks)) == 23


@pytest.mark.parametrize("number", [22, 24])
def test_another_number_of_texts_is_refused(tmp_path, number):
    with pytest.raises(BadInput, match=f"has {number} documents and 23 came"):
        build(tmp_path / "v", Encoder(), number=number)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("value", [np.nan, 1e6])
def test_a_vector_that_is_none_is_refused_by_its_document(tmp_path, value):
    def encode(texts):
        made, cut = Encoder()(texts)
        made[-1, 0] = value
        return made, cut

    with pytest.raises(BadInput, match="document 4 a vector that float16 cannot hold"):
        build(tmp_path / "v", encode)


def test_who_comes_while_another_process_encodes_waits_until_it_is_done(tmp_path, monkeypatch):
    (tmp_path / "v.building").mkdir()
    handle = os.open(tmp_path / "v.building", os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    monkeypatch.setattr(building, "LOOKS", 0)
    waited = []

    def told(done, total, stage):
        if stage == "Waiting: another process makes this":
            waited.append((done, total))
            if len(waited) == 3:
                os.close(handle)

    build(tmp_path / "v", Encoder(), progress=told)
    assert waited == [(0, 23)] * 3
    assert kept.opened(tmp_path / "v").manifest.documents == 23


def test_vectors_that_are_there_are_taken(tmp_path):
    build(tmp_path / "v", Encoder())
    build(tmp_path / "v", Encoder(stop_after=0))


@pytest.mark.parametrize("damage", ["manifest.json", "vectors.npy", "short"])
def test_damaged_vectors_are_refused(tmp_path, damage):
    build(tmp_path / "v", Encoder())
    if damage == "short":
        os.truncate(tmp_path / "v" / "vectors.npy", 150)
    else:
        (tmp_path / "v" / damage).write_text("{}")
    with pytest.raises(BadInput, match=r"vectors in v cannot be read .* delete the folder"):
        kept.opened(tmp_path / "v")


def test_the_needs_of_vectors_stand_beside_the_machine_s_memory():
    few = needs.vectors_sentence(1_000, 384, machine=2 * 10**9)
    assert few == (
        "1,000 documents need 1 MB of disk for vectors of 384 numbers, and as much memory to be compared "
        "quickly; this machine has 2.0 GB."
    )
    many = needs.vectors_sentence(10**7, 768, machine=2 * 10**9)
    assert many.startswith("10,000,000 documents need 15.4 GB of disk")
    assert many.endswith("this machine has 2.0 GB: comparing will wait for the disk.")
