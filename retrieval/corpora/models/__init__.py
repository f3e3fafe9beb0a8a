"""Documents, topics, what rankers and models made of both, and what was judged of it elsewhere."""

from retrieval.corpora.models.asked import EndpointJob, Recall, What
from retrieval.corpora.models.citations import Citation
from retrieval.corpora.models.documents import Corpus, Document, State
from retrieval.corpora.models.pools import Grade, Pool, PoolEntry, Qrels
from retrieval.corpora.models.questions import Question, QuestionEdit, QuestionSet, Standing
from retrieval.corpora.models.runs import Ranked, Run, RunState
from retrieval.corpora.models.searches import SearchJob
from retrieval.corpora.models.topics import Topic, TopicSet, TopicVersion

__all__ = [
    "Citation",
    "Corpus",
    "Document",
    "EndpointJob",
    "Grade",
    "Pool",
    "PoolEntry",
    "Qrels",
    "Question",
    "QuestionEdit",
    "QuestionSet",
    "Ranked",
    "Recall",
    "Run",
    "RunState",
    "SearchJob",
    "Standing",
    "State",
    "Topic",
    "TopicSet",
    "TopicVersion",
    "What",
]
