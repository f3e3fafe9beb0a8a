"""A study's grades as qrels: one grade a topic and document, by a rule that is named beside them.

The judgments file is TREC's four bare columns: a header line breaks trec_eval before version 10. What stands
behind the grades is a second file, bound to the first by its SHA-256.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from annotation.adjudication.worklist import current_decisions
from annotation.models import Outcome, Study
from annotation.tasktypes.base import Invalid
from common.errors import BadInput
from evaluation.kinds.answers import OUTCOMES, Judged, work_items
from evaluation.kinds.base import Graded
from evaluation.kinds.columns import Unreadable
from evaluation.kinds.registry import kind_of
from evaluation.metrics.ranking.from_grades import RULES, Given, Pair, QrelsOfGrades, qrels_of
from evaluation.metrics.ranking.graded import default_level
from evaluation.report.compute import code_version
from retrieval.corpora.models import Pool, TopicVersion
from retrieval.engine.interchange.objects import checked_id

VERSION = 1
SAID = {
    "median": "the middle grade, of two middle ones the lower",
    "majority": "the grade given most often, of equally frequent ones the lowest",
    "mean": "the mean grade, halves rounded up",
    "decided": "what an adjudicator decided, and nothing else",
}
"""Each rule in words."""


class StudyQrels(NamedTuple):
    """Judgments made of a study.

    ``study``: of which; ``pools``: of documents of the first so many pools alone, None of all.
    ``made``: the grades, and what stands behind each.
    ``labels``: of the scale, lowest first; empty where items have different ones.
    ``highest``: the highest grade of the scale; ``level``: the least that counts as relevant.
    ``readers``: pseudonyms of those with a judgment on it; ``simulated``: of the programs among them.
    ``outcomes``: current judgments by outcome, of those pools alone.
    """

    study: Study
    pools: int | None
    made: QrelsOfGrades
    labels: tuple[str, ...]
    highest: int
    level: int
    readers: tuple[str, ...]
    simulated: tuple[str, ...]
    outcomes: dict[str, int]

    @property
    def n_pairs(self) -> int:
        return sum(map(len, self.made.qrels.values()))

    @property
    def n_of_two(self) -> int:
        """Pairs that two readers graded: of these the median is the lower grade."""
        return sum(n == 2 for n in self.made.annotators.values())

    @property
    def rule(self) -> str:
        """The rule in words, and that decisions stand over it where there are any."""
        over = self.made.n_decided and self.made.rule != "decided"
        return SAID[self.made.rule] + ("; a decision stands over it" if over else "")


def study_qrels(
    study: Study, rule: str = "median", level: int | None = None, pools: int | None = None
) -> StudyQrels:
    """Make one grade of those of all readers of each topic and document.

    ``level``: written beside them, by default half the scale, rounded up; it changes no grade. ``pools``: of
    documents of the pools numbered 1 to this alone, as if no later one had been judged; None for all.

    Raises:
        BadInput: the rule is unknown, the study's items have no topic and document, or an id that no run
            could name; nothing was graded or decided; no item comes of such a pool; or the level lies beyond
            the scale.
    """
    if rule not in RULES:
        raise BadInput(f"The rule must be one of {', '.join(RULES)}, not {rule!r}.")
    judged, graded = _read(study)
    pairs = _pairs(study, pools)
    try:
        made = qrels_of(_given(judged, graded, pairs), rule, _decided(study, pairs))
    except ValueError as error:
        raise BadInput(str(error)) from error
    if not made.qrels:
        raise BadInput(
            "There is nothing to write: nothing was decided yet."
            if rule == "decided"
            else "There is nothing to write: no reader has given a grade yet."
        )
    if level is not None and not 1 <= level <= graded.highest:
        raise BadInput(f"The level of relevance must lie between 1 and {graded.highest}, not at {level}.")
    counted = judged.rows.only(np.isin(judged.keys[judged.rows.item], list(pairs)))
    active = [judged.readers[place] for place in np.unique(counted.reader).tolist()]
    return StudyQrels(
        study,
        pools,
        made,
        graded.labels,
        graded.highest,
        level or default_level(graded.highest),
        tuple(each.pseudonym for each in active),
        tuple(each.pseudonym for each in active if each.simulated),
        dict(zip(OUTCOMES, np.bincount(counted.outcome, minlength=len(OUTCOMES)).tolist(), strict=True)),
    )


def _read(study: Study) -> tuple[Judged, Graded]:
    try:
        kind = kind_of(study)
        judged = kind.read(study)
    except (Unreadable, Invalid) as error:
        raise BadInput(str(error)) from error
    graded = kind.graded(judged)
    if graded is None:
        raise BadInput(f"The task “{study.task}” yields {kind.name} data: qrels are made of grades.")
    return judged, graded


def _pairs(study: Study, pools: int | None) -> dict[int, Pair]:
    """Topic and document of each work item that counts, by its primary key."""
    items = work_items(study)
    if pools is not None:
        keys = [each.pk for each in pools_of(study) if each.number <= pools]
        items = items.filter(provenance__pool__in=keys)
        if not items.exists():
            raise BadInput(f"No item of the study comes of a pool numbered 1 to {pools}.")
    found = items.values_list("pk", "number", "payload__topic__id", "payload__document__id")
    pairs: dict[int, Pair] = {}
    for key, number, topic, document in found.iterator(chunk_size=5000):
        if topic is None or document is None:
            raise BadInput(
                f"Item {number} has no topic and document with an id: qrels are made of studies of relevance."
            )

        def wrong(line: int, what: str, number: int = number) -> BadInput:
            return BadInput(f"Item {number}: {what}")

        pairs[key] = checked_id(str(topic), number, wrong), checked_id(str(document), number, wrong)
    return pairs


def _given(judged: Judged, graded: Graded, pairs: dict[int, Pair]) -> Iterator[Given]:
    """Every current judgment, without a grade where it is no answer."""
    keys, readers = judged.keys.tolist(), [each.pseudonym for each in judged.readers]
    columns = (judged.rows.item, judged.rows.reader, graded.grade)
    for item, reader, grade in zip(*(each.tolist() for each in columns), strict=True):
        if keys[item] in pairs:
            yield Given(*pairs[keys[item]], readers[reader], None if grade < 0 else grade)


def _decided(study: Study, pairs: dict[int, Pair]) -> dict[Pair, int | None]:
    numbers_of = study.task_type.every_number
    found = ((pairs[each.item_id], each.answer) for each in current_decisions(study) if each.item_id in pairs)
    return {pair: None if answer is None else numbers_of(answer)[0] for pair, answer in found}


def lines(found: StudyQrels, header: bool = False) -> Iterator[str]:
    """Topic, 0, document and grade, sorted by topic and document.

    ``header``: a first line that begins with # and names study and rule, which trec_eval reads from version
    10 on, and no tool before.
    """
    if header:
        yield f"# {found.study.slug}: {found.rule}; trec_eval 10 or later\n"
    for topic, documents in found.made.qrels.items():
        for document, grade in documents.items():
            yield f"{topic} 0 {document} {grade}\n"


def about(found: StudyQrels, written: str) -> dict[str, Any]:
    """What stands behind the grades, for the file beside them; ``written``: the judgments file."""
    made, study = found.made, found.study
    readers: dict[str, dict[str, int]] = {}
    for (topic, document), n in made.annotators.items():
        readers.setdefault(topic, {})[document] = n
    return {
        "qrels_version": VERSION,
        "sha256": sha256(written.encode()).hexdigest(),
        "study": study.slug,
        "title": study.title,
        "rule": made.rule,
        "rule_in_words": found.rule,
        "scale": {"lowest": 0, "highest": found.highest, "labels": list(found.labels)},
        "level": found.level,
        "n_topics": len(made.qrels),
        "n_pairs": found.n_pairs,
        "n_decided": made.n_decided,
        "n_undecided": found.outcomes[Outcome.UNDECIDED],
        "n_broken": found.outcomes[Outcome.BROKEN],
        "left_out": [list(pair) for pair in made.left_out],
        "readers": list(found.readers),
        "simulated_readers": list(found.simulated),
        "upto_pool": found.pools,
        **_made_of(study),
        "open": study.is_open,
        "code_version": code_version(),
        "readers_per_pair": readers,
    }


def pools_of(study: Study) -> list[Pool]:
    """The pools that its items were made of, by number."""
    keys = work_items(study).order_by().values_list("provenance__pool", flat=True).distinct()
    rows = Pool.objects.filter(pk__in=[key for key in keys if key is not None])
    return list(rows.select_related("corpus", "topics").prefetch_related("runs").order_by("number", "pk"))


def _made_of(study: Study) -> dict[str, Any]:
    """The pools that items were made of, and which wording of each topic was judged."""
    keys = work_items(study).order_by().values_list("provenance__topic_version", flat=True).distinct()
    wordings = TopicVersion.objects.filter(pk__in=[key for key in keys if key is not None])
    versions: dict[str, list[int]] = {}
    for topic, version in wordings.order_by("topic__number", "version").values_list(
        "topic__external_id", "version"
    ):
        versions.setdefault(topic, []).append(version)
    return {
        "pools": [
            {
                "corpus": each.corpus.slug,
                "topics": each.topics.slug,
                "number": each.number,
                "depth": each.depth,
                "runs": sorted(run.name for run in each.runs.all()),
            }
            for each in pools_of(study)
        ],
        "topic_versions": versions,
    }


def sidecar(found: StudyQrels, written: str) -> str:
    """The second file as text."""
    return json.dumps(about(found, written), ensure_ascii=False, indent=2) + "\n"
