"""Qrels, runs and facets read from files, with one sentence on the line where something is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from common.errors import BadInput
from evaluation.metrics.ranking.order import Ordered
from retrieval.engine.interchange import lines, qrels, runs


class ReadRun(NamedTuple):
    """A run as it was read.

    name: its tag, or its file's name where it has none or tags are not told apart.
    run: its documents in trec_eval's order; where it was stored with a corpus, in the order it has there.
    contradicted: topics whose rank column says another order than their scores.
    reworded: topics that it searched in a wording that was changed since.
    """

    name: str
    run: Ordered
    contradicted: int
    reworded: int = 0


class LaterRun(NamedTuple):
    """A run that is read when it is needed, so that many of them need no more memory than one.

    name: as `ReadRun`.
    read: reads it.
    """

    name: str
    read: Callable[[], ReadRun]


def read(run: ReadRun | LaterRun) -> ReadRun:
    """Return the run, read."""
    return run if isinstance(run, ReadRun) else run.read()


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Return {topic: {document: grade}}. Raises `BadInput` naming file and line."""
    with lines.opened(path) as stream:
        return qrels.qrels(stream, path.name).by_topic()


def read_runs(paths: Sequence[Path]) -> list[ReadRun]:
    """Return the runs in the order given, each under a name of its own.

    Raises:
        BadInput: a file cannot be read as a run, or two have the same tag and the same name.
    """
    found = [_read_run(path) for path in paths]
    tags = Counter(run.name for run in found)
    if max(tags.values(), default=0) > 1:
        found = [run._replace(name=path.stem) for run, path in zip(found, paths, strict=True)]
    names = Counter(run.name for run in found)
    twice = next((name for name, times in names.items() if times > 1), None)
    if twice is not None:
        raise BadInput(f"Two runs are called {twice!r}: give them different tags or file names.")
    return found


def _read_run(path: Path) -> ReadRun:
    with lines.opened(path) as stream:
        read = runs.run(stream, path.name)
    found = Ordered(
        read.documents,
        dict(read.numbers()),
        frozenset(topic for topic, tied in zip(read.topics, read.tied.tolist(), strict=True) if tied),
    )
    return ReadRun(read.tag or path.stem, found, read.contradicted)


def read_facets(path: Path) -> dict[str, str]:
    """Return {topic: facet} of a file with two columns and a tab between them.

    Raises:
        BadInput: a line of another shape, a topic that is there twice, or no line.
    """
    found: dict[str, str] = {}
    wrong = lines.wrong_in(path.name)
    with lines.opened(path) as stream:
        for line in lines.lines(stream, path.name):
            if not line.text.strip():
                continue
            topic, _, facet = (part.strip() for part in line.text.partition("\t"))
            if not topic or not facet:
                raise wrong(line.number, "a topic, a tab and its facet were expected.")
            if topic in found:
                raise wrong(line.number, f"topic {topic} has a facet already.")
            found[topic] = facet
    if not found:
        raise BadInput(f"{path.name} holds no facet; a topic, a tab and its facet a line were expected.")
    return found
