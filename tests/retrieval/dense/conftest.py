"""A toy checkpoint, made once, and torch on one thread: two cores are shared by the whole suite."""

import pytest

from retrieval.engine import dense_folder
from tests.retrieval.dense import texts


@pytest.fixture(scope="session")
def toy(tmp_path_factory):
    """The folder of a checkpoint of two small RoBERTas with random weights."""
    import torch

    from retrieval.engine import dense_toy

    torch.set_num_threads(1)
    shape = dense_toy.Shape(width=32, layers=2, heads=2, vocabulary=500, dropout=0.0)
    return dense_toy.write(tmp_path_factory.mktemp("models") / "toy", texts.BOOK, seed=3, shape=shape)


@pytest.fixture(scope="session")
def toy_sha(toy):
    return dense_folder.fingerprint(toy)
