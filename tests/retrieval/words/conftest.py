"""Files on words small enough to be read at a glance, and a data directory of the test's own."""

import pytest

from retrieval.engine.words.kinds import KINDS
from retrieval.words import tables

FILES = {
    "vectors": "boats 1 0 .2\nfleet 1 .1 .2\nlamps 0 1 .3\nmorning .3 .3 1\ntown .1 .2 .9\nboat .9 0 .2\n",
    "lemmas": "boats\tboat\nlamps\tlamp\nspeaks\tspeak\n",
    "synonyms": "boat boats fleet\nlamp lamps light\n",
    "stop-list": "the\nof\nis\n",
}


@pytest.fixture
def data(settings, tmp_path):
    settings.DATA_DIR, settings.DEVICE = tmp_path / "data", "cpu"
    settings.DATA_DIR.mkdir()
    return settings.DATA_DIR


@pytest.fixture
def file(tmp_path):
    """Write a file on words of one kind; a text in place of the usual one where it is given."""

    def of(kind, text=None):
        place = tmp_path / f"{kind}.txt"
        place.write_text(FILES[kind] if text is None else text)
        return place

    return of


@pytest.fixture
def add(data, db, file):
    """Keep a file of one kind under a name; return its row."""

    def of(kind, slug, text=None, **facts):
        return tables.add(file(kind, text), KINDS[kind], slug, **facts)[0]

    return of
