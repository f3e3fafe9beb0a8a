"""Relevance models: what the best documents of a first search say about a query (pseudo-relevance feedback).

    RM1   P(w|R) ∝ Σ_d P(w|d) · P(d|q) over the first fbDocs documents, the fbTerms best terms kept,
          renormalised to 1                                              Lavrenko and Croft 2001
    RM3   P'(w|q) = λ·P(w|q) + (1 − λ)·P(w|R), P(w|q) = tf / |q|         Abdul-Jaleel et al. 2004

λ weighs the **original query** here, as it does in the code of Anserini, Terrier and Indri. What the three do
differently (P(d|q), P(w|d), which terms are dropped) are settings, and `presets` has them by name.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, isfinite

from common.errors import BadInput
from retrieval.engine.corpora.presets import ANSERINI, FeedbackSettings, check_share
from retrieval.engine.corpora.tokenising import STOP_LISTS

Terms = Mapping[str, float]
"""Weights of terms, ordered by weight, then alphabet."""


@dataclass(frozen=True)
class Model:
    """A relevance model, and how it came about.

    terms: P(w|R) of the terms kept, sums to 1; empty where the first search found nothing.
    posteriors: P(d|q) of each feedback document, in the order of the run.
    dropped: the terms that settings excluded, alphabetical, by reason: `shape`, `stop list`, `rare`,
        `common`, `overlap`. Each term stands under the first reason that holds.
    """

    terms: Terms
    posteriors: Sequence[float]
    dropped: Mapping[str, Sequence[str]]


def estimate(
    scores: Sequence[float],
    documents: Sequence[Sequence[str]],
    frequency: Callable[[str], int],
    number: int,
    settings: FeedbackSettings,
    allowed: Callable[[str], bool] | None = None,
) -> Model:
    """Return RM1 of the best documents of a search.

    scores: of the documents, best first; those behind the first fb_docs are not looked at.
    documents: the terms of each, repeated ones as often as they stand there.
    frequency: in how many documents of the feedback corpus a term stands.
    number: how many documents the feedback corpus has.
    allowed: whether a term may be kept; asked only where `settings.overlap` is set.

    Raises:
        BadInput: there are not as many scores as documents, a score is not finite, or overlap is set and
            `allowed` is missing.
    """
    scores, documents = scores[: settings.fb_docs], documents[: settings.fb_docs]
    if len(scores) != len(documents) or not all(map(isfinite, scores)):
        raise BadInput(f"There are {len(documents)} documents; each must have one score that is a number.")
    if settings.overlap and allowed is None:
        raise BadInput("The overlap constraint is set; say which terms the searched corpus has.")
    posteriors = posterior(scores, settings.posterior)
    reasons: dict[str, str] = {}
    weights: defaultdict[str, float] = defaultdict(float)
    for terms, share in zip(documents, posteriors, strict=True):
        counts = Counter(terms)
        for term in counts.keys() - reasons.keys():
            reasons[term] = _reason(term, frequency(term), number, settings, allowed)
        kept: Mapping[str, float] = {term: times for term, times in counts.items() if not reasons[term]}
        if settings.prune_each:
            kept = best(kept, settings.fb_terms)
        length = sum(kept.values()) if settings.length == "kept" else len(terms)
        for term, times in kept.items():
            weights[term] += share * times / length
    dropped: defaultdict[str, list[str]] = defaultdict(list)
    for term, reason in sorted(reasons.items()):
        if reason:
            dropped[reason].append(term)
    return Model(unit(best(weights, settings.fb_terms)), posteriors, dict(dropped))


def posterior(scores: Sequence[float], name: str) -> list[float]:
    """Return P(d|q) of documents from their scores; uniform where all shares are 0."""
    if not scores:
        return []
    if name == "softmax":
        highest = max(scores)
        shares = [exp(score - highest) for score in scores]
    else:
        shares = [1.0 if name == "uniform" else max(score, 0.0) for score in scores]
    total = sum(shares)
    return [share / total for share in shares] if total else [1 / len(scores)] * len(scores)


def unit(weights: Terms) -> dict[str, float]:
    """Return the weights divided by their sum; nothing where they sum to 0."""
    total = sum(weights.values())
    return {term: weight / total for term, weight in weights.items()} if total else {}


def best(weights: Terms, number: int) -> dict[str, float]:
    """Return the `number` heaviest terms, by weight as it was computed, then alphabet."""
    return dict(sorted(weights.items(), key=lambda item: (-item[1], item[0]))[:number])


def mix(first: Terms, second: Terms, alpha: float) -> dict[str, float]:
    """Return α · first + (1 − α) · second, by weight, then alphabet; where one is empty, the other.

    Both sum to 1, and so does what is returned. Nothing is cut: two models of n terms give up to 2n.

    Raises:
        BadInput: alpha is not from 0 to 1.
    """
    check_share("alpha", alpha)
    if not first or not second:
        return best(first or second, len(first) + len(second))
    mixed = {
        term: alpha * first.get(term, 0.0) + (1 - alpha) * second.get(term, 0.0)
        for term in first.keys() | second.keys()
    }
    return best(mixed, len(mixed))


def rm3(query: Terms, model: Terms, query_weight: float) -> dict[str, float]:
    """Return RM3: the query, brought to sum 1, mixed with a model; words of the query are never dropped."""
    return mix(unit(query), model, query_weight)


def _reason(
    term: str,
    frequency: int,
    number: int,
    settings: FeedbackSettings,
    allowed: Callable[[str], bool] | None,
) -> str:
    """Why a term is dropped, or nothing."""
    if settings.shape == "anserini" and not ANSERINI.fullmatch(term):
        return "shape"
    if term in STOP_LISTS[settings.stop_list]:
        return "stop list"
    if frequency < settings.min_df:
        return "rare"
    most = settings.max_df * number
    if frequency > most or (settings.max_df_dropped and frequency == most):
        return "common"
    return "overlap" if settings.overlap and allowed is not None and not allowed(term) else ""
