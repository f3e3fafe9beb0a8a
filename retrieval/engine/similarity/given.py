"""What a ranker is given in place of a name: word vectors, lemmas, synonyms, a stop list.

A parameter `rankers.Named` names what an installation keeps. Whoever calls `prepare` puts the thing in place
of the name, as with checkpoints; `complete` checks that it is there where it is needed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from common.errors import BadInput
from retrieval.engine.ranking import rankers
from retrieval.engine.words import kinds
from retrieval.engine.words.tables import LemmaTable, StopList, SynonymTable
from retrieval.engine.words.vectors import WordVectors

TYPES: Mapping[str, type] = {
    "word vectors": WordVectors,
    "lemma table": LemmaTable,
    "synonym table": SynonymTable,
    "stop list": StopList,
}
"""What takes the place of a name, by the kind of the parameter."""


def complete(
    ranker: rankers.Ranker, parameters: Mapping[str, object], needed: Collection[str] = ()
) -> dict[str, Any]:
    """Return all parameters, checked: for each name of a thing the thing itself, None where none is given.

    needed: parameters that must be given.

    Raises:
        BadInput: a parameter is wrong; what is needed is missing, or only its name is given.
    """
    named = {
        name: each.kind
        for name, each in ranker.parameters.items()
        if isinstance(each, rankers.Named) and each.kind in TYPES
    }
    values = rankers.complete(ranker, {name: each for name, each in parameters.items() if name not in named})
    for name, kind in named.items():
        thing = parameters.get(name) or None
        if not isinstance(thing, TYPES[kind]):
            if thing is not None or name in needed:
                raise BadInput(missing(ranker, kind))
            thing = None
        values[name] = thing
    return values


def missing(ranker: rankers.Ranker, kind: str) -> str:
    """Return the sentence that says what a ranker needs, and the command that mends it."""
    one, some = (kind, f"some {kind}") if kind.endswith("s") else (f"a {kind}", f"a {kind}")
    return (
        f"The ranker {ranker.slug} needs {one} here, and has none; add {some} with "
        f"manage.py add_words {kinds.NAMED[kind].slug} FILE --name NAME."
    )
