"""A toy checkpoint, made once, and torch on one thread: two cores are shared by the whole suite."""

import pytest

from retrieval.engine.dense import folder, ranker
from tests import builders
from tests.retrieval.dense import texts


@pytest.fixture(scope="session")
def toy(tmp_path_factory):
    """The folder of a checkpoint of two small RoBERTas with random weights."""
    import torch

    from retrieval.engine.dense import toy as dense_toy
    from tests.retrieval.dense.spread import spread

    torch.set_num_threads(1)
    shape = dense_toy.Shape(width=32, layers=2, heads=2, vocabulary=500, dropout=0.0)
    return spread(dense_toy.write(tmp_path_factory.mktemp("models") / "toy", texts.BOOK, seed=3, shape=shape))


@pytest.fixture(scope="session")
def toy_sha(toy):
    return folder.fingerprint(toy)


@pytest.fixture
def small_toys(settings, tmp_path, monkeypatch):
    """Data of its own, the CPU, and toys so small that an epoch takes no time."""
    import torch

    from retrieval.engine.dense import toy as dense_toy

    settings.DATA_DIR, settings.DEVICE = tmp_path, "cpu"
    torch.set_num_threads(1)
    ranker.opened.cache_clear()
    small = dense_toy.Shape(width=16, layers=1, heads=2, vocabulary=320)
    monkeypatch.setattr(dense_toy, "Shape", lambda: small)


@pytest.fixture
def books(db):
    """Three books, each with a critic who quotes it six times."""
    made = [builders.novel(slug) for slug in ("boats", "lamps", "ships")]
    for book in made:
        critic = builders.source(f"on-{book.slug}")
        for first in range(2, 14, 2):
            builders.excerpt(book, critic, first=first)
    return made
