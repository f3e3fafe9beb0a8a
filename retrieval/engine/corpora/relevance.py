"""Relevance models: what the best documents of a first search say about a query (pseudo-relevance feedback).

    RM1   P(w|R) ∝ Σ_d P(w|d) · P(d|q) over the first fbDocs documents, the fbTerms best terms kept,
          renormalised to 1                                              Lavrenko and Croft 2001
    RM3   P'(w|q) = λ·P(w|q) + (1 − λ)·P(w|R), P(w|q) = tf / |q|         Abdul-Jaleel et al. 2004

λ weighs the **original query** here, as it does in the code of Anserini, Terrier and Indri. What the three do
differently (P(d|q), P(w|d), which terms are dropped) are settings, and `PRESETS` has them by name.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import exp, isfinite
from typing import Any

from common.errors import BadInput
from retrieval.engine.corpora.tokenising import STOP_LISTS

Terms = Mapping[str, float]
"""Weights of terms, ordered by weight, then alphabet."""

POSTERIORS = ("score", "uniform", "softmax")
LENGTHS = ("kept", "all")
SHAPES = ("any", "anserini")
_ANSERINI = re.compile(r"[a-z0-9]{2,20}")


@dataclass(frozen=True)
class FeedbackSettings:
    """How a relevance model is estimated and mixed with the query.

    fb_docs: how many of the first search's documents are looked at (fbDocs).
    fb_terms: how many terms the model keeps (fbTerms).
    query_weight: λ, the weight of the original query, from 0 to 1.
    posterior: P(d|q) of the documents: `score` (proportional to the score), `uniform`, or `softmax` of the
        scores, which is meant for log likelihoods: of BM25 scores it is all but the first document.
    prune_each: cut each document to its fb_terms most frequent terms first.
    length: P(w|d) is tf over the number of `kept` words of the document, or of `all` its words.
    max_df: a term that stands in a larger share than this of the feedback corpus is dropped.
    max_df_dropped: whether a term of exactly that share is dropped as well.
    min_df: a term that stands in fewer documents of the feedback corpus is dropped.
    shape: `any`, or `anserini`: a term not of 2 to 20 of the letters a to z and digits is dropped.
    stop_list: terms on this list are dropped; a name in `tokenising.STOP_LISTS`.
    overlap: terms that no searched document has are dropped, before the cut to fb_terms.

    Raises:
        BadInput: a number is out of its range, or a name is unknown.
    """

    fb_docs: int = 10
    fb_terms: int = 10
    query_weight: float = 0.5
    posterior: str = "score"
    prune_each: bool = False
    length: str = "kept"
    max_df: float = 0.1
    max_df_dropped: bool = False
    min_df: int = 1
    shape: str = "any"
    stop_list: str = "none"
    overlap: bool = False

    def __post_init__(self) -> None:
        for name, high in (("fb_docs", 1000), ("fb_terms", 1000), ("min_df", 10**9)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= high:
                raise BadInput(f"{name} is {value!r:.40}; it must be a whole number from 1 to {high:,}.")
        for name in ("query_weight", "max_df"):
            check_share(name, getattr(self, name))
        for name, known in (
            ("posterior", POSTERIORS),
            ("length", LENGTHS),
            ("shape", SHAPES),
            ("stop_list", tuple(STOP_LISTS)),
        ):
            if getattr(self, name) not in known:
                raise BadInput(f"{name} is {getattr(self, name)!r:.40}; choose one of: {', '.join(known)}.")

    def as_json(self) -> dict[str, Any]:
        """Return the settings as they are written into a run."""
        return asdict(self)


PRESETS: Mapping[str, FeedbackSettings] = {
    "variorum": FeedbackSettings(),
    "anserini": FeedbackSettings(prune_each=True, shape="anserini"),
    "pyterrier": FeedbackSettings(
        fb_docs=3, query_weight=0.6, posterior="softmax", length="all", min_df=2, max_df_dropped=True
    ),
    "indri": FeedbackSettings(posterior="softmax", length="all", max_df=1.0, stop_list="lucene"),
}
"""Settings of the systems that people mean by RM3. Indri has log likelihoods where we have BM25, and takes
its stop list from the user: `lucene` stands for it here."""


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


def preset(name: str) -> FeedbackSettings:
    """Return the settings of that name. Raises `BadInput`.

    Raises:
        BadInput: there are none; the message lists the names.
    """
    if name not in PRESETS:
        known = ", ".join(PRESETS)
        raise BadInput(f"There is no preset {name!r:.40} of a relevance model; choose one of: {known}.")
    return PRESETS[name]


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
    """Return the `number` heaviest terms, by weight, then alphabet."""
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


def check_share(name: str, value: object) -> None:
    """Refuse what is no number from 0 to 1. Raises `BadInput`.

    Raises:
        BadInput: the message has the name.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise BadInput(f"{name} is {value!r:.40}; it must be a number from 0 to 1.")


def _reason(
    term: str,
    frequency: int,
    number: int,
    settings: FeedbackSettings,
    allowed: Callable[[str], bool] | None,
) -> str:
    """Why a term is dropped, or nothing."""
    if settings.shape == "anserini" and not _ANSERINI.fullmatch(term):
        return "shape"
    if term in STOP_LISTS[settings.stop_list]:
        return "stop list"
    if frequency < settings.min_df:
        return "rare"
    most = settings.max_df * number
    if frequency > most or (settings.max_df_dropped and frequency == most):
        return "common"
    return "overlap" if settings.overlap and allowed is not None and not allowed(term) else ""
