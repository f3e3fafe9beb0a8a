"""What several commands ask in the same words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.core.management.base import CommandParser

from common.errors import BadField
from retrieval.corpora.searching.filters import ALL, facet_of
from retrieval.corpora.searching.judged import Judged
from retrieval.corpora.searching.plans import PARTS, DensePlan, Plan, SimilarityPlan
from retrieval.engine.corpora import presets
from retrieval.engine.corpora.presets import PRESETS, FeedbackSettings
from retrieval.engine.corpora.stemming import STEMMERS
from retrieval.engine.corpora.tokenising import STOP_LISTS, TokenSettings
from retrieval.engine.corpora.weighting import VARIANTS, Bm25Settings

_FEEDBACK = {
    "fb_docs": (int, "documents that feedback looks at"),
    "fb_terms": (int, "terms it keeps"),
    "query_weight": (float, "weight of the original query (lambda), 0 to 1"),
    "max_df": (float, "drop terms in a larger share of the feedback corpus than this"),
}
_WORDS = {
    "variant": Bm25Settings().variant,
    "k1": Bm25Settings().k1,
    "b": Bm25Settings().b,
    "stop_list": TokenSettings().stop_list,
    "stemmer": TokenSettings().stemmer,
}
"""Options that only a search by words has, with their defaults."""


def add_corpus_and_topics(parser: CommandParser) -> None:
    """Add `--corpus` and `--topics`, both needed."""
    parser.add_argument("--corpus", required=True, metavar="SLUG", help="the documents")
    parser.add_argument("--topics", required=True, metavar="SLUG", help="the topics")


def add_search(parser: CommandParser) -> None:
    """Add what a search is: the query, the terms, the variant of BM25."""
    plan, bm25, tokens = Plan(), Bm25Settings(), TokenSettings()
    parser.add_argument(
        "--fields",
        nargs="+",
        metavar="FIELD",
        default=list(plan.fields),
        help=PARTS,
    )
    parser.add_argument("--variant", choices=sorted(VARIANTS), default=bm25.variant, help="of BM25")
    parser.add_argument("--k1", type=float, default=bm25.k1, help=f"default: {bm25.k1}")
    parser.add_argument("--b", type=float, default=bm25.b, help=f"default: {bm25.b}")
    parser.add_argument("--stop-list", choices=sorted(STOP_LISTS), default=tokens.stop_list)
    parser.add_argument("--stemmer", choices=sorted(STEMMERS), default=tokens.stemmer)


def add_ranker(parser: CommandParser) -> None:
    """Add by what documents are ranked."""
    parser.add_argument(
        "--ranker",
        default="bm25",
        metavar="bm25|dense[:NAME]|RANKER",
        help="by words, by the vectors of a checkpoint's encoders, or by any ranker of books with its "
        "parameters, such as 'tfidf words=lemmas' (default: bm25)",
    )


def add_filter(parser: CommandParser) -> None:
    """Add which documents are searched."""
    parser.add_argument("--genre", nargs="+", help="search only documents of these genres")
    parser.add_argument("--language", nargs="+", default=[], help="search only documents in these languages")
    parser.add_argument("--first-year", type=int, help="search only documents from this year on")
    parser.add_argument("--last-year", type=int, help="search only documents up to this year")
    parser.add_argument(
        "--where",
        nargs="+",
        default=[],
        metavar="FACET=VALUE",
        help="search only documents that say this of themselves, in the file they were loaded from",
    )


def _filter(options: dict[str, Any]) -> dict[str, Any]:
    """Return which documents are searched, as fields of a plan. Raises `BadField`."""
    return {
        "genres": tuple(options.get("genre") or (ALL,)),
        "languages": tuple(options.get("language", ())),
        "first_year": options.get("first_year"),
        "last_year": options.get("last_year"),
        "facets": tuple(map(facet_of, options.get("where", ()))),
    }


def add_feedback(parser: CommandParser) -> None:
    """Add how a relevance model is made."""
    parser.add_argument(
        "--preset",
        choices=list(PRESETS),
        default="variorum",
        help="what other systems mean by RM3 (default: ours)",
    )
    for name, (kind, about) in _FEEDBACK.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=kind, help=f"{about} (default: the preset's)")
    parser.add_argument(
        "--overlap",
        action="store_true",
        default=None,
        help="keep only terms that the searched documents have",
    )


def add_judged(parser: CommandParser) -> None:
    """Add feedback from judgments."""
    parser.add_argument(
        "--judged",
        metavar="QRELS",
        help="take feedback from the documents that these judgments call relevant, not from a search; they "
        "are left out of the run and of its evaluation",
    )
    parser.add_argument(
        "--judged-level",
        type=int,
        metavar="GRADE",
        help="least grade that is relevant (default: half the scale)",
    )


def plan_of(options: dict[str, Any]) -> Plan:
    """Return the search that was asked for. Raises `BadInput`."""
    return Plan(
        fields=tuple(options["fields"]),
        **_filter(options),
        depth=options.get("depth", Plan.depth),
        tokens=TokenSettings(stop_list=options["stop_list"], stemmer=options["stemmer"]),
        bm25=Bm25Settings(variant=options["variant"], k1=options["k1"], b=options["b"]),
    )


def dense_plan_of(options: dict[str, Any], checkpoint: str) -> DensePlan:
    """Return the dense search that was asked for. Raises `BadInput`."""
    _only_of_bm25(options, "is about words; vectors have none.")
    return DensePlan(
        fields=tuple(options["fields"]),
        **_filter(options),
        depth=options["depth"],
        checkpoint=checkpoint,
    )


def similarity_plan_of(options: dict[str, Any], ranker: str, parameters: dict[str, Any]) -> SimilarityPlan:
    """Return the search by another ranker that was asked for. Raises `BadInput`."""
    _only_of_bm25(
        options, "is about BM25; say the ranker's own behind its name (--ranker 'tfidf words=lemmas')."
    )
    return SimilarityPlan(
        fields=tuple(options["fields"]),
        **_filter(options),
        depth=options["depth"],
        ranker=ranker,
        parameters=parameters,
    )


def _only_of_bm25(options: dict[str, Any], why: str) -> None:
    """Refuse options that only BM25 has. Raises `BadField`."""
    for name, default in _WORDS.items():
        if options[name] != default:
            raise BadField(name, f"--{name.replace('_', '-')} {why}")
    if said := "--feedback" if options["feedback"] else asked_of_feedback(options):
        raise BadField("feedback", f"{said} is about words; feedback goes with --ranker bm25.")


def asked_of_feedback(options: dict[str, Any]) -> str:
    """Return the first option given that means nothing without feedback; empty where there is none."""
    for name in (*_FEEDBACK, "overlap", "alpha", "judged", "judged_level"):
        if options[name] is not None:
            return f"--{name.replace('_', '-')}"
    return "" if options["preset"] == "variorum" else "--preset"


def judged_of(options: dict[str, Any]) -> Judged | None:
    """Return the judgments that feedback comes from. Raises `BadField` for a level of none."""
    if options["judged"] is not None:
        return Judged(options["judged"], options["judged_level"])
    if options["judged_level"] is not None:
        raise BadField("judged_level", "--judged-level is about judgments; say which (--judged).")
    return None


def feedback_of(options: dict[str, Any]) -> FeedbackSettings:
    """Return the settings of a relevance model: the preset, unless said otherwise. Raises `BadInput`."""
    said = {name: options[name] for name in (*_FEEDBACK, "overlap") if options[name] is not None}
    return replace(presets.preset(options["preset"]), **said)
