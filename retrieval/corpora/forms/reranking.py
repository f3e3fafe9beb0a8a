"""The forms that have a model put documents into order, and check what it knows by heart."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django import forms

from common.errors import BadField
from machines.endpoints import endpoints
from retrieval.corpora.forms.searching import parts_of_topics
from retrieval.corpora.models import Corpus, EndpointJob, Pool, Qrels, Run, TopicSet
from retrieval.corpora.reranking import dry_runs, plans, recalls, runs
from retrieval.corpora.reranking.estimating import Expected
from retrieval.corpora.reranking.jobs import Limits
from retrieval.corpora.reranking.plans import RerankPlan
from retrieval.corpora.reranking.recalling import MOST_REPLICATES, RecallPlan
from retrieval.corpora.searching.plans import DensePlan
from retrieval.dense import checkpoints
from retrieval.forms.acting import ActingForm

if TYPE_CHECKING:
    from django.contrib.auth.models import User

MILLION = 1_000_000
FURTHER = ("window", "step", "orders", "ties", "one_hop", "source")
ESTIMATE = "estimate"
"""The value of the button that asks for an estimate and launches nothing."""
TRY = "try"
"""The value of the button that launches a dry run."""


class LimitsForm(ActingForm):
    """What a job may spend."""

    limit = forms.DecimalField(
        label="Spend at most",
        required=False,
        min_value=Decimal(0),
        max_value=Decimal(1_000_000),
        decimal_places=4,
        help_text="In the currency of the model’s price list. 0: nothing that costs.",
    )
    calls = forms.IntegerField(
        label="Calls at most",
        required=False,
        min_value=0,
        max_value=10_000_000,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("limit", "calls"):
            self.fields[name].needed = "one of both is needed"  # type: ignore[attr-defined]

    def limits(self) -> Limits:
        """Return what may be spent."""
        limit = self.cleaned_data["limit"]
        return Limits(None if limit is None else int(limit * MILLION), None, self.cleaned_data["calls"])


class AskForm(LimitsForm):
    """What every form asks that has a model asked: which one, and what may be spent."""

    endpoint = forms.ChoiceField(label="Model")
    field_order = ("endpoint",)

    def __init__(self, *args: Any, corpus: Corpus, by: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._corpus, self._by = corpus, by
        known = endpoints()
        self.choose("endpoint", [(name, str(known[name])) for name in sorted(known)])

    def choose(self, name: str, choices: list[tuple[str, str]]) -> None:
        """Set the choices of a field."""
        self.fields[name].choices = choices  # type: ignore[attr-defined]


class RerankForm(AskForm):
    """A re-ranking of a run or a pool."""

    can_be_tried = True

    start = forms.ChoiceField(label="Put into order")
    name = forms.SlugField(
        label="Name of the new run", max_length=80, help_text="Letters, digits, - and _: the tag in its file."
    )
    method = forms.ChoiceField(label="Method", choices=list(plans.METHODS.items()))
    objective = forms.CharField(
        label="What makes a document the right one",
        required=False,
        max_length=plans.LONGEST_OBJECTIVE,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="The objective of the task, told to the model beside each topic. Empty: the topic alone.",
    )
    fields_of_topic = forms.MultipleChoiceField(
        label="The query is the topic’s",
        initial=["title"],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose one part of a topic at least."},
    )
    depth = forms.IntegerField(
        label="Documents a topic",
        min_value=2,
        max_value=plans.DEEPEST,
        initial=RerankPlan.depth,
        help_text="So many are shown to the model; those behind them keep their order.",
    )
    window = forms.IntegerField(
        label="Window",
        min_value=2,
        max_value=100,
        initial=RerankPlan.window,
        help_text="Of Rank: passages that are ordered at once.",
    )
    step = forms.IntegerField(
        label="Step",
        min_value=1,
        max_value=100,
        initial=RerankPlan.step,
        help_text="Of Rank: by so many the next window begins earlier.",
    )
    orders = forms.IntegerField(
        label="First orders",
        min_value=1,
        max_value=plans.MOST_ORDERS,
        initial=1,
        help_text="Of Rank and Vanilla: each topic is ordered so often, from shuffled lists, and the orders "
        "are joined. Only a run with two or more says how far the order shown decides. "
        "Costs as many times.",
    )
    ties = forms.ChoiceField(
        label="Equal scores are ordered by", required=False, help_text="An encoder, or the first run itself."
    )
    one_hop = forms.BooleanField(
        label="What the first 50 documents cite joins the list (one-hop)", required=False
    )
    source = forms.ChoiceField(
        label="The document that a topic was written from",
        choices=[("keep", "stays"), ("leave", "is left out"), ("both", "both: two runs")],
        initial="keep",
        help_text="It cites the topic’s target, so one-hop finds the target through it.",
    )

    def __init__(self, *args: Any, corpus: Corpus, by: User, **kwargs: Any) -> None:
        super().__init__(*args, corpus=corpus, by=by, **kwargs)
        own = Run.objects.filter(corpus=corpus).select_related("topics").order_by("name")
        starts = [(f"run:{each.name}", f"the run {each.name} ({each.topics})") for each in own]
        pools = Pool.objects.filter(corpus=corpus).select_related("topics")
        starts += [
            (f"pool:{each.topics.slug}:{each.number}", f"pool {each.number} of {each.topics}")
            for each in pools
        ]
        self.choose("start", starts)
        self.choose("fields_of_topic", parts_of_topics())
        dense = [each for each in checkpoints.ranker_choices() if each[0].startswith(f"{DensePlan.ranker}:")]
        encoders = [(name.partition(":")[2], label) for name, label in dense]
        self.choose("ties", [("", "the scores of the first run"), *encoders])
        self.order_fields(["start", "name", "endpoint", "method", "objective"])

    @property
    def further(self) -> list[forms.BoundField]:
        """The fields that most re-rankings leave as they are."""
        return [self[name] for name in FURTHER]

    @property
    def first(self) -> list[forms.BoundField]:
        """The fields that are looked at each time."""
        return [each for each in self if each.name not in FURTHER]

    @property
    def further_wrong(self) -> bool:
        """Whether one of the further fields was refused."""
        return any(name in self.errors for name in FURTHER)

    def expected(self) -> Expected | None:
        """Return what it would take; None where it is refused and the form says why."""
        return self.attempt(
            lambda: dry_runs.expected(
                self._corpus, self._topics(), self.cleaned_data["endpoint"], self._plan(leave=self._leaves)
            )
        )

    def dry_run(self) -> EndpointJob | None:
        """Return a new job that tries three calls; None where it was refused and the form says why."""
        asked = self.cleaned_data
        told = (self._corpus, self._topics(), asked["name"], asked["endpoint"])
        return self.attempt(
            lambda: dry_runs.submit(*told, self._plan(leave=self._leaves), self.limits(), self._by)
        )

    def launch(self) -> EndpointJob | None:
        """Return the new job, the first of two where both were asked for; None where it was refused."""
        asked = self.cleaned_data
        told = (self._corpus, self._topics(), asked["name"], asked["endpoint"])
        if asked["source"] == "both":
            both = self.attempt(
                lambda: runs.submit_both(*told, self._plan(leave=False), self.limits(), self._by)
            )
            return both[0] if both else None
        return self.attempt(
            lambda: runs.submit(*told, self._plan(leave=self._leaves), self.limits(), self._by)
        )

    @property
    def _leaves(self) -> bool:
        """Whether each topic's own source is left out."""
        return bool(self.cleaned_data["source"] == "leave")

    def _topics(self) -> TopicSet:
        kind, name, *_ = self.cleaned_data["start"].split(":")
        if kind == "run":
            return Run.objects.select_related("topics").get(corpus=self._corpus, name=name).topics
        return TopicSet.objects.get(slug=name)

    def _plan(self, *, leave: bool) -> RerankPlan:
        asked = self.cleaned_data
        kind, name, *number = asked["start"].split(":")
        if not asked["fields_of_topic"]:
            raise BadField("fields_of_topic", "Choose one part of a topic at least.")
        return RerankPlan(
            run=name if kind == "run" else "",
            pool=int(number[0]) if number else None,
            fields=tuple(asked["fields_of_topic"]),
            leave_source=leave,
            **{
                each: asked[each]
                for each in ("method", "objective", "depth", "window", "step", "orders", "ties", "one_hop")
            },
        )


def initial_of(job: EndpointJob) -> dict[str, Any]:
    """Return the fields of the form that a dry run was launched with."""
    plan, name = plans.from_json(job.plan), job.name.removesuffix(dry_runs.ENDING)
    start = f"run:{plan.run}" if plan.run else f"pool:{job.topics.slug if job.topics else ''}:{plan.pool}"
    same = ("method", "objective", "depth", "window", "step", "orders", "ties", "one_hop")
    return {
        **{each: getattr(plan, each) for each in same},
        "start": start,
        "name": name,
        "endpoint": job.endpoint,
        "fields_of_topic": list(plan.fields),
        "source": "leave" if plan.leave_source else "keep",
    }


class RecallForm(AskForm):
    """A check of which topics a model can answer without being shown any document."""

    qrels = forms.ChoiceField(
        label="Targets", help_text="What these judgments call relevant must not come back word for word."
    )
    replicates = forms.IntegerField(
        label="Times each topic is asked",
        min_value=1,
        max_value=MOST_REPLICATES,
        initial=RecallPlan.replicates,
    )

    def __init__(self, *args: Any, corpus: Corpus, by: User, **kwargs: Any) -> None:
        super().__init__(*args, corpus=corpus, by=by, **kwargs)
        rows = Qrels.objects.filter(corpus=corpus).select_related("topics")
        self.choose("qrels", [(each.name, f"{each.name} ({each.topics})") for each in rows])
        self.order_fields(["qrels", "endpoint", "replicates"])

    def expected(self) -> Expected | None:
        """Return what it would take; None where it is refused and the form says why."""
        return self.attempt(
            lambda: recalls.expected(
                self._corpus, self._topics(), self.cleaned_data["endpoint"], self._plan()
            )
        )

    def launch(self) -> EndpointJob | None:
        """Return the new job; None where it was refused and the form says why."""
        told = (self._corpus, self._topics(), self.cleaned_data["endpoint"])
        return self.attempt(lambda: recalls.submit(*told, self._plan(), self.limits(), self._by))

    def _topics(self) -> TopicSet:
        name = self.cleaned_data["qrels"]
        return Qrels.objects.select_related("topics").get(corpus=self._corpus, name=name).topics

    def _plan(self) -> RecallPlan:
        return RecallPlan(self.cleaned_data["qrels"], replicates=self.cleaned_data["replicates"])
