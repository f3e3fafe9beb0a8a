"""What runs with feedback from judgments leave to be measured: the residual corpus.

Chang, Cirillo and Razon 1971: documents that feedback was taken from are taken out of the judgments and of
every run that is compared, also of those that had no feedback: all are measured on the same documents.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from evaluation.metrics.ranking.graded import Qrels, n_judged
from evaluation.runs.files import LaterRun, ReadRun, read

Used = Mapping[str, Collection[str]]
"""Ids of documents by id of the topic."""


def without(
    qrels: Qrels, runs: Sequence[ReadRun | LaterRun], used: Used
) -> tuple[Qrels, list[ReadRun | LaterRun], int]:
    """Return judgments and runs without these documents, and how many judgments that took away."""
    rest = {
        topic: {document: grade for document, grade in given.items() if document not in used.get(topic, ())}
        for topic, given in qrels.items()
    }
    gone = n_judged(qrels) - n_judged(rest)
    return rest, [LaterRun(run.name, partial(_without, run, used)) for run in runs], gone


def _without(given: ReadRun | LaterRun, used: Used) -> ReadRun:
    found = read(given)
    documents = found.run.documents
    numbers = dict(found.run.numbers)
    for topic in used.keys() & numbers.keys():
        kept = [documents[number] not in used[topic] for number in numbers[topic]]
        numbers[topic] = numbers[topic][np.array(kept, dtype=np.bool_)]
    return found._replace(run=replace(found.run, numbers=numbers))
