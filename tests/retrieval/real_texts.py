"""The real novels and critics, each read, parted and searched once a process."""

import os
from functools import cache
from pathlib import Path

import pytest

from retrieval.engine.quotations.finding import find
from retrieval.engine.text.reading import prepare
from retrieval.engine.text.sentences import segment

DATA = os.environ.get("VARIORUM_TEST_DATA") or None
needed = pytest.mark.skipif(not DATA, reason="VARIORUM_TEST_DATA does not name the folder of real texts")


@cache
def prepared(name):
    return prepare((Path(DATA) / name).read_text(encoding="utf-8"))


def text(name):
    return prepared(name).text


@cache
def parts(name):
    return segment(text(name))


def sentences(name):
    return [text(name)[start:end] for start, end in parts(name).sentences]


def findings(critic, novel):
    novel = f"novels/{novel}.txt"
    return find_once(text(f"criticism/{critic}.txt"), text(novel), parts(novel).sentences)


def find_once(source, book, sentences, progress=None):
    """The engine's `find`, whose findings depend on the two texts alone."""
    known = _found.get((source, book))
    if known is None:
        known = _found[source, book] = find(source, book, sentences)
    return known


_found = {}
