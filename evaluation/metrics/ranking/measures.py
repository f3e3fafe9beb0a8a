"""Measures of a run on relevance judgments, each a value for every topic.

They are trec_eval's, to the last digits, under the names that papers use. R is the number of relevant
documents of a topic, retrieved or not; g the grade, rel whether it reaches the level, i the rank.

    MAP          (1 / R) sum_i rel_i P@i                     MAP@k: ranks up to k, still divided by R
    recall@k     relevant among the first k / R              P@k: / k, however few were retrieved
    success@k    1 where one of the first k is relevant      MRR: 1 / rank of the first relevant document
    R-precision  relevant among the first R / R
    bpref        (1 / R) sum_rel 1 - min(n_above, R) / min(N, R), N judged non-relevant documents in all,
                 n_above of them above it; documents without a judgment are passed over
    nDCG         sum_i g_i / log2(i + 1) over its greatest possible value; nDCG-exp takes 2^g - 1 for g
    RBP(p)       (1 - p) sum_i g_i / g_max p^(i-1), g_max the highest grade of the scale
    residual(p)  what RBP(p) lacks at most: every document without a judgment counted as g_max, and p^n for
                 all ranks behind the n-th, which is the last
    judged@k     1 - documents without a judgment among the first k / k: a rank that is empty hides nothing

Buckley and Voorhees (2000; 2004, bpref); Järvelin and Kekäläinen (2002); Burges et al. (2005, the
exponential gain); Moffat and Zobel (2008, RBP); trec_eval 9 and 10.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.nominal.table import BoolArray, FloatArray
from evaluation.metrics.ranking.graded import Graded

_NAME = re.compile(r"([a-z]{1,9}(?:-[a-z]{1,9})?)(?:@(\d{1,6})|\((0?\.\d{1,4})\))?", re.IGNORECASE)


@dataclass(frozen=True)
class RunMeasure:
    """A measure of a run, a value for every topic.

    ``slug``, ``label``: its name in files and in print.
    ``definition``: what it says, in a sentence.
    ``per_topic(graded)``: (Q,) its values, between 0 and 1.
    ``uses_level``: whether it asks which grade is relevant; nDCG, RBP and judged@k do not.
    ``up``: whether greater is better; None for what says nothing about quality.
    """

    slug: str
    label: str
    definition: str
    per_topic: Callable[[Graded], FloatArray]
    uses_level: bool = True
    up: bool | None = True


def average_precision(run: Graded, k: int | None = None) -> FloatArray:
    """(Q,) mean over all relevant documents of the precision at their ranks, 0 for one not found by k."""
    return run.total(_hits(run, k) * run.relevant_so_far / run.rank) / run.judged.n_relevant


def recall(run: Graded, k: int) -> FloatArray:
    """(Q,) the part of the relevant documents that is among the first k."""
    return run.total(_hits(run, k)) / run.judged.n_relevant


def precision(run: Graded, k: int) -> FloatArray:
    """(Q,) relevant documents among the first k, over k."""
    return run.total(_hits(run, k)) / k


def success(run: Graded, k: int) -> FloatArray:
    """(Q,) 1 where one of the first k is relevant, else 0."""
    return np.asarray(run.total(_hits(run, k)) > 0, dtype=np.float64)


def reciprocal_rank(run: Graded, k: int | None = None) -> FloatArray:
    """(Q,) 1 over the rank of the first relevant document, 0 where none is among the first k."""
    return run.total(_hits(run, k) * (run.relevant_so_far == 1) / run.rank)


def r_precision(run: Graded) -> FloatArray:
    """(Q,) relevant documents among the first R, over R."""
    among = run.relevant & (run.rank <= run.judged.n_relevant[run.topic])
    return run.total(among) / run.judged.n_relevant


def bpref(run: Graded) -> FloatArray:
    """(Q,) how few judged non-relevant documents stand above the relevant ones."""
    r, n = run.judged.n_relevant, run.judged.n_nonrelevant
    # Without judged non-relevant documents nothing is above, and the divisor is not needed.
    most = np.maximum(np.minimum(n, r), 1)[run.topic]
    lost = np.minimum(run.nonrelevant_so_far, r[run.topic]) / most
    return run.total(run.relevant * (1.0 - lost)) / r


def ndcg(run: Graded, k: int | None = None, *, exponential: bool = False) -> FloatArray:
    """(Q,) discounted gain over that of the best order of all judged documents."""
    best = run.judged.best[:, :k]
    ideal = _gains(best, exponential) @ (1.0 / np.log2(np.arange(2, best.shape[1] + 2)))
    found = _gains(run.grade, exponential) * _among(run, k) / np.log2(run.rank + 1)
    return np.asarray(run.total(found) / ideal)


def rbp(run: Graded, p: float) -> FloatArray:
    """(Q,) what a reader gains on each document read, who goes on to the next with probability p."""
    return run.total((1.0 - p) * p ** (run.rank - 1.0) * run.grade / run.judged.most)


def rbp_residual(run: Graded, p: float) -> FloatArray:
    """(Q,) by how much ``rbp`` could be greater if nothing were unjudged and the ranking went on.

    The weights of all ranks without end add up to 1, so it is what the judged ones leave of it.
    """
    return np.asarray(1.0 - run.total((1.0 - p) * p ** (run.rank - 1.0)))


def judged_share(run: Graded, k: int) -> FloatArray:
    """(Q,) 1 minus the documents without a judgment among the first k, over k."""
    unjudged = np.minimum(run.retrieved, k) - run.total(_among(run, k))
    return np.asarray(1.0 - unjudged / k)


def _among(run: Graded, k: int | None) -> BoolArray:
    """(E,) whether the document is among the first k."""
    return np.ones(len(run.rank), dtype=np.bool_) if k is None else np.asarray(run.rank <= k)


def _hits(run: Graded, k: int | None) -> BoolArray:
    """(E,) whether it is relevant and among the first k."""
    return np.asarray(run.relevant & _among(run, k))


def _gains(grades: ArrayLike, exponential: bool) -> FloatArray:
    values = np.asarray(grades, dtype=np.float64)
    return np.exp2(values) - 1.0 if exponential else values


_CUT: dict[str, tuple[str, str, Callable[..., FloatArray]]] = {
    "map": ("MAP", "Mean over the relevant documents of the precision at their ranks{}.", average_precision),
    "mrr": ("MRR", "One over the rank of the first relevant document{}.", reciprocal_rank),
    "ndcg": ("nDCG", "Discounted grades over those of the best order, gain linear{}.", ndcg),
    "ndcg-exp": (
        "nDCG-exp",
        "Discounted grades over those of the best order, gain 2^grade - 1{}.",
        partial(ndcg, exponential=True),
    ),
}
_AT: dict[str, tuple[str, str, Callable[..., FloatArray]]] = {
    "recall": ("recall", "Share of the relevant documents that is among the first {}.", recall),
    "p": ("P", "Relevant documents among the first {0}, over {0}.", precision),
    "success": ("success", "Share of topics with a relevant document among the first {}.", success),
    "judged": ("judged", "One minus the unjudged documents among the first {0}, over {0}.", judged_share),
}
_PLAIN = {
    "r-precision": RunMeasure(
        "r_precision",
        "R-precision",
        "Relevant documents among the first R, over R, the number of relevant documents.",
        r_precision,
    ),
    "bpref": RunMeasure(
        "bpref", "bpref", "How few judged non-relevant documents stand above the relevant ones.", bpref
    ),
}
_WITH_P: dict[str, tuple[str, str, Callable[..., FloatArray]]] = {
    "rbp": ("RBP", "Gain of a reader who goes on to the next document with probability {}.", rbp),
    "residual": ("residual", "By how much RBP({}) could be greater were everything judged.", rbp_residual),
}
_NO_LEVEL = {"ndcg", "ndcg-exp", "judged", "rbp", "residual"}
NAMES = (
    "MAP, MAP@k, recall@k, P@k, success@k, MRR, MRR@k, R-precision, bpref, nDCG, nDCG@k, nDCG-exp, "
    "nDCG-exp@k, RBP(p), residual(p), judged@k"
)
"""What ``measure`` understands."""


def measure(name: str) -> RunMeasure:
    """The measure of that name, such as ``nDCG@10`` or ``RBP(.8)``; capitals do not matter.

    Raises ValueError with the names there are.
    """
    parts = _NAME.fullmatch(name.strip())
    word, k, p = parts.groups() if parts else ("", None, None)
    word = word.lower()
    found: RunMeasure | None = None
    if p:
        found = _with_p(word, float(p)) if word in _WITH_P and float(p) > 0 else None
    elif k:
        found = _with_cut(word, int(k)) if int(k) > 0 else None
    else:
        found = _PLAIN.get(word) or (_with_cut(word, None) if word in _CUT else None)
    if found is None:
        raise ValueError(
            f"No measure is called {name.strip()!r}; there are {NAMES}, with k from 1 on and p such as .8."
        )
    return found


def measures(names: str | Iterable[str]) -> tuple[RunMeasure, ...]:
    """The measures of several names, or of one text with commas between them; each once, in that order."""
    words = names.split(",") if isinstance(names, str) else names
    found = {one.slug: one for one in map(measure, words)}
    return tuple(found.values())


def _with_cut(word: str, k: int | None) -> RunMeasure | None:
    per_topic: Callable[[Graded], FloatArray]
    if k is not None and word in _AT:
        name, definition, at = _AT[word]
        per_topic, definition = partial(at, k=k), definition.format(k)
    elif word in _CUT:
        name, definition, cut = _CUT[word]
        per_topic, definition = partial(cut, k=k), definition.format("" if k is None else f", up to rank {k}")
    else:
        return None
    slug = word.replace("-", "_") + ("" if k is None else f"_at_{k}")
    label = name if k is None else f"{name}@{k}"
    up = None if word == "judged" else True
    return RunMeasure(slug, label, definition, per_topic, word not in _NO_LEVEL, up)


def _with_p(word: str, p: float) -> RunMeasure:
    name, definition, function = _WITH_P[word]
    said = f"{p:g}".removeprefix("0")
    up = None if word == "residual" else True
    slug = f"{word}_{said.removeprefix('.')}"
    return RunMeasure(
        slug, f"{name}({said})", definition.format(said), partial(function, p=p), uses_level=False, up=up
    )


DEFAULT = measures("MAP,nDCG@10,recall@100,P@10,MRR,judged@10")
"""The lines of every report."""
FURTHER = measures("R-precision,bpref,RBP(.8),residual(.8),nDCG-exp@10")
"""The second block."""
