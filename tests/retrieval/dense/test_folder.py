"""What a checkpoint's folder may hold; nothing here loads torch."""

import shutil
import threading

import numpy as np
import pytest

from common.errors import BadInput
from retrieval.engine.dense import folder as dense_folder
from retrieval.engine.dense import vectors


@pytest.fixture
def plain(tmp_path):
    """A folder with the right names."""
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "roberta"}')
    (folder / "tokenizer.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"weights")
    return folder


@pytest.mark.parametrize(
    "name", ["pytorch_model.bin", "training/optimizer.PT", "x.pkl", "modeling.py", "a/b/c.pickle", "m.ckpt"]
)
def test_a_file_that_could_run_code_is_refused_before_anything_is_read(plain, name):
    canary = plain / name
    canary.parent.mkdir(parents=True, exist_ok=True)
    canary.write_bytes(b"cos\nsystem\n(S'touch canary'\ntR.")
    with pytest.raises(BadInput, match=f"model/{name} could run code when it is loaded"):
        dense_folder.fingerprint(plain)


@pytest.mark.parametrize("text", ['{"auto_map": {}}', '{"a": [{"auto_map": 1}]}', '{"\\u0061uto_map": {}}'])
def test_a_configuration_that_brings_code_is_refused(plain, text):
    (plain / "config.json").write_text(text)
    with pytest.raises(BadInput, match=r"model/config\.json has auto_map, which runs code from outside"):
        dense_folder.checked(plain)


def test_a_link_and_a_missing_part_are_refused(plain):
    (plain / "model.safetensors").rename(plain.parent / "elsewhere")
    with pytest.raises(BadInput, match=r"model has no model\.safetensors"):
        dense_folder.checked(plain)
    (plain / "model.safetensors").symlink_to(plain.parent / "elsewhere")
    with pytest.raises(BadInput, match=r"model/model\.safetensors is a link"):
        dense_folder.checked(plain)
    (plain / "model.safetensors").unlink()
    (plain / "context").mkdir()
    with pytest.raises(BadInput, match=r"model has no context/config\.json"):
        dense_folder.checked(plain)
    with pytest.raises(BadInput, match="There is no folder"):
        dense_folder.checked(plain / "nowhere")


def test_the_fingerprint_is_of_names_and_contents_alone(plain, tmp_path):
    copy = shutil.copytree(plain, tmp_path / "copy")
    before = dense_folder.fingerprint(plain)
    assert dense_folder.fingerprint(copy) == before
    (copy / "card.json").write_text("{}")
    assert dense_folder.fingerprint(copy) != before
    (plain / "model.safetensors").write_bytes(b"weighty")
    assert dense_folder.fingerprint(plain) != before


def test_two_who_write_the_same_vectors_both_get_them_whole(tmp_path):
    place = vectors.path(tmp_path / "vectors", texts="a", checkpoint="b")
    wanted = np.arange(6000, dtype=np.float32).reshape(1000, 6) / 7
    together, found = threading.Barrier(2), []

    def make():
        together.wait(timeout=60)
        return wanted

    def work():
        found.append(np.array(vectors.get(place, (1000, 6), make)))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(each, wanted.astype(np.float16)) for each in found)
    assert [path.name for path in place.parent.iterdir()] == [place.name]
    assert np.array_equal(vectors.get(place, (1000, 6), lambda: 1 / 0), wanted.astype(np.float16))


def test_vectors_that_could_not_be_made_leave_nothing(tmp_path):
    place = vectors.path(tmp_path / "vectors", texts="a")
    with pytest.raises(ZeroDivisionError):
        vectors.get(place, (1, 1), lambda: 1 / 0)
    assert not list(tmp_path.rglob("*.npy"))
    assert not list(place.parent.iterdir())
    np.save(place, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    assert vectors.get(place, (1, 1), lambda: np.ones((1, 1), np.float32)).tolist() == [[1.0]]
