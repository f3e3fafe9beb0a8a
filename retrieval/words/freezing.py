"""Freeze what a ranking names, and put the things in place of their names before a ranker is prepared.

A ranker's parameters may name what this installation keeps: a checkpoint, word vectors, a lemma table, a
synonym table, a stop list. A job writes the names out when it is submitted and keeps the sha256 of each; when
it runs, what has changed or is gone meanwhile is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from common.errors import BadInput
from retrieval.dense import checkpoints
from retrieval.engine.dense.progress import Tell
from retrieval.engine.ranking import rankers
from retrieval.engine.words.kinds import NAMED, Kind
from retrieval.models import Checkpoint
from retrieval.words import tables


class Frozen(NamedTuple):
    """A ranking that no longer depends on what is kept under a name tomorrow.

    parameters: with every name and precision written out.
    checkpoint: the model it uses, or None.
    tables: the sha256 of everything it uses about words, by kind and name: `vectors/latin`.
    """

    parameters: dict[str, Any]
    checkpoint: Checkpoint | None
    tables: dict[str, str]


def freeze(
    ranker: rankers.Ranker,
    parameters: Mapping[str, Any],
    precision: str,
    *,
    instead: Collection[str] = (),
) -> Frozen:
    """Return a ranking's complete parameters with all names written out, and what they stand for.

    `precision` is that of the queue, where the parameters leave it open. `instead`: parameters in whose place
    the caller puts a thing of its own, such as `tables.AS_GIVEN`.

    Raises:
        BadInput: something is needed that is not here, with the command that mends it; or a name is given
            that is not used.
    """
    written, checkpoint = checkpoints.freeze(ranker, parameters, precision)
    digests = {}
    for name, parameter, kind in _of_words(ranker):
        given = str(written.get(name) or "")
        if name in instead:
            continue
        if not parameter.used(written):
            if given:
                other, value = parameter.when or ("", "")
                raise BadInput(
                    f"The ranker {ranker.slug} uses its parameter {name} only where {other} is {value}; set "
                    f"{other}={value}, or leave {name} out."
                )
        elif given or not parameter.optional:
            row = _needed(ranker, kind, given)
            written[name], digests[row.key] = row.slug, row.sha256
    return Frozen(written, checkpoint, digests)


def opened(
    ranker: rankers.Ranker,
    parameters: Mapping[str, Any],
    *,
    checkpoint: str = "",
    words: Mapping[str, str] | None = None,
    progress: Tell | None = None,
) -> dict[str, Any]:
    """Return the parameters for the ranker's `prepare`: the things themselves instead of their names.

    `checkpoint`, `words`: the sha256 of the model and of the tables, as `freeze` gave them; left out, those
    of the rows are taken. `progress` is told how far encoding has come.

    Raises:
        BadInput: what is named is gone, or is not what was frozen.
    """
    written = checkpoints.with_checkpoint(ranker, parameters, sha256=checkpoint, progress=progress)
    for name, _, kind in _of_words(ranker):
        slug = written.get(name)
        if not slug or not isinstance(slug, str):
            continue
        row = tables.find(kind, slug)
        frozen = (words or {}).get(row.key, row.sha256)
        if frozen != row.sha256:
            raise BadInput(
                f"{row} is another file today: its sha256 begins with {row.sha256[:12]}, but {frozen[:12]} "
                "is what this ranking was submitted with; submit it again to use today’s."
            )
        written[name] = tables.opened(row)
    return written


def _of_words(ranker: rankers.Ranker) -> Iterator[tuple[str, rankers.Named, Kind]]:
    for name, parameter in ranker.parameters.items():
        if isinstance(parameter, rankers.Named) and parameter.kind in NAMED:
            yield name, parameter, NAMED[parameter.kind]


def _needed(ranker: rankers.Ranker, kind: Kind, slug: str) -> Any:
    try:
        return tables.find(kind, slug)
    except BadInput as error:
        raise BadInput(f"The ranker {ranker.slug} needs {_one(kind)}. {error}") from None


def _one(kind: Kind) -> str:
    return kind.named if kind.named.endswith("s") else f"a {kind.named}"
