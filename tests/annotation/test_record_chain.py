"""The record is a chain: nothing of it is deleted unannounced, and what is changed behind it shows."""

import io
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from annotation.models import Enrolment, Erasure, Event, Judgment, Seal
from annotation.people import withdrawal
from annotation.record import checking, erasures, sealing
from annotation.record.rows import canonical
from annotation.studies.trash import DAYS, move_to_trash, purge
from tests import builders
from tests.annotation.test_record import judgment


@pytest.fixture
def study(ada, ben):
    """Two readers, five judgments, an event of each kind that counts."""
    study = builders.study(items=3, overlap=2)
    readers = [builders.enrolment(study, who) for who in (ada, ben)]
    places = list(study.assignments.order_by("item", "slot"))
    for at, place in enumerate(places[:5]):
        judgment(place, readers[at % 2])
    Event.objects.create(study=study, actor=ada, verb="later", data={"enrolment": readers[0].pk})
    return study


def behind(table, *statements):
    """Change the record as somebody would who holds the database and takes the triggers away."""
    on = f" ON annotation_{table}" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        for name in ("append_only", "kept"):
            cursor.execute(f"DROP TRIGGER annotation_{table}_{name}{on}")
        for statement in statements:
            cursor.execute(statement)


def verified(*options):
    out = io.StringIO()
    call_command("verify", *options, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize("table", ["judgment", "event", "erasure", "seal"])
def test_S14_the_database_refuses_to_delete(table, study):
    Erasure.objects.create(study=study.pk + 1, extent="all", created=timezone.now())
    sealing.seal()
    with pytest.raises(DatabaseError, match="only where an erasure says so"), transaction.atomic():
        connection.cursor().execute(f"DELETE FROM annotation_{table}")
    assert Judgment.objects.count() == 5


REPLACED = {
    "judgment": ["id", "submission", "assignment_id, revision"],
    "event": ["id"],
    "seal": ["id", "number"],
}


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL has no such statement")
@pytest.mark.parametrize("table", REPLACED)
@pytest.mark.parametrize("verb", ["INSERT OR REPLACE", "REPLACE"])
def test_S14_sqlite_refuses_to_replace_a_row(table, verb, study):
    """By whatever of it is unique; ids of others are new, as somebody would write them who hides it."""
    sealing.seal()
    table = f"annotation_{table}"
    with connection.cursor() as cursor:
        names = [row[1] for row in cursor.execute(f"PRAGMA table_info({table})").fetchall()]
        row = dict(zip(names, cursor.execute(f"SELECT * FROM {table}").fetchone(), strict=True))
        fresh = {"id": 10**9, "submission": "f" * 32, "revision": 99, "number": 10**9, "digest": "f" * 64}
        for kept in REPLACED[table.removeprefix("annotation_")]:
            changed = {
                **row,
                **{name: fresh[name] for name in fresh.keys() & row.keys() - {*kept.split(", ")}},
            }
            values = ", ".join(["%s"] * len(names))
            with pytest.raises(DatabaseError, match="is there already"), transaction.atomic():
                cursor.execute(f"{verb} INTO {table} VALUES ({values})", list(changed.values()))
    assert checking.check().faults == ()


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no such statement")
@pytest.mark.parametrize("table", ["judgment", "decision", "event", "erasure", "seal", "study"])
def test_S14_postgresql_refuses_to_empty_a_table(table, study):
    with connection.cursor() as cursor:
        cursor.execute(
            "SET CONSTRAINTS ALL IMMEDIATE"
        )  # what the test has written waits for nothing any more
        with pytest.raises(DatabaseError, match="cannot be emptied"), transaction.atomic():
            cursor.execute(f"TRUNCATE annotation_{table} CASCADE")
    assert Judgment.objects.count() == 5


@pytest.mark.parametrize(
    ("keys", "pairs"), [([], []), ([7, 3, 4], [[3, 4], [7, 7]]), ([1, 2, 2, 3, 9], [[1, 3], [9, 9]])]
)
def test_keys_are_kept_as_pairs(keys, pairs):
    assert erasures.ranges(keys) == pairs
    said = {"judgments": 0, "decisions": 0, "events": 0}
    told = erasures.Announced([{**said, "keys": {"event": pairs}}, {**said, "keys": None, "events": 1}])
    assert told.unannounced("event", range(12)) == sorted({*range(12)} - {*keys})[1:]
    assert told.unannounced("judgment", [1]) == [1]


def test_S14_an_erasure_of_one_study_hides_no_loss_in_another(study, ada, ben):
    """Nor one of other rows of the same study: it names its rows, and what it takes was sealed before."""
    withdrawal.erase(study.enrolments.get(user=ada), now=timezone.now(), drop=True)
    found = checking.check()
    assert (found.erased, found.faults) == (3, ())
    left = Judgment.objects.order_by("pk").first().pk
    with transaction.atomic():
        behind("judgment", f"DELETE FROM annotation_judgment WHERE id = {left}")
        with pytest.raises(CommandError, match=f"no erasure speaks of it: judgment {left}"):
            verified()
        transaction.set_rollback(True)


def test_a_withdrawal_is_announced_and_only_what_is_meant_can_go(study, ada, ben):
    first, second = (study.enrolments.get(user=who) for who in (ada, ben))
    sealing.seal()
    withdrawal.erase(first, now=timezone.now(), drop=True)
    said = Erasure.objects.get(enrolment=first.pk)
    assert (said.extent, said.judgments) == ("all", 3)
    assert Judgment.objects.filter(annotator=second).count() == 2
    assert checking.check().faults == ()
    assert checking.check().erased == 3
    withdrawal.erase(second, now=timezone.now(), drop=False)
    # Kept under the pseudonym: of what was kept nothing can be deleted, announced or not.
    with pytest.raises(DatabaseError, match="erasure"), transaction.atomic():
        Judgment.objects.filter(annotator=second).delete()


def test_a_purged_study_leaves_a_record_that_holds(study, dora):
    sealing.seal()
    move_to_trash(study, typed=study.slug, by=dora, now=timezone.now())
    later = timezone.now() + timedelta(days=DAYS + 1)
    assert purge(later) == [study.slug]
    assert not Enrolment.objects.filter(study=study.pk).exists()
    sealing.seal()
    found = checking.check()
    assert (found.faults, found.erased, found.unsealed) == ((), found.erased, 0)
    assert found.erased >= 6


def test_a_row_that_was_changed_slipped_in_or_taken_out_is_named(study):
    sealing.seal()
    assert "Everything that was sealed is as it was." in verified()
    first, *_, last = Judgment.objects.order_by("pk").values_list("pk", flat=True)
    with transaction.atomic():
        behind("judgment", f"UPDATE annotation_judgment SET note = 'rewritten' WHERE id = {first}")
        with pytest.raises(CommandError, match=f"Judgment {first} was changed after it was sealed"):
            verified()
        transaction.set_rollback(True)
    with transaction.atomic():
        behind("judgment", f"DELETE FROM annotation_judgment WHERE id = {last}")
        with pytest.raises(CommandError, match="1 judgment that was sealed is gone"):
            verified()
        transaction.set_rollback(True)
    with transaction.atomic():  # a trigger minds no INSERT, and no row of ours has such a key
        Event.objects.create(pk=0, study=study, verb="later")
        with pytest.raises(CommandError, match="Event 0 was slipped in among sealed rows"):
            verified()
        transaction.set_rollback(True)


def test_a_seal_that_was_forged_or_lost_is_named(study):
    sealing.seal()
    head = Seal.objects.last().digest
    Event.objects.create(study=study, verb="later")
    sealing.seal()
    assert verified("--head", head).count("\n") == 3
    with pytest.raises(CommandError, match="the chain was made anew"):
        verified("--head", "0" * 63 + "1")
    with transaction.atomic():
        behind(
            "seal",
            "UPDATE annotation_seal SET last = last - 1 WHERE number = 1",
            "DELETE FROM annotation_seal WHERE number = 2",
        )
        with pytest.raises(CommandError) as told:
            verified("--only-check")
        assert "Seal 1 was changed after it was made." in str(told.value)
        assert "Seal 2 is missing: the next one is seal 3." in str(told.value)
        transaction.set_rollback(True)


def test_blocks_follow_each_other_and_what_is_sealed_is_not_sealed_again(study, monkeypatch):
    monkeypatch.setattr(sealing, "BLOCK", 2)
    n = sealing.seal()
    assert sealing.seal() == 0
    assert [seal.number for seal in Seal.objects.all()] == list(range(1, Seal.objects.count() + 1))
    assert sum(len(list(sealing.sealed_rows(seal))) for seal in Seal.objects.all()) == n
    assert checking.check().faults == ()


def test_a_digest_does_not_know_who_acted(study, ada):
    sealing.seal()
    Event.objects.filter(actor=ada).update(actor=None)
    assert checking.check().faults == ()


def test_a_number_has_one_form_whichever_database_gives_it_back(db):
    kept = {"a": 1e22, "b": -0.0, "c": [1.2345678901234567e20], "d": 1e-7, "e": 5.0, "f": "-0.0 e+"}
    # As `jsonb` gives them back.
    given = {"a": 10**22, "b": 0.0, "c": [123456789012345670000], "d": 0.0000001, "e": 5.0, "f": "-0.0 e+"}
    assert canonical(kept) == canonical(given)
    event = Event.objects.create(verb="later", data=kept)
    event.refresh_from_db()
    assert canonical(event.data) == canonical(kept)


def test_the_worker_seals_as_a_chore_and_not_at_every_sweep(study, caplog):
    from retrieval.jobs import chores

    with caplog.at_level("INFO"):
        chores.do_all()
    assert Seal.objects.latest("number").digest in caplog.text  # where the log is kept, so is the head
    n = Seal.objects.count()
    Event.objects.create(study=study, verb="later")
    chores.do_all()
    assert n
    assert Seal.objects.count() == n
    assert json.loads(json.dumps(Seal.objects.first().columns))[0] == "id"


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")
def test_those_who_seal_at_once_take_turns(monkeypatch):
    monkeypatch.setattr(sealing, "BLOCK", 1)
    Event.objects.bulk_create(Event(verb="later", data={"at": at}) for at in range(40))

    def sealed(_):
        try:
            return sealing.seal()
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(sealed, range(4))) == 40
    found = checking.check()
    assert (found.seals, found.unsealed, found.faults) == (40, 0, ())
