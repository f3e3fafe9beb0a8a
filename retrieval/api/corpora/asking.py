"""What scripts say to have a model asked about a corpus: the work, the model, and what it may spend."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from common.api import StrictSerializer
from common.errors import BadField
from retrieval.corpora.models import Corpus, QuestionSet, Run, TopicSet
from retrieval.corpora.reranking.jobs import Limits
from retrieval.corpora.reranking.plans import METHODS, RerankPlan
from retrieval.corpora.reranking.recalling import RecallPlan
from retrieval.corpora.runs import naming
from retrieval.corpora.searching.plans import FIELDS

LARGEST = 2**62
LIMITS = ("micro_units", "tokens", "calls")
RERANK, RECALL = RerankPlan(run="any"), RecallPlan("any")


class LimitsSerializer(StrictSerializer):
    """What a job may spend. What is left out is not limited."""

    micro_units = serializers.IntegerField(
        required=False, min_value=0, max_value=LARGEST, help_text="Millionths of the currency"
    )
    tokens = serializers.IntegerField(required=False, min_value=1, max_value=LARGEST)
    calls = serializers.IntegerField(required=False, min_value=1, max_value=2**31 - 1)

    def limits(self) -> Limits:
        """Return what may be spent. Only after `is_valid`."""
        return Limits(**{name: self.validated_data.get(name) for name in LIMITS})


class AskSerializer(LimitsSerializer):
    """What every job says that asks a model. One limit at least is needed to start it; 0 money is free."""

    endpoint = serializers.CharField(max_length=50, help_text="Alias of a model that the installation allows")
    seed = serializers.IntegerField(default=0, min_value=0, max_value=LARGEST)


class QuerySerializer(AskSerializer):
    """What every job says that asks about topics of a corpus."""

    corpus = serializers.SlugField()
    fields_of_topic = serializers.ListField(
        child=serializers.ChoiceField(FIELDS),
        default=list(RERANK.fields),
        min_length=1,
        help_text="Which parts of a topic are the query, in this order",
    )

    def found(self) -> Corpus:
        """Return the corpus. Raises `BadField`."""
        corpus = Corpus.objects.ready().filter(slug=self.validated_data["corpus"]).first()
        if corpus is None:
            raise BadField("corpus", f"There is no corpus “{self.validated_data['corpus']}”.")
        return corpus


class NewRerankingSerializer(QuerySerializer):
    """A re-ranking of a run, or of a pool with its topics."""

    name = serializers.SlugField(max_length=80, help_text="Of the new run")
    run = serializers.SlugField(default="", allow_blank=True, help_text="The run that is put into order")
    pool = serializers.IntegerField(default=None, min_value=1, help_text="Or the number of a pool")
    topics = serializers.SlugField(default="", allow_blank=True, help_text="Of the pool; a run has its own")
    method = serializers.ChoiceField(list(METHODS), default=RERANK.method)
    objective = serializers.CharField(
        default="", allow_blank=True, help_text="What makes a document the right one"
    )
    depth = serializers.IntegerField(default=RERANK.depth, help_text="Documents of a topic that are shown")
    window = serializers.IntegerField(default=RERANK.window, help_text="Of `rank`")
    step = serializers.IntegerField(default=RERANK.step, help_text="Of `rank`")
    orders = serializers.IntegerField(
        default=1, help_text="First orders that are joined, of `rank` and `vanilla`; costs as many times"
    )
    ties = serializers.CharField(
        default="", allow_blank=True, max_length=200, help_text="The encoder that orders equal scores"
    )
    one_hop = serializers.BooleanField(default=False, help_text="What the first documents cite joins")
    first = serializers.IntegerField(default=RERANK.first, help_text="Of one-hop: whose citations")
    joined = serializers.IntegerField(default=RERANK.joined, help_text="Of one-hop: how long the list")
    leave_source = serializers.BooleanField(
        default=False, help_text="Leave out the document that a topic was written from"
    )
    unreadable_allowed = serializers.BooleanField(
        default=False, help_text="Go on though more than a fifth of the replies cannot be read"
    )

    def of(self, corpus: Corpus) -> TopicSet:
        """Return the topics. Raises `BadField`."""
        said = self.validated_data
        if said["run"]:
            run = Run.objects.filter(corpus=corpus, name=said["run"]).select_related("topics").first()
            if run is None:
                raise BadField("run", f"“{corpus.slug}” has no run “{said['run']}”.")
            return run.topics
        if not said["topics"]:
            raise BadField("topics", "Say of which topics the pool is; or name a run, which has its own.")
        return naming.topic_set(said["topics"])

    def plan(self) -> RerankPlan:
        """Return the plan. Raises `BadField`."""
        said: dict[str, Any] = dict(self.validated_data)
        parts = tuple(said.pop("fields_of_topic"))
        for name in (*LIMITS, "endpoint", "corpus", "name", "topics"):
            said.pop(name, None)
        return RerankPlan(fields=parts, **said)


class NewRecallSerializer(QuerySerializer):
    """A check of which topics a model can answer without being shown any document."""

    qrels = serializers.SlugField(help_text="The judgments whose relevant documents are the targets")
    level = serializers.IntegerField(
        default=None, min_value=1, help_text="The least grade that is relevant; left out: half the highest"
    )
    replicates = serializers.IntegerField(default=RECALL.replicates, help_text="How often each is asked")

    def of(self, corpus: Corpus) -> TopicSet:
        """Return the topics that the judgments are of. Raises `BadField`."""
        name = self.validated_data["qrels"]
        qrels = corpus.qrels.filter(name=name).select_related("topics").first()
        if qrels is None:
            raise BadField("qrels", f"“{corpus.slug}” has no judgments “{name}”.")
        return qrels.topics

    def plan(self) -> RecallPlan:
        """Return the plan. Raises `BadField`."""
        said = self.validated_data
        parts = tuple(said["fields_of_topic"])
        return RecallPlan(said["qrels"], said["level"], said["replicates"], parts, said["seed"])


class NewWritingSerializer(AskSerializer):
    """The writing of those questions of a set that wait."""

    set = serializers.SlugField(help_text="Slug of the set of questions")

    def found(self) -> QuestionSet:
        """Return the set. Raises `BadField`."""
        found = QuestionSet.objects.select_related("corpus").filter(slug=self.validated_data["set"]).first()
        if found is None:
            raise BadField("set", f"There is no set of questions “{self.validated_data['set']}”.")
        return found
