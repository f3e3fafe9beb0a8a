"""What an evaluation was computed from, each with a digest, so that what is out of date is told."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from django.db.models import Count, Max

from annotation.models import Decision, Item, Judgment, Study
from evaluation.runs import stored
from evaluation.runs.judgments import PREFIX
from evaluation.runs.measuring import Asked
from retrieval.corpora.loading.topics import current
from retrieval.corpora.models import Qrels, Run

SHOWN = 12
"""Characters of a digest that pages print."""


def digests(asked: Asked) -> dict[str, str]:
    """Return a digest of each input by its name. Raises `BadField` where one is not here any more.

    Rows of runs and of loaded judgments never change: the digest is of what they were read or made from.
    That of a study is of its judgments and decisions, that of the topics of their current wordings.
    """
    runs = stored.runs_of(asked.corpus, asked.runs, asked.topics)
    found = {f"run {run.name}": _of_run(run) for run in runs}
    if asked.study:
        found[f"judgments {PREFIX}{asked.study.slug}"] = _of_study(asked.study)
    else:
        judged = stored.qrels_of(asked.corpus, asked.qrels, asked.topics)
        found[f"judgments {judged.name}"] = _of_qrels(judged)
    found[f"topics {asked.topics.slug}"] = _digest(current(asked.topics).values_list("pk", flat=True))
    return found


def _of_run(run: Run) -> str:
    return _digest([run.corpus.sha256, run.pk, run.sha256, run.ranker, run.parameters, run.made_with])


def _of_qrels(judged: Qrels) -> str:
    return _digest([judged.pk, judged.sha256])


def _of_study(study: Study) -> str:
    given = Judgment.objects.filter(assignment__item__study=study)
    decided = Decision.objects.filter(item__study=study)
    counts = [rows.aggregate(n=Count("pk"), last=Max("pk")) for rows in (given, decided)]
    left = Item.objects.filter(study=study, retired__isnull=False).count()
    return _digest([study.pk, counts, left])


def _digest(what: Iterable[Any]) -> str:
    return sha256(json.dumps(list(what), sort_keys=True, default=str).encode()).hexdigest()
