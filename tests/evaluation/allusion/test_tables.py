"""Tables 2, 3 and 4 of the paper over stored runs, by hand and in every format."""

import csv
import io
import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from common.errors import BadField, BadInput
from evaluation.allusion import measuring, published, systems
from evaluation.allusion.measuring import Asked
from evaluation.allusion.oracle import oracle
from evaluation.allusion.sentences import notes
from evaluation.allusion.values import MEASURES
from retrieval.corpora.models import Corpus, Ranked, Run, TopicSet, TopicVersion
from tests.evaluation.allusion.verses import psalter
from tests.evaluation.allusion.workshop import run, topics, workshop

pytestmark = pytest.mark.django_db
MRR, AT_10, AT_20 = MEASURES


def asked(number=2, **more):
    return Asked(Corpus.objects.get(), TopicSet.objects.get(), "spans", number, **more)


def measured(number=2, **more):
    return measuring.table(asked(number, **more), resamples=200)


def mean(found, column, words="tokens", one=MRR):
    return found.cells[column, words].mean(one).mean.value


def printed(*args):
    out = StringIO()
    call_command("allusion_tables", "--corpus", "psalter", "--topics", "spans", *args, stdout=out)
    return out.getvalue()


@pytest.fixture
def there():
    return workshop()


def test_mrr_and_success_are_those_of_a_hand(there):
    found = measured()
    assert mean(found, "tfidf") == pytest.approx((1 + 1 / 2 + 1 + 0) / 4)
    assert mean(found, "tfidf", one=AT_10) == 3 / 4
    assert mean(found, "bow") == pytest.approx((1 / 2 + 1 + 0 + 1) / 4)
    assert found.cells["tfidf", "tokens"].evaluated.of(MRR).tolist() == [1, 0.5, 1, 0]
    # With lemmas the same four lists in reverse: places of 0, of 1, of 2 or 3, of 4.
    assert mean(found, "tfidf", "lemmas") == pytest.approx((1 + 0 + 1 / 3 + 0) / 4)


def test_of_several_right_documents_the_best_placed_counts(there):
    found = measured()
    # The third topic has two: wmd ranks one of them first, soft cosine both.
    assert found.cells["sc-emb", "tokens"].evaluated.of(MRR).tolist() == [1, 1, 1, 0.5]
    assert found.n_several == 1
    assert "1 query with several right documents: the one placed best counts" in " ".join(notes(found))


def test_only_the_first_ten_and_twenty_are_a_success():
    corpus = psalter()
    of = topics(corpus)
    made = run(of, corpus, "bow", (0,), (1,), (2,), (4,))
    for n, rank in enumerate((10, 11, 20, 21)):
        Ranked.objects.filter(run=made, topic__topic__number=n).update(rank=rank)
    found = measured()
    assert [mean(found, "bow", one=one) for one in (AT_10, AT_20)] == [1 / 4, 3 / 4]
    assert mean(found, "bow") == pytest.approx((1 / 10 + 1 / 11 + 1 / 20 + 1 / 21) / 4)


def test_equal_scores_stand_in_the_order_in_which_they_are_stored():
    corpus = psalter()
    of = topics(corpus)
    run(of, corpus, "bow", (1, 0), (1, 0), (0, 2), (0, 4), scores=(0.5, 0.5))
    assert measured().cells["bow", "tokens"].evaluated.of(MRR).tolist() == [0.5, 1, 0.5, 0.5]


def test_the_oracle_takes_tesseraes_rank_where_two_words_are_shared(there):
    found = measured()
    # Tesserae ranks the second topic's verse alone, and there first; WMD has 2, 3, 1 and 2.
    assert found.cells["oracle", "tokens"].evaluated.of(MRR).tolist() == [1 / 2, 1, 1, 1 / 2]
    assert all("oracle" not in each.paired.name for each in found.compared)
    assert "footnote 6" in " ".join(notes(found))
    Run.objects.filter(ranker="tesserae").delete()
    assert ("oracle", "tokens") not in measured().cells


def test_the_oracle_chooses_one_ranking_a_query():
    # Tesserae ranks one of the two right documents of the first query: the other is not WMD's.
    found = oracle({"a": {"x": 30}}, {"a": {"x": 1, "y": 2}, "b": {"z": 4}})
    assert found == {"a": {"x": 30}, "b": {"z": 4}}


def test_queries_without_lemmas_are_left_out_where_a_run_needs_them(there):
    version = TopicVersion.objects.get(topic__external_id="item-1")
    said = {**version.wordings, "manual": {"text": "the tide asks"}}
    TopicVersion.objects.filter(pk=version.pk).update(wordings=said)
    found = measured()
    assert (len(found.judged.topics), found.left_out) == (3, 1)
    Run.objects.filter(parameters__similarity__parameters__words="lemmas").delete()
    assert measured().left_out == 0


def test_systems_are_told_by_ranker_and_parameters_and_not_by_name(there):
    found = measured()
    assert {key for key, _ in found.cells} == {"bow", "tfidf", "tesserae", "wmd", "sc-emb", "oracle"}
    assert found.cells["tfidf", "tokens"].run == "tfidf"
    three = measured(3)
    assert [each.key for each in three.columns] == ["tfidf", "sc-emb:shore", "sc-wn", "sc-rnd"]
    assert {key for key, _ in three.cells} == {"tfidf", "sc-emb:shore", "sc-rnd"}
    assert "Without a run: SCemb (shore) (lemmas), SCwn (tokens)" in " ".join(notes(three)).replace(
        "TfIdf (S = I) (lemmas), ", ""
    )


def test_of_two_runs_of_one_system_the_newest_is_taken_and_the_other_named(there):
    corpus, of = Corpus.objects.get(), TopicSet.objects.get()
    run(of, corpus, "bow", (0,), (1,), (2,), (4,), name="again")
    found = measured()
    assert (found.cells["bow", "tokens"].run, mean(found, "bow")) == ("again", 1)
    assert "run-0" in found.passed_over
    assert "Passed over, because another run stands for the same: run-0" in " ".join(notes(found))


def test_word_vectors_of_most_runs_are_taken_unless_others_are_asked_for(there):
    corpus, of = Corpus.objects.get(), TopicSet.objects.get()
    run(of, corpus, "wmd", (0,), (1,), (2,), (4,), vectors="other")
    assert measured().cells["wmd", "tokens"].vectors == "shore"
    assert mean(measured(vectors="other"), "wmd") == 1
    run(of, corpus, "soft-cosine", (0,), (1,), (2,), (4,), relation="vectors", vectors="other")
    three = measured(3)
    assert [each.label for each in three.columns][1:3] == ["SCemb (other)", "SCemb (shore)"]


def test_runs_over_other_documents_are_not_mixed_in(there):
    corpus, of = Corpus.objects.get(), TopicSet.objects.get()
    run(of, corpus, "bow", (0,), (1,), (2,), (4,), name="part", genre="psalm")
    found = measured()
    assert found.cells["bow", "tokens"].run == "run-0"
    assert "part" in found.passed_over
    assert "Searched: 5 documents of the corpus (all)." in list(notes(found))


def test_every_system_is_compared_with_the_best_or_with_the_one_asked_for(there):
    found = measured()
    assert (found.base, found.picked) == ("SCemb, tokens", True)
    named = {each.paired.name for each in found.compared}
    assert named == {"BOW, tokens", "TfIdf, tokens", "TfIdf, lemmas", "Tesserae, tokens", "WMD, tokens"}
    assert len(found.compared) == 5 * 3
    other = measured(base="tfidf")
    assert (other.base, other.picked) == ("TfIdf, lemmas", False)
    (soft,) = (
        each
        for each in measured(base="tfidf:tokens").compared
        if each.paired.name == "SCemb, tokens" and each.measure is MRR
    )
    assert soft.paired.difference == pytest.approx((0 + 1 / 2 + 0 + 1 / 2) / 4)
    # Two of four queries differ, by the same: all four signings, of which two are as far out.
    assert soft.paired.p == 0.5
    with pytest.raises(BadField, match="“nobody” is no column with a run; there are: bow:tokens"):
        measured(base="nobody")


def test_table_4_counts_only_queries_that_have_every_wording(there):
    found = measured(4, system="tfidf")
    assert [each.key for each in found.columns] == ["manual", "window-3"]
    # The fourth topic has no window: it is left out of both columns.
    assert (len(found.judged.topics), found.left_out) == (3, 1)
    assert mean(found, "manual") == mean(found, "window-3") == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert "1 query without these words or their lemmas left out" in " ".join(notes(found))


def test_table_4_is_of_the_best_system_unless_another_is_named(there):
    assert "The paper’s Table 4 is of SCemb" in " ".join(notes(measured(4)))
    assert measured(4).system == "SCemb"
    assert [each.label for each in measured(4, system="tfidf").columns] == ["Manual", "Win-3"]
    with pytest.raises(BadField, match="There is no system “lsi”"):
        measured(4, system="lsi")
    with pytest.raises(BadField, match="There is no run of SCwn"):
        measured(4, system="sc-wn")
    with pytest.raises(BadField, match="TfIdf has no run of queries worded “source”"):
        measured(4, system="tfidf", wordings=("source",))


@pytest.mark.parametrize(
    ("number", "more", "sentence"),
    [
        (2, {"wordings": ("gold",)}, "No run has queries worded “gold”; there are: manual, window-3."),
        (2, {"wordings": ("manual", "source")}, "queries of one wording"),
        (4, {"system": "tfidf", "wordings": ("reader-A",)}, "TfIdf has no run of queries worded “reader-A”"),
    ],
)
def test_a_wording_that_is_not_there_is_named(there, number, more, sentence):
    with pytest.raises(BadField, match=sentence):
        measured(number, **more)


def test_without_a_run_of_the_systems_the_command_that_makes_them_is_named():
    corpus = psalter()
    topics(corpus)
    with pytest.raises(BadInput, match=r"manage\.py allusion_runs makes them"):
        measured()
    with pytest.raises(CommandError, match=r"Table 2: .* manage\.py allusion_runs"):
        printed()


def test_wordings_stand_with_the_usual_first_and_windows_by_their_width():
    names = ["window-10", "reader-A", "window-3", "title", "source", "manual", "gold"]
    assert sorted(names, key=systems.wording_order) == [
        "manual", "source", "title", "gold", "reader-A", "window-3", "window-10"
    ]  # fmt: skip


def test_the_papers_values_are_those_that_it_prints():
    assert published.TABLE_2["mrr", "lemmas", "sc-emb"] == 21.95
    assert published.TABLE_2["success_at_20", "tokens", "oracle"] == 33.61
    assert published.TABLE_3["success_at_10", "lemmas", "sc-rnd"] == 35.67
    assert published.TABLE_4["mrr", "tokens", "window-10"] == 13.98
    assert ("mrr", "tokens", "sc-wn") not in published.TABLE_2
    assert [len(each) for each in (published.TABLE_2, published.TABLE_4)] == [51, 18]


def test_the_command_prints_all_tables_that_have_runs(there):
    text = printed()
    assert text.count("How to read table") == 3
    assert all(group in text for group in ("Lexical", "Semantic", "Hybrid"))
    assert "P@10 and P@20 are what the paper calls them" in text
    assert "Their data are others" in text
    only = printed("--table", "2", "--no-paper")
    assert only.count("How to read table") == 1
    assert "Paper" not in only


def test_every_format_holds_the_same_numbers(there, tmp_path):
    rows = list(csv.DictReader(io.StringIO(printed("--format", "csv"))))
    data = json.loads(printed("--format", "json"))
    key = ("table", "kind", "system", "words", "measure")
    ours = {tuple(row[name] for name in key): row["value"] for row in rows}
    assert float(ours["2", "mean", "tfidf", "tokens", "mrr"]) == 0.625
    assert len(rows) == len(data["numbers"]) == len(ours)
    assert {row["kind"] for row in rows} == {"mean", "difference", "printed in the paper"}
    assert data["tables"][0]["queries"] == ["item-1", "item-2", "item-3", "item-4"]
    assert "| MRR, tokens | 62.5 [25.0, 100.0] |" in printed("--format", "markdown")
    printed("--format", "json", "--output", str(tmp_path / "tables.json"))
    assert json.loads((tmp_path / "tables.json").read_text()) == data


def test_latex_groups_columns_and_is_as_wide_as_it_must_be(there):
    text = printed("--format", "latex-twocolumn")
    two, _, four = text.split("booktabs}")[1:]
    assert "\\begin{table*}" in two
    assert " & \\multicolumn{3}{c}{Lexical} & \\multicolumn{3}{c}{Semantic} &" in two
    assert "\\cmidrule(lr){2-4} \\cmidrule(lr){5-7} \\cmidrule(lr){8-8}" in two
    assert "\\multicolumn" not in four
    assert "MRR, tokens & 62.5 & 62.5 & 25.0 & --- &" in two
    assert (
        two.index("\\caption{")
        < two.index("P@10 and P@20 are what the paper calls them")
        > two.index("MRR, tokens")
    )
    assert "table*" not in printed("--format", "latex")
