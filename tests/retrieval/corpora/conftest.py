"""Files of documents and topics, and the commands that load them."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from retrieval.corpora.models import Corpus

pytestmark = pytest.mark.django_db


def said(*args):
    """Run a command and return what it printed."""
    out = StringIO()
    call_command(*args, stdout=out)
    return out.getvalue()


@pytest.fixture
def written(tmp_path):
    """Write rows as JSON lines, or text as it is, into a file of this name."""

    def write(name, *rows):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True, parents=True)
        lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return file

    return write


def document(n, **more):
    """Return a document of a JSONL file."""
    return {"id": f"d{n}", "title": f"Title {n}", "text": f"The quay at hour {n} was wet and loud.", **more}


@pytest.fixture
def quay(written):
    """Five documents and two topics, loaded."""
    said("import_corpus", written("quay.jsonl", *map(document, range(1, 6))), "--slug", "quay")
    said("import_topics", written("topics.tsv", "t1\twet quay", "t2\tlate boats"), "--slug", "boats")
    return Corpus.objects.get()
