"""`manage.py import_pools`: BIRCO's and BEIR's folders, ranked and scored; hostile pickles refused."""

from __future__ import annotations

import io
import json
import pickle

import pytest
from django.core.management import CommandError, call_command

from evaluation.runs.stored import read_qrels
from retrieval.corpora.models import Corpus, Qrels, Ranked, Run, TopicSet

pytestmark = pytest.mark.django_db
SET = {
    "query": {"q1": "Who waits at the wall?", "q2": "What do the lamps say?"},
    "corpus": {f"p{n}": f"Passage {n} of the harbour." for n in range(6)},
    "qrel": {"q1": {"p0": 1, "p1": 0, "p2": 0, "p3": 0}, "q2": {"p3": 2, "p4": 1, "p5": 0}},
}


def command(*said):
    out = io.StringIO()
    call_command("import_pools", *map(str, said), stdout=out, stderr=io.StringIO())
    return out.getvalue()


def folder(path, **parts):
    found = {**SET, **parts}
    for name, part in (("corpus", "corpus"), ("queries", "query")):
        rows = [json.dumps({"_id": key, "text": text}) for key, text in found[part].items()]
        (path / f"{name}.jsonl").write_text("\n".join(rows))
    (path / "qrels").mkdir()
    rows = [f"{q}\t{d}\t{grade}" for q, pool in found["qrel"].items() for d, grade in pool.items()]
    (path / "qrels" / "test.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *rows]))
    return path


def test_bircos_pickle_and_the_same_beir_folder_make_the_same_pools(tmp_path):
    (tmp_path / "birco").mkdir()
    (tmp_path / "beir").mkdir()
    (tmp_path / "birco" / "test_set.pickle").write_bytes(pickle.dumps(SET))
    assert '6 documents, 2 pools; run "drawn"' in command(tmp_path / "birco", "--slug", "one", "--seed", 7)
    command(folder(tmp_path / "beir"), "--slug", "two", "--seed", 7)
    orders = []
    for slug in ("one", "two"):
        assert read_qrels(Qrels.objects.get(corpus__slug=slug)) == SET["qrel"]
        run = Run.objects.get(corpus__slug=slug)
        rows = Ranked.objects.filter(run=run).order_by("topic", "rank")
        orders.append(list(rows.values_list("document__external_id", flat=True)))
    assert orders[0] == orders[1]
    assert sorted(orders[0][:4]) == ["p0", "p1", "p2", "p3"]
    out = io.StringIO()
    call_command(
        "evaluate_runs", "gold", "drawn", "--corpus", "one", "--measures", "nDCG@10,recall@5", stdout=out
    )
    assert "nDCG@10" in out.getvalue()


class Hostile:
    def __reduce__(self):
        return print, ("run",)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (pickle.dumps({**SET, "corpus": Hostile()}), "it names builtins.print"),
        (b"\x80\x04no pickle", "cannot be read as plain values"),
        (pickle.dumps(dict.fromkeys([((),)])), "it holds a tuple"),
        (b"\x80\x02]r\xff\xff\xff\x7f.", "it keeps a value where none can be"),
        (pickle.dumps({**SET, "qrel": {"q1": {"p0": 10**6000}}}), "a whole number, not one of 19,932 bits"),
        (pickle.dumps({**SET, "qrel": {"q1": {"p0": [[]]}}}), "a whole number, not of the type list"),
        (pickle.dumps({**SET, "query": {1: "a b", "1": "c d"}}), "query '1': stands there twice"),
        (pickle.dumps({**SET, "query": {"a\ud800": "a b"}}, 4), "half of a character"),
        (pickle.dumps({**SET, "query": {b"a": "a b"}}), "of the type bytes"),
        (pickle.dumps([1]), "query: must be a dictionary"),
        (pickle.dumps({**SET, "qrel": {"q9": {"p0": 1}}}), "there is no such query"),
        (pickle.dumps({**SET, "qrel": {"q1": {"p9": 1}}}), "there is no such passage"),
        (pickle.dumps({**SET, "qrel": {"q1": {"p0": 0.5}}}), "must be a whole number, not 0.5"),
        (pickle.dumps({**SET, "qrel": {"q1": {"p0": float("nan")}}}), "must be a whole number, not nan"),
        (pickle.dumps({**SET, "query": {"q1": " "}}), "must be a text with words"),
        (pickle.dumps({**SET, "qrel": {"q1": {"p0": 1}}}), "no pools to rank"),
    ],
)
def test_what_is_no_set_of_pools_is_refused_and_nothing_stored(tmp_path, data, why, capsys):
    file = tmp_path / "test_set.pickle"
    file.write_bytes(data)
    with pytest.raises(CommandError, match=why):
        command(file, "--slug", "one")
    assert not Corpus.objects.exists()
    assert not TopicSet.objects.exists()
    assert "run" not in capsys.readouterr().out


def test_another_split_and_a_taken_slug(tmp_path):
    folder(tmp_path)
    with pytest.raises(CommandError, match=r"no qrels/dev.tsv; there are: test"):
        command(tmp_path, "--slug", "one", "--split", "dev")
    command(tmp_path, "--slug", "one")
    with pytest.raises(CommandError, match="already; choose another slug"):
        command(tmp_path, "--slug", "one")
