"""Documents, topics, what rankers made of both, and what was judged of it elsewhere."""

from retrieval.corpora.models.documents import Corpus, Document, State
from retrieval.corpora.models.pools import Grade, Pool, PoolEntry, Qrels
from retrieval.corpora.models.runs import Ranked, Run, RunState
from retrieval.corpora.models.searches import SearchJob
from retrieval.corpora.models.topics import Topic, TopicSet, TopicVersion

__all__ = [
    "Corpus",
    "Document",
    "Grade",
    "Pool",
    "PoolEntry",
    "Qrels",
    "Ranked",
    "Run",
    "RunState",
    "SearchJob",
    "State",
    "Topic",
    "TopicSet",
    "TopicVersion",
]
