"""What these tests share: a short novel, and a critic who quotes it."""

import pytest

from retrieval.loading import import_book, import_source
from tests.retrieval.quay import ESSAY, NOVEL


@pytest.fixture
def quay():
    facts = {"slug": "quay", "title": "The Quay", "author": "A. Author", "year": 1891}
    return import_book(NOVEL.encode(), name="quay.txt", **facts).book


@pytest.fixture
def critic():
    return import_source(ESSAY.encode(), name="essay.txt", slug="critic", citation="Critic 1911").source
