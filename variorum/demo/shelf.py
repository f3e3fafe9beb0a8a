"""The demonstration's corpus: the novel and its critics in pieces, what is looked for in it, and a pool.

Three runs search the novel: by the words of the topics, and by those and what feedback adds to them, from the
novel itself and from its critics. The pool holds what they find first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.contrib.auth.models import User

from retrieval.corpora.loading import texts, topics
from retrieval.corpora.loading.texts import Chosen
from retrieval.corpora.models import Corpus, Pool, Run, TopicSet
from retrieval.corpora.runs import pools
from retrieval.corpora.searching import running
from retrieval.corpora.searching.plans import Feedback, Plan
from retrieval.engine.corpora.tokenising import TokenSettings
from variorum.demo.sermon import SAMPLE

CORPUS, NEEDS = "hallam", "hallam-needs"
TOPICS = SAMPLE / "topics.jsonl"
SENTENCES = 5
"""Sentences of a document: a line of dialogue alone is nothing one can judge."""
FICTION, CRITICISM = "fiction", "criticism"
FEEDBACK: dict[str, str | None] = {"bm25": None, "rm3-fiction": FICTION, "rm3-criticism": CRITICISM}
"""Genre of the feedback by name of the run."""
DEPTH, POOLED = 50, 10


def pool(novel: str, critics: Sequence[str], staff: User, say: Callable[[str], None]) -> Pool:
    """Return the pool, made where there is none; ``novel`` and ``critics`` are slugs of the texts."""
    corpus = Corpus.objects.filter(slug=CORPUS).first() or cut(novel, critics)
    needs = TopicSet.objects.filter(slug=NEEDS).first() or asked()
    made = Pool.objects.filter(corpus=corpus, topics=needs).order_by("number").first()
    if made is not None:
        return made
    say("Searching the novel for what its critics might look for …")
    return pools.make([run(corpus, needs, name, staff) for name in FEEDBACK], POOLED, staff)


def cut(novel: str, critics: Sequence[str]) -> Corpus:
    """Cut the texts into documents."""
    chosen = [Chosen(novel, FICTION), *(Chosen(each, CRITICISM) for each in critics)]
    facts = {
        "slug": CORPUS,
        "title": "The Stand of the Tide and its critics",
        "language": "en",
        "source": "The sample: a novel and four critics, five sentences a document",
        "licence": "Written for Variorum (MIT; CC0 1.0)",
    }
    return texts.load(chosen, SENTENCES, facts).corpus


def asked() -> TopicSet:
    """Load the topics."""
    facts = {"slug": NEEDS, "title": "What a critic looks for", "source": "Written for Variorum"}
    return topics.load(TOPICS, facts).topics


def run(corpus: Corpus, needs: TopicSet, name: str, staff: User) -> Run:
    """Return the run of that name, made where there is none."""
    found = Run.objects.filter(corpus=corpus, name=name).first()
    if found is not None:
        return found
    genre = FEEDBACK[name]
    plan = Plan(
        fields=("title", "description"),
        genres=(FICTION,),
        depth=DEPTH,
        tokens=TokenSettings(stop_list="lucene"),
        feedback=Feedback(((genre,),)) if genre else None,
    )
    return running.make_run(corpus, needs, name, plan, staff)
