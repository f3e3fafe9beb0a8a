"""What these tests share: a short novel, a critic who quotes it, processes of their own."""

import subprocess
from types import SimpleNamespace

import pytest

from retrieval.jobs import child_process
from retrieval.loading import import_book, import_source
from tests import builders
from tests.retrieval.quay import ESSAY, NOVEL


@pytest.fixture
def quay():
    facts = {"slug": "quay", "title": "The Quay", "author": "A. Author", "year": 1891}
    return import_book(NOVEL.encode(), name="quay.txt", **facts).book


@pytest.fixture
def critic():
    return import_source(ESSAY.encode(), name="essay.txt", slug="critic", citation="Critic 1911").source


@pytest.fixture
def boats():
    """A book with three excerpts."""
    book, critic = builders.book(), builders.source()
    for first in (3, 9, 15):
        builders.excerpt(book, critic, first=first)
    return book


@pytest.fixture
def children(monkeypatch):
    """The processes that computed apart: at the end of the test, each of them must have been ended."""
    begun = []

    def popen(*given, **named):
        begun.append(subprocess.Popen(*given, **named))
        return begun[-1]

    monkeypatch.setattr(child_process, "subprocess", SimpleNamespace(Popen=popen, DEVNULL=subprocess.DEVNULL))
    yield begun
    assert [each.pid for each in begun if each.returncode is None] == []


@pytest.fixture
def folder(tmp_path, embedded):
    """The data of an embedded installation in which nothing is yet: processes of its own work there."""
    return embedded(tmp_path)
