"""import_references: verses joined with their references, or refused with the reason, never guessed at."""

import gzip
import json
import os
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.items.references import reading as references
from annotation.items.references import verses
from annotation.models import Item, Study
from common.errors import BadInput

HEADER = "book\tchapter\tverse\ttokens\tpos\tlemma_raw\tlemma"
VERSES = [
    ("Matthew", 1, 22, "hoc autem totum factum est", "hic autem totus facio sum"),
    ("Matthew", 1, 23, "ecce virgo in utero erit et virgo pariet", "ecce virgo in uterus sum et virgo pario"),
    ("Matthew", 1, 24, "exsurgens autem Ioseph", "exsurgo autem ioseph"),
    ("Matthew", 2, 1, "cum ergo natus esset Iesus", "cum ergo nascor sum iesus"),
    ("Matthew", 5, 1, "videns autem turbas", "video autem turba"),
    ("1 Samuel", 3, 1, "puer autem Samuel", "puer autem samuel"),
    ("Isaiah", 7, 14, "ecce virgo concipiet , et pariet !", "ecce virgo concipio , et pario !"),
    ("Isaiah", 7, 15, "butyrum et mel comedet", "butyrum et mel comedo"),
    ("Isaiah", 9, 1, "populus qui", "non_word $unk$"),
    ("Psalms", 2, 7, "Dominus dixit ad me", "dominus dico ad ego"),
    ("Psalms", 6, 8, "turbatus est a furore oculus meus", "turbo sum ab furor oculus meus"),
    ("Psalms", 91, 11, "et exaltabitur sicut unicornis cornu meum", "et exalto sicut unicornis cornu meus"),
]  # fmt: skip


def table(rows=VERSES):
    lines = [HEADER] + [
        "\t".join([b, str(c), str(v), words, "-", "-", lemmas]) for b, c, v, words, lemmas in rows
    ]
    return ("\n".join(lines) + "\n").encode()


def record(source, target, flags=(), **more):
    return {"source": source.split(), "target": target.split(), "flags": list(flags), **more}


def read(*records, rows=VERSES, **options):
    how = {"language": "la", "stop": frozenset(["et"]), **options}
    return references.read(
        json.dumps(records).encode(), "refs.json", verses.read(table(rows), "v.tsv"), **how
    )


def test_a_pair_becomes_a_passage_in_its_context_with_the_target_beside_it():
    found = read(record("Matthew_1_23", "Isaiah_7_14", ref_type="allusion", n=4))
    (entry,) = found.entries
    payload = entry.payload
    assert payload["text"].splitlines() == [VERSES[0][3], VERSES[1][3], VERSES[2][3]]
    assert payload["citation"] == "Matthew 1:22–24"
    assert [payload["text"][a:b] for a, b in payload["tokens"]] == payload["text"].split()
    assert payload["lemmata"] == " ".join(each[4] for each in VERSES[:3]).split()
    (target,) = payload["references"]
    assert (target["citation"], target["text"]) == ("Isaiah 7:14", "ecce virgo concipiet, et pariet!")
    assert entry.provenance["id"] == "Matthew 1:23 → Isaiah 7:14"
    assert (entry.provenance["ref_type"], entry.provenance["n"]) == ("allusion", 4)


def test_the_anchor_is_the_first_word_with_the_rarest_shared_lemma_of_the_source_itself():
    # virgo stands three times in all, ecce and pario twice: the first of the two rarest.
    (entry,) = read(record("Matthew_1_23", "Isaiah_7_14")).entries
    first, end = entry.payload["anchor"]
    assert entry.payload["text"].split()[first:end] == ["ecce"]
    (entry,) = read(record("Matthew_1_23", "Isaiah_7_14"), stop=frozenset(["ecce", "et"])).entries
    assert entry.payload["text"].split()[slice(*entry.payload["anchor"])] == ["pariet"]


@pytest.mark.parametrize(
    "pair",
    [("Matthew_2_1", "Isaiah_7_14"), ("Matthew_1_23", "Isaiah_7_15"), ("Matthew_2_1", "Isaiah_9_1")],
    ids=["nothing shared", "a stop word shared", "no lemma known"],
)
def test_without_a_shared_lemma_there_is_no_anchor(pair):
    found = read(record(*pair))
    assert (found.entries[0].payload["anchor"], found.anchored) == (None, 0)


def test_context_stays_in_its_chapter_and_stops_at_a_missing_verse():
    (entry,) = read(record("Matthew_2_1", "1-Samuel_3_1"), context=3).entries
    assert entry.payload["citation"] == "Matthew 2:1"
    rows = [row for row in VERSES if row[2] != 23]
    (entry,) = read(record("Matthew_1_24", "1-Samuel_3_1"), rows=rows, context=3).entries
    assert entry.payload["citation"] == "Matthew 1:24"
    (entry,) = read(record("Matthew_1_24", "1-Samuel_3_1"), context=0).entries
    assert entry.payload["citation"] == "Matthew 1:24"


def test_several_verses_are_one_reference_where_they_follow_each_other():
    (entry,) = read(record("Matthew_1_22 Matthew_1_24", "Isaiah_7_14 Isaiah_7_15 Isaiah_9_1")).entries
    assert [each["citation"] for each in entry.payload["references"]] == ["Isaiah 7:14–15", "Isaiah 9:1"]
    assert entry.payload["citation"] == "Matthew 1:22–24"


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (record("Matthew_1_23", "Isaiah_7_14", ["psalm_numbering"]), "psalm_numbering"),
        (record("Matthew_1_23", "Psalms_91_11"), "psalm_numbering"),
        (record("Matthew_1_23", "Psalms_6_8"), "psalm_heading"),
        (record("Matthew_1_23", "Isaiah_8_1"), "verse_not_in_vulgate_file"),
        (record("Mark_1_1", "Isaiah_7_14"), "verse_not_in_vulgate_file"),
        (
            record("Matthew_1_23", "Psalms_22_1", ["verse_not_in_vulgate_file", "psalm_numbering"]),
            "psalm_numbering + verse_not_in_vulgate_file",
        ),
    ],
)
def test_what_cannot_be_joined_without_doubt_is_refused_and_counted(one, reason):
    found = read(one, record("Matthew_1_23", "Isaiah_7_14"))
    assert (dict(found.refused), len(found.entries)) == ({reason: 1}, 1)


def test_a_psalm_counted_in_one_way_only_is_joined_and_trust_joins_what_is_unflagged():
    assert len(read(record("Matthew_1_23", "Psalms_2_7")).entries) == 1
    assert len(read(record("Matthew_1_23", "Psalms_6_8"), trust=True).entries) == 1
    no_flags = {"source": ["Matthew_1_23"], "target": ["Psalms_6_8"]}
    assert read(no_flags, trust=True).refused == {"psalm_heading": 1}


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"{", "refs.json: is not JSON"),
        (b"{}", "refs.json: must be a JSON list"),
        (b"[3]", "refs.json, record 1: must be an object"),
        (b'[{"source": ["Matthew_1_23"]}]', "record 1, field “target”: must be a list of verse ids"),
        (
            b'[{"source": ["Matthew 1:23"], "target": ["Isaiah_7_14"]}]',
            "field “source”: 'Matthew 1:23' is no",
        ),
        (b'[{"source": ["Matthew_1_23"], "target": ["Isaiah_7_14"], "flags": "x"}]', "field “flags”: "),
    ],
)
def test_a_file_that_is_no_list_of_records(data, sentence):
    with pytest.raises(BadInput, match=sentence):
        references.read(data, "refs.json", verses.read(table(), "v.tsv"), language="la", stop=frozenset())


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"book\tchapter\n", "v.tsv, line 1: there is no column “verse”"),
        (table()[: len(HEADER) + 1], "v.tsv: holds no verse"),
        (table([*VERSES, VERSES[0]]), "line 14: Matthew 1:22 stands in the table twice"),
        (table() + b"Mark\t1\n", "line 14: has 2 columns, and the header has 7"),
        (table() + b"Mark\tone\t1\ta\t\t\ta\n", "line 14: the column “chapter” must be a whole number"),
        (table() + b"Mark\t1\t1\t\x00\t\t\ta\n", "line 14: holds NUL"),
        (table() + b"\xff", "line 14: is not UTF-8"),
        (gzip.compress(table(), mtime=0)[:60], "v.tsv: is not a whole gzip file"),
    ],
)
def test_a_table_that_is_none(data, sentence):
    with pytest.raises(BadInput, match=sentence):
        verses.read(data, "v.tsv")


def test_lemmas_that_do_not_match_their_words_are_not_used_but_the_words_are():
    rows = [("Mark", 1, 1, "et b c", "c b"), ("Isaiah", 1, 1, "et b d", "et b c")]
    (entry,) = read(record("Mark_1_1", "Isaiah_1_1"), rows=rows).entries
    assert (entry.payload["lemmata"], entry.payload["anchor"]) == (["", "", ""], [1, 2])


@pytest.fixture
def run(db, tmp_path):
    def load(table_bytes, records, *more):
        (tmp_path / "v.tsv.gz").write_bytes(gzip.compress(table_bytes))
        (tmp_path / "refs.json").write_text(json.dumps(records))
        out = StringIO()
        files = ["--verses", tmp_path / "v.tsv.gz", "--references", tmp_path / "refs.json"]
        call_command("import_references", "vulgate", *map(str, files), *more, stdout=out)
        return out.getvalue()

    return load


def test_the_command_loads_counts_and_adds_nothing_the_second_time(run, tmp_path):
    records = [record("Matthew_1_23", "Isaiah_7_14"), record("Matthew_1_23", "Psalms_91_11")]
    (tmp_path / "stop").write_text("et\n")
    out = run(table(), records, "--stop-words", str(tmp_path / "stop"))
    assert "Built “vulgate”, a draft with 1 item." in out
    assert "with an anchor: 1; without: 0" in out
    assert "refused, psalm_numbering: 1" in out
    assert "2 records: 1 items, 1 refused" in out
    assert "Nothing was new" in run(table(), records, "--stop-words", str(tmp_path / "stop"))
    assert Item.objects.count() == 1


def test_the_command_stores_nothing_of_a_bad_file(run):
    with pytest.raises(CommandError, match=r"record 2: the same item as refs.json, record 1"):
        run(table(), [record("Matthew_1_23", "Isaiah_7_14")] * 2)
    with pytest.raises(CommandError, match="use 0 to 20 verses"):
        run(table(), [], "--context", "99")
    with pytest.raises(CommandError, match=r"refs.json holds no item"):
        run(table(), [])
    assert not Study.objects.exists()


SHARED = os.environ.get("VARIORUM_TEST_DATA") or None


@pytest.mark.skipif(not SHARED, reason="VARIORUM_TEST_DATA is not set: no shared Vulgate")
def test_all_347_shared_references_are_items_or_counted(db):
    folder = Path(SHARED) / "vulgate"
    out = StringIO()
    options = ["--verses", folder / "vulgate.tsv.gz", "--references", folder / "nt_ot_refs_gospels_acts.json"]
    more = ["--stop-words", str(folder / "latin.stop")]
    call_command("import_references", "vulgate", *map(str, options), *more, stdout=out)
    # Five of the 279 unflagged records name a Psalm whose heading is a verse in one counting only.
    assert "347 records: 274 items, 73 refused" in out.getvalue()
    assert "refused, psalm_heading: 5" in out.getvalue()
    targets = [each["target"] for each in Item.objects.values_list("provenance", flat=True)]
    psalms = {verse for names in targets for verse in names if verse.startswith("Psalms")}
    assert psalms == {"Psalms 2:1", "Psalms 2:2", "Psalms 2:7"}
    call_command("import_references", "trusting", *map(str, options), *more, "--trust-flags", stdout=out)
    assert "347 records: 279 items, 68 refused" in out.getvalue()


def anchor_of(own: tuple[str, str], target: tuple[str, str], others: str = "", stop=()) -> str:
    """The anchor of a verse of words and lemmas, beside another verse and ``others``, of which each word is
    its own lemma."""
    rows = [("Jude", 1, 1, *own), ("Numbers", 1, 1, *target)]
    rows += [("Acts", 1, 1, others, others.lower())] if others else []
    (entry,) = read(record("Jude_1_1", "Numbers_1_1"), rows=rows, stop=frozenset(stop), context=0).entries
    anchor = entry.payload["anchor"]
    return entry.payload["text"].split()[anchor[0]] if anchor else ""


def test_a_name_with_the_lemma_of_another_word_is_as_rare_as_the_name():
    own = ("in via Core perierunt", "in via cor pereo")
    target = ("perierunt cum Core", "pereo cum cor")
    assert anchor_of(own, target, "cor cor cor cor pereo") == "Core"


def test_a_name_with_its_own_lemma_is_as_frequent_as_all_its_forms():
    own, target = ("fugit Aegyptum inde", "fugio aegyptus inde"), ("fugit in Aegyptum", "fugio in aegyptus")
    assert anchor_of(own, target, "Aegyptus Aegyptus Aegyptus fugio") == "fugit"


def test_forms_of_one_rare_word_are_shared_whatever_their_lemmas():
    own = ("pars aquarum in absinthium", "pars aqua in absinthius")
    target = ("cibabo eos absinthio et aqua", "cibo is absinthio et aqua")
    assert anchor_of(own, target, "aqua aqua aqua") == "absinthium"


def test_words_that_only_begin_alike_are_not_forms_of_one():
    own = ("peribit confessio", "pereo confessio")
    assert anchor_of(own, ("perierunt confessionibusque", "perdo aliud")) == ""


def test_a_word_without_a_lemma_is_shared_in_its_form():
    own, target = ("venit Emmanuhel huc", "venio propername huc"), ("Emmanuhel venit", "propername venio")
    assert anchor_of(own, target, "venio venio") == "Emmanuhel"


def test_forms_of_stop_words_are_no_anchor_either():
    own, target = ("propterea ambulat", "propterea ambulo"), ("propterea ambulat", "propterea ambulo")
    assert anchor_of(own, target, "ambulo ambulo ambulo", stop=["propterea"]) == "ambulat"
