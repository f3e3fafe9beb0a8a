"""What one must know to read the three tables, in words."""

from __future__ import annotations

from collections.abc import Iterator

from common.wording import counted
from evaluation.allusion import published
from evaluation.allusion.queries.sentences import queries
from evaluation.allusion.systems import LEMMAS, ORACLE, TOKENS, WORDS
from evaluation.allusion.values import AllusionTable
from evaluation.values.wording import digits, listed

P_AT_K = (
    "MRR runs from 0 to 100. P@10 and P@20 are what the paper calls them: the share of queries of which a "
    "right document is among the first 10 or 20, in percent. Elsewhere that is success@k, and the precision "
    "at k of trec_eval is another number."
)
DEEPEST = 20
"""The greatest k of P@k."""
SEVERAL = (
    "the one placed best counts, in MRR and in P@k. The paper speaks of one right verse a query; its "
    "authors’ package retrieve counts a reference as found as soon as one of its verses is."
)
ORACLE_SAID = (
    "T+WMD (oracle) takes Tesserae’s rank of the right document where that ranks it, and WMD’s elsewhere. It "
    "knows the right document (footnote 6 of the paper), so no system can do the same, and it is compared "
    "with none; where Tesserae ranks badly it is no bound either. T+WMD beside it backs off without that "
    "knowledge, and has no value in the paper."
)
PAPERS_FOUR = "The paper’s Table 4 is of SCemb, whichever system this one is of."
IDENTITY = "TfIdf is soft cosine with S = I: no word is like another."


def notes(found: AllusionTable) -> Iterator[str]:
    """Yield what must be known, the most important first."""
    yield P_AT_K
    yield _asked(found)
    if found.n_several:
        yield f"{queries(found.n_several)} with several right documents: {SEVERAL}"
    yield _deep(found)
    if any(key == ORACLE for key, _ in found.cells):
        yield ORACLE_SAID
    if found.number == 3:
        yield IDENTITY
    yield from _of_runs(found)
    yield (
        f"Intervals are {100 * found.level:.0f} %, from {found.resamples:,} resamples of the queries (seed "
        f"{found.seed}); where all queries say the same, Wilson’s."
    )
    yield from _compared(found)
    if found.printed:
        yield published.DIFFERENT
        if found.number == 3:
            yield _word2vec()
        if found.number == 4:
            yield PAPERS_FOUR


def _asked(found: AllusionTable) -> str:
    of = f"; {queries(found.left_out)} without these words or their lemmas left out" if found.left_out else ""
    wording = listed([f"“{each}”" for each in found.wordings])
    said = f"of {found.system}, worded" if found.system else "worded"
    return (
        f"{queries(len(found.judged.topics))} {said} {wording}, of the topics {found.topics} in the corpus "
        f"{found.corpus}, judgments {found.qrels}{of}."
    )


def _deep(found: AllusionTable) -> str:
    depths = sorted({each.depth for each in found.cells.values()})
    kept = f"{depths[0]:,}" if len(depths) == 1 else f"{depths[0]:,} to {depths[-1]:,}"
    return (
        f"Runs keep the first {kept} documents; a right document behind them counts 0"
        f"{', so P@k may be too low' if depths[0] < DEEPEST else ''}. Equal scores stand in the order in "
        "which the run is stored."
    )


def _of_runs(found: AllusionTable) -> Iterator[str]:
    for words in WORDS:
        names = sorted(
            {each.vectors for (_, of), each in found.cells.items() if of == words and each.vectors}
        )
        if names:
            yield f"Word vectors of {words}: {listed(names)}."
    missing = [
        f"{column.label} ({words})"
        for column in found.columns
        for words in WORDS
        if (column.key, words) not in found.cells and column.key != ORACLE
    ]
    if missing:
        yield f"Without a run: {listed(missing)}."
    odd = [f"{each.run} ({', '.join(each.odd)})" for each in found.cells.values() if each.odd]
    if odd:
        yield f"With parameters that are not the ranker’s own: {listed(sorted(set(odd)))}."
    if found.passed_over:
        yield f"Passed over, because another run stands for the same: {listed(found.passed_over)}."
    if found.searched:
        documents = counted(int(found.searched["documents"]), "document")
        yield f"Searched: {documents} of the corpus ({found.searched['name']})."


def _compared(found: AllusionTable) -> Iterator[str]:
    if not found.compared:
        return
    if found.picked:
        yield (
            f"Compared with {found.base}, the highest MRR on these same queries: what is picked so leads by "
            "more than it would on others."
        )
    yield (
        f"p (Holm) is corrected for {counted(len(found.compared), 'comparison')}, all those of this table. "
        "Differences are in points of 100."
    )


def _word2vec() -> str:
    values = [
        f"{label} {' and '.join(digits(published.TABLE_3[measure, words, 'sc-w2v'], 2) for words in WORDS)}"
        for measure, label in ((published.MRR, "MRR"), (published.AT_10, "P@10"), (published.AT_20, "P@20"))
    ]
    said = f"{listed(values)} ({TOKENS} and {LEMMAS})"
    return f"The paper’s SCemb has fastText vectors; with those of word2vec it prints {said}."
