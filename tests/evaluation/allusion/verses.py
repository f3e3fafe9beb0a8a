"""A psalter of our own as a corpus of verses, and a span study whose items point into it."""

from __future__ import annotations

from annotation.models import Item, Study
from retrieval.corpora.models import Corpus, Document
from retrieval.corpora.models import State as CorpusState
from tests.evaluation.marked import marked

VERSES = {
    "Shore-Psalter_4_1": "The night is long, and the lamp is small.",
    "Shore-Psalter_4_2": "The tide asketh of no man a second time.",
    "Shore-Psalter_4_3": "Ask the guide nothing while he is listening.",
    "2-Tides_1_7": "He that keepeth his lamp shall find the quay.",
    "2-Tides_1_8": "Twice is the gull hungry, and twice fed.",
}
# Tokens of tests.evaluation.marked.TEXT:
# 0 Keep 1 your 2 lamp 3 , 4 neighbour 5 , 6 for 7 the 8 tide 9 asks 10 no 11 man 12 twice 13 , 14 and …


def psalter(slug: str = "psalter") -> Corpus:
    """Store the verses as a corpus."""
    corpus = Corpus.objects.create(
        slug=slug, title="The Shore Psalter", state=CorpusState.READY, n_documents=len(VERSES), n_words=40
    )
    Document.objects.bulk_create(
        Document(
            corpus=corpus,
            number=n,
            external_id=name,
            title=name.replace("_", " ", 1).replace("_", ":").replace("-", " "),
            text=text,
            lemmata=text.lower().rstrip("."),
            digest=str(n),
        )
        for n, (name, text) in enumerate(VERSES.items())
    )
    return corpus


def sermon(*items, citations=("Shore Psalter 4:2",), **more) -> Study:
    """Make a span study (`marked`) in which every item points to these citations."""
    study = marked(*items, **more)
    for item in Item.objects.filter(study=study):
        (first,) = item.payload["references"]
        item.payload["references"] = [{**first, "citation": each} for each in citations]
        item.save()
    return study
