"""How relevance models are estimated, as settings; those of the systems that people mean by RM3, by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from common.errors import BadInput
from retrieval.engine.corpora.tokenising import STOP_LISTS

POSTERIORS = ("score", "uniform", "softmax")
LENGTHS = ("kept", "all")
SHAPES = ("any", "anserini")
ANSERINI = re.compile(r"[a-z0-9]{2,20}")
"""What Anserini takes for a term of a relevance model."""


def check_share(name: str, value: object) -> None:
    """Refuse what is no number from 0 to 1. Raises `BadInput`.

    Raises:
        BadInput: the message has the name.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise BadInput(f"{name} is {value!r:.40}; it must be a number from 0 to 1.")


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


def preset(name: str) -> FeedbackSettings:
    """Return the settings of that name. Raises `BadInput`.

    Raises:
        BadInput: there are none; the message lists the names.
    """
    if name not in PRESETS:
        known = ", ".join(PRESETS)
        raise BadInput(f"There is no preset {name!r:.40} of a relevance model; choose one of: {known}.")
    return PRESETS[name]
