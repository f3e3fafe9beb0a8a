"""Pools made elsewhere, BIRCO's and those of a BEIR folder, as a corpus with topics, judgments and a run.

A pool is what was judged of a topic, relevant or not. The run has each pool in an order drawn from a seed, so
that where a relevant document stands tells nothing; whatever ranks the pools puts that run into order.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from django.db import transaction

from common.errors import BadField, BadInput
from common.progress import Progress, silent
from retrieval.corpora.loading import files as documents
from retrieval.corpora.loading import topics as loading
from retrieval.corpora.models import Corpus, Qrels, Run, TopicSet
from retrieval.corpora.runs import files
from retrieval.corpora.runs.of_candidates import QRELS, OfPools, store_drawn
from retrieval.corpora.searching.searches import Searched
from retrieval.engine.interchange import birco
from retrieval.engine.interchange.lines import opened, printable

if TYPE_CHECKING:
    from django.contrib.auth.models import User

DRAWN = "order of each pool drawn from the seed"


def load_pools(
    path: Path,
    facts: Mapping[str, str],
    *,
    split: str = "test",
    seed: int = 0,
    by: User | None = None,
    progress: Progress = silent,
) -> OfPools:
    """Store a folder, or a file of BIRCO's, whole or not at all.

    `facts`: slug, title, language, source and licence; the slug is that of the corpus and of the topics.
    `split`: which judgments of the folder.

    Raises:
        BadInput: what is wrong, with file and line; or no pool has a document that is not relevant.
    """
    for kind, rows in (("corpus", Corpus), ("topics", TopicSet)):
        if rows.objects.filter(slug=facts["slug"]).exists():
            raise BadField("slug", f'There is a {kind} "{facts["slug"]}" already; choose another slug.')
    with as_beir(path, split) as folder, transaction.atomic():
        corpus = documents.load(folder, dict(facts), progress).corpus
        own = {name: facts[name] for name in loading.FACTS if name in facts}
        topics = loading.load(folder, own, facts["language"], by).topics
        judged = folder / "qrels" / f"{split}.tsv"
        if not judged.is_file():
            there = ", ".join(sorted(each.stem for each in (folder / "qrels").glob("*.tsv"))) or "none"
            raise BadField("split", f"{printable(path)} has no qrels/{split}.tsv; there are: {there}.")
        qrels, _ = files.load_qrels(judged, corpus, topics, QRELS, facts.get("source", ""), by)
        return OfPools(corpus, topics, drawn(corpus, topics, qrels, seed, by), qrels)


def drawn(corpus: Corpus, topics: TopicSet, qrels: Qrels, seed: int, by: User | None) -> Run:
    """Store the run that has each pool in an order drawn from the seed. Raises `BadInput` without pools."""
    pools: dict[int, list[int]] = {}
    grades = qrels.grades.order_by("topic", "document__number")
    if not grades.filter(grade__lte=0).exists():
        raise BadInput(
            "Every judgment is of a relevant document, so there are no pools to rank: a pool has candidates "
            "of grade 0, too. Load corpus, topics and judgments apart, and search the corpus."
        )
    for topic, number in grades.values_list("topic", "document__number"):
        pools.setdefault(topic, []).append(number)
    found = []
    for version in loading.current(topics):
        shown = pools.get(version.topic_id, [])
        if shown:
            Random(f"{seed}:{version.topic.external_id}").shuffle(shown)  # noqa: S311 - not a secret
            found.append(Searched(version, [(each, len(shown) - n) for n, each in enumerate(shown)]))
    return store_drawn(corpus, topics, found, {"seed": seed, "order": DRAWN}, by)


@contextmanager
def as_beir(path: Path, split: str) -> Iterator[Path]:
    """Return the BEIR folder, or one that is written for a set of BIRCO's. Raises `BadInput`."""
    file = path
    if path.is_dir():
        own = (path / f"{split}_set{ending}" for ending in (".pickle", ".json"))
        file = next((each for each in own if each.is_file()), path)
    if file.is_dir():
        yield file
        return
    with opened(file) as stream:
        pools = birco.read(stream, printable(file))
    with TemporaryDirectory() as made:
        folder = Path(made)
        texts(folder / "corpus.jsonl", pools.passages)
        texts(folder / "queries.jsonl", pools.queries)
        (folder / "qrels").mkdir()
        rows = [
            f"{query}\t{passage}\t{grade}"
            for query, pool in pools.grades.items()
            for passage, grade in pool.items()
        ]
        head = "query-id\tcorpus-id\tscore"
        (folder / "qrels" / f"{split}.tsv").write_text("\n".join([head, *rows, ""]), encoding="utf-8")
        yield folder


def texts(file: Path, found: Mapping[str, str]) -> None:
    """Write texts by id as a BEIR folder has them."""
    lines = (json.dumps({"_id": name, "text": text}) for name, text in found.items())
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
