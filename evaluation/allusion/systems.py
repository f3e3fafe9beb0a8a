"""The systems of the paper, and which run of a corpus is which, by ranker and parameters, never by name."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from common.errors import BadField, BadInput
from evaluation.allusion.queries.wordings import MANUAL, SOURCE
from retrieval.corpora.models import Run
from retrieval.corpora.searching.lemmas import GIVEN
from retrieval.corpora.searching.plans import WORDING
from retrieval.engine.ranking import rankers

LEXICAL, SEMANTIC, HYBRID = "Lexical", "Semantic", "Hybrid"
TOKENS, LEMMAS = "tokens", "lemmas"
WORDS = (TOKENS, LEMMAS)
"""What a query and a document are compared by; a line of each table."""
TITLE = "title"
"""The wording that every topic has."""
NAMED = ("vectors", "lemmas", "synonyms", "stop_list")
"""Parameters that name what an installation keeps: another name is no other system."""


class System(NamedTuple):
    """One column of the paper's Table 2.

    key: its name in files and commands.
    label: its heading.
    group: lexical, semantic or hybrid.
    ranker: the slug of what makes its runs.
    fixed: parameters that tell it from others of the same ranker.
    needs: parameters that name what it cannot do without.
    """

    key: str
    label: str
    group: str
    ranker: str
    fixed: Mapping[str, Any] = {}
    needs: tuple[str, ...] = ()


SYSTEMS = (
    System("bow", "BOW", LEXICAL, "bow"),
    System("tfidf", "TfIdf", LEXICAL, "tfidf"),
    System("tesserae", "Tesserae", LEXICAL, "tesserae"),
    System("bow-emb", "BOWemb", SEMANTIC, "bow-emb", needs=("vectors",)),
    System("tfidf-emb", "TfIdfemb", SEMANTIC, "tfidf-emb", needs=("vectors",)),
    System("wmd", "WMD", SEMANTIC, "wmd", needs=("vectors",)),
    System("sc-wn", "SCwn", HYBRID, "soft-cosine", {"relation": "synonyms"}, ("synonyms",)),
    System("sc-emb", "SCemb", HYBRID, "soft-cosine", {"relation": "vectors"}, ("vectors",)),
    System("t-wmd", "T+WMD", HYBRID, "tesserae-wmd", needs=("vectors",)),
)
"""Table 2, in its order. Of soft cosine with random similarities see `RANDOM`."""
RANDOM = System("sc-rnd", "SCrnd", HYBRID, "soft-cosine", {"relation": "random"})
EVERY = (*SYSTEMS, RANDOM)
ORACLE = "oracle"


class Recognised(NamedTuple):
    """A run that is one of the systems.

    run: as it is stored.
    system: which it is.
    words: tokens or lemmas.
    wording: of the queries; `title` where it is the title of the topics.
    vectors: the name of its word vectors, empty without any.
    own_lemmas: whether its queries need lemmas of their own: it has no table to find them in.
    odd: parameters that are not the ranker's own defaults.
    """

    run: Run
    system: System
    words: str
    wording: str
    vectors: str
    own_lemmas: bool
    odd: tuple[str, ...]


def system(key: str) -> System:
    """Return the system of that name. Raises `BadField`, which lists those there are."""
    for each in EVERY:
        if each.key == key:
            return each
    raise BadField("system", f"There is no system “{key}”; there are: {', '.join(one.key for one in EVERY)}.")


def recognised(run: Run) -> Recognised | None:
    """Return which system a run is; None where it is none of them, or is worded in several ways at once."""
    fields = run.parameters.get("fields") or [TITLE]
    said = run.parameters.get("similarity") or {}
    given = said.get("parameters") or {}
    if len(fields) != 1:
        return None
    for each in EVERY:
        if each.ranker == run.ranker and all(given.get(name) == value for name, value in each.fixed.items()):
            return Recognised(
                run,
                each,
                str(given.get("words", TOKENS)),
                str(fields[0]).removeprefix(WORDING),
                str(given.get("vectors") or "") if uses_vectors(each) else "",
                said.get("words") == GIVEN and not given.get("lemmas"),
                _odd(each, given),
            )
    return None


def uses_vectors(system: System) -> bool:
    """Return whether a system compares words by their vectors."""
    return "vectors" in system.needs


def _odd(system: System, given: Mapping[str, Any]) -> tuple[str, ...]:
    try:
        usual = rankers.get(system.ranker).defaults
    except BadInput:
        return ()
    passed = {"words", *NAMED, *system.fixed}
    return tuple(
        name
        for name, value in sorted(usual.items())
        if name not in passed and given.get(name, value) != value
    )


class Chosen(NamedTuple):
    """The runs of a corpus that are systems, one for each.

    runs: by system, words, wording and vectors.
    passed_over: runs that are a system of which another run was taken, or that search other documents.
    searched: name and number of the documents that all of them search, as the runs say it; empty where they
        say nothing.
    """

    runs: Mapping[tuple[str, str, str, str], Recognised]
    passed_over: tuple[str, ...]
    searched: Mapping[str, Any]

    @property
    def wordings(self) -> tuple[str, ...]:
        """Return the wordings of the queries, the usual ones first."""
        return tuple(sorted({wording for _, _, wording, _ in self.runs}, key=wording_order))

    def vectors(self, words: str, asked: str = "") -> str:
        """Return the name of the word vectors that a line of tables is made with: those asked for, where they
        are there; else those of most runs."""
        often = Counter(name for _, of, _, name in self.runs if of == words and name)
        if asked in often:
            return asked
        return min(often, key=lambda name: (-often[name], name), default="")

    def of(self, system: System, words: str, wording: str, vectors: str = "") -> Recognised | None:
        """Return the run of a system; `vectors` names its word vectors where it uses any."""
        return self.runs.get((system.key, words, wording, vectors if uses_vectors(system) else ""))


def wording_order(name: str) -> tuple[int, str, int]:
    """Return a key by which wordings are sorted: manual, source, title, then windows by their width."""
    first = [MANUAL, SOURCE, TITLE]
    word, _, width = name.rpartition("-")
    number = int(width) if width.isascii() and width.isdigit() else 0
    return (first.index(name) if name in first else len(first), word if number else name, number)


def chosen(runs: Iterable[Run]) -> Chosen:
    """Choose one run for each system, words, wording and vectors.

    Of several the one with most of the ranker's own parameters is taken, and of these the newest. Runs that
    search other documents than most of them do are passed over.
    """
    known = [each for each in map(recognised, runs) if each]
    often = Counter(_filter(each.run) for each in known)
    searched = min(often, key=lambda each: (-often[each], each), default="{}")
    found: dict[tuple[str, str, str, str], Recognised] = {}
    for each in sorted(known, key=lambda one: (len(one.odd), -one.run.pk)):
        if _filter(each.run) == searched:
            found.setdefault((each.system.key, each.words, each.wording, each.vectors), each)
    taken = {each.run.pk for each in found.values()}
    passed = tuple(sorted(each.run.name for each in known if each.run.pk not in taken))
    return Chosen(found, passed, json.loads(searched))


def searches(run: Run) -> str:
    """Return the name of the documents that a run searches; empty where it does not say."""
    return str((run.parameters.get("subset") or {}).get("name") or "")


def _filter(run: Run) -> str:
    """What of the corpus a run searches, so that equal ones are equal texts."""
    subset = run.parameters.get("subset") or {}
    kept = {name: subset[name] for name in ("name", "documents", "mask_sha256") if subset.get(name)}
    return json.dumps(kept, sort_keys=True)


def needed(systems: Sequence[System]) -> tuple[str, ...]:
    """Return what systems need, by the name of the parameter, each once."""
    return tuple(dict.fromkeys(name for each in systems for name in each.needs))
