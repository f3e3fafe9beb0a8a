"""The disk is not waited for: tests write hundreds of blocks, and none of them cuts the power."""

import pytest

from retrieval.engine.corpora import blocks


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch):
    monkeypatch.setattr(blocks, "synced", lambda path: None)
