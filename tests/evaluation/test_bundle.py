"""A bundle holds when nothing was changed, and names what was: the part, the key, or the cell."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import zipfile
from datetime import UTC, datetime
from io import BytesIO, StringIO
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import transaction

from annotation.dataset.columns import JUDGMENTS
from annotation.dataset.storing.told import in_time
from annotation.models import Event, Guideline, Study
from common.errors import BadInput
from evaluation.bundle import archive, keys, manifest
from evaluation.bundle.archive import KEY, MANIFEST, SIGNATURE
from evaluation.bundle.manifest import Part
from evaluation.bundle.reports import Asked
from evaluation.bundle.verify import Failed, verify
from evaluation.bundle.write import write_bundle
from tests import builders
from tests.evaluation.judged import judged
from tests.evaluation.machines import read_by_machine
from tests.evaluation.marked import marked
from tests.evaluation.relevant import judged as graded
from tests.evaluation.test_data_set_round_trip import compared

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ASKED = Asked(NOW, 100)
OTHER = Ed25519PrivateKey.generate()


def choice(answer="ggx", run=2):
    study = judged(["ggg", answer, "gxy", "ugb"])
    read_by_machine(study, [{"option": 1}, {"option": run}, {"option": 0}, "u"])
    return study


def span(answer=(8, 10), run=9):
    study = marked([(8, 11), answer, "n"], [(7, 9), "u", (7, 9)])
    read_by_machine(study, [{"start": 8, "end": run}, {"start": 7, "end": 9}])
    return study


def relevance(answer="012", run=3):
    study = graded({("1", "a"): answer, ("1", "b"): "344", ("2", "c"): "11u", ("2", "d"): "40."})
    read_by_machine(study, [{"grade": 1}, {"grade": run}, {"grade": 1}, "?"])
    return study


KINDS = {"choice": (choice, "gxx"), "span": (span, (8, 11)), "relevance": (relevance, "022")}
MAKERS = {
    "honest": lambda make, _: make(),
    "answer": lambda make, other: make(answer=other),
    "letter": lambda make, _: lettered(make()),
    "run": lambda make, _: make(run=1 if make is not span else 10),
}
PARTS = {
    "answer": "dataset/data/judgments.jsonl",
    "letter": "dataset/study.json",
    "run": "dataset/data/runs.jsonl",
    "cell": "report/report.csv",
}


def lettered(study):
    study.guidelines.all().delete()
    Guideline.objects.create(study=study, version=1, text="Choose the passage that reads best!")
    return study


@pytest.fixture(scope="module")
def bundles(ground, tmp_path_factory):
    """A bundle of each kind as it is, and of the same study with one thing changed; no study is left."""
    folder = tmp_path_factory.mktemp("bundles")
    for name, (make, other) in KINDS.items():
        for what, maker in MAKERS.items():
            with transaction.atomic(), (folder / f"{name}-{what}.zip").open("wb") as out:
                write_bundle(maker(make, other), out, ASKED, licence="CC0-1.0", by=None)
                transaction.set_rollback(True)
    assert not Study.objects.exists()
    return folder


def checked(path, pinned=None):
    """What is said of a bundle that holds; the database is as empty as before."""
    said = []
    with transaction.atomic():
        try:
            verify(path, pinned, said.append)
        finally:
            transaction.set_rollback(True)
    return said


def parts_of(path):
    with zipfile.ZipFile(path) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def put_together(path, parts, key=None):
    """A bundle of these parts; with a key the manifest is made and signed again."""
    if key:
        found = manifest.read(parts[MANIFEST])
        listed = {name: content for name, content in parts.items() if name not in archive.SEAL}
        made = tuple(Part(name, len(each), archive.sha256(each)) for name, each in listed.items())
        public = keys.public(key)
        signed = manifest.written(found._replace(parts=made, fingerprint=public.fingerprint))
        parts = {**parts, MANIFEST: signed, SIGNATURE: key.sign(signed), KEY: public.pem}
    with path.open("wb") as out:
        archive.write(out, parts.items())
    return path


def one_changed(bundles, kind, what):
    """The parts of an honest bundle with one thing changed: in its data, or in a cell of its report."""
    parts = parts_of(bundles / f"{kind}-honest.zip")
    if what == "cell":
        text = parts[PARTS[what]].decode()
        assert text.count(",n_judged,,") == 1
        return {**parts, PARTS[what]: text.replace(",n_judged,,", ",n_judged,,1").encode()}
    other = parts_of(bundles / f"{kind}-{what}.zip")
    return parts | {name: each for name, each in other.items() if name.startswith("dataset/")}


@pytest.mark.parametrize("kind", KINDS)
def test_a_bundle_holds_and_says_so(bundles, kind):
    said = checked(bundles / f"{kind}-honest.zip")
    assert [each.split(":")[0] for each in said[1:]] == [
        "ok  structure",
        "ok  sha256 of every part",
        f"ok  signature by the key {keys.public(keys.own()).fingerprint}, which gives no name",
        "ok  report",
        "ok  the data set, written out again",
    ]
    assert "in 7 files, every one computed again" in said[4]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", PARTS)
def test_one_change_is_named_by_its_part_or_by_its_key(bundles, tmp_path, kind, what):
    parts = one_changed(bundles, kind, what)
    honest = parts_of(bundles / f"{kind}-honest.zip")
    only = {**honest, PARTS[what]: parts[PARTS[what]]}
    with pytest.raises(Failed, match=f"{PARTS[what]} is not what the manifest lists: its sha256 is"):
        checked(put_together(tmp_path / "stale.zip", only))
    ours, other = keys.public(keys.own()), keys.public(OTHER)
    (tmp_path / "ours.pem").write_bytes(ours.pem)
    signed = put_together(tmp_path / "other.zip", parts, OTHER)
    with pytest.raises(Failed, match=f"signed by the key {other.fingerprint}.*expected, {ours.fingerprint}"):
        checked(signed, tmp_path / "ours.pem")
    parts[MANIFEST] = parts_of(signed)[MANIFEST]
    with pytest.raises(Failed, match=f"no signature of {MANIFEST} by the key {ours.fingerprint}"):
        checked(put_together(tmp_path / "unsigned.zip", parts))


GUIDELINES = "table “guidelines”, row “1 (1)”, column “sha256”: shipped"
RUNS = "table “machine_readers”, row “1 (M1)”, column “sha256”: shipped"
COUNT = "(n_judged)”, column “value”: shipped “1{0}”, computed again “{0}”"
NAMED = {
    "choice": {
        "answer": "row “individual accuracy”, column “value”: shipped “70.0 %”, computed again “60.0 %”",
        "letter": GUIDELINES,
        "run": RUNS,
        "cell": COUNT.format(4),
    },
    "span": {
        "answer": "table “measures”, row “1 (lcs_overlap_kappa)”, column “value”: shipped “0.1",
        "letter": GUIDELINES,
        "run": RUNS,
        "cell": COUNT.format(2),
    },
    "relevance": {
        "answer": "table “measures”, row “5 (ordinal_alpha)”, column “value”: shipped “0.12",
        "letter": GUIDELINES,
        "run": RUNS,
        "cell": COUNT.format(4),
    },
}


@pytest.mark.parametrize("what", PARTS)
@pytest.mark.parametrize("kind", KINDS)
def test_one_change_signed_by_the_same_key_is_named_by_its_cell(bundles, tmp_path, kind, what):
    path = put_together(tmp_path / "b.zip", one_changed(bundles, kind, what), keys.own())
    with pytest.raises(Failed) as failed:
        checked(path)
    assert str(failed.value).startswith("The report is not what its data give.")
    assert NAMED[kind][what] in str(failed.value)


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        (
            "runs",
            '"text": ""',
            '"text": "1"',
            "table “machine_readers”, row “1 (M1)”, column “sha256”: shipped",
        ),
        ("judgments", '"note": ""', '"note": "!"', "table “readers”, row “1 (A)”, column “sha256”: shipped"),
        ("annotators", '"quota": null', '"quota": 5', "row “6 (annotators)”, column “sha256”"),
    ],
)
def test_a_value_that_no_measure_looks_at_is_named_by_whose_it_is(bundles, tmp_path, file, old, new, says):
    parts, name = parts_of(bundles / "choice-honest.zip"), f"dataset/data/{file}.jsonl"
    before = parts[name]
    parts[name] = before.replace(old.encode(), new.encode(), 1)
    assert parts[name] != before
    for listing in ("dataset/ro-crate-metadata.json", "dataset/datapackage.json"):
        told = {each: archive.sha256(parts[each]) for each in (name, "dataset/ro-crate-metadata.json")}
        was = parts_of(bundles / "choice-honest.zip")
        for each, digest in told.items():
            parts[listing] = parts[listing].replace(archive.sha256(was[each]).encode(), digest.encode())
        sizes = (f'"bytes": {len(before)},'.encode(), f'"bytes": {len(parts[name])},'.encode())
        parts[listing] = parts[listing].replace(*sizes)
    with pytest.raises(Failed) as failed:
        checked(put_together(tmp_path / "b.zip", parts, keys.own()))
    assert says in str(failed.value)


def test_the_looks_of_a_stopping_rule_are_computed_again_from_the_data(ground, tmp_path):
    """Where the record tells another value than the answers give, the count of such looks differs."""
    parts = []
    for path, value in ((tmp_path / "one.zip", None), (tmp_path / "other.zip", 0.99)):
        with transaction.atomic(), path.open("wb") as out:
            study = compared(None)
            if value is not None:
                [first, *_] = study.events.filter(verb="look").order_by("pk")
                told = {**first.data, "value": value, "items": 12}
                study.events.create(verb="look", data=told, created=first.created)
            write_bundle(study, out, ASKED, licence="CC0-1.0", by=None)
            transaction.set_rollback(True)
        parts.append(parts_of(path))
    one, other = parts
    assert any("holds" in each or "ok" in each for each in checked(tmp_path / "one.zip"))
    report = json.loads(one["report/report.json"])
    assert report["stopping"]["looks_that_changed"] == 0
    mixed = one | {name: each for name, each in other.items() if name.startswith("dataset/")}
    put_together(tmp_path / "mixed.zip", mixed, OTHER)
    with pytest.raises(Failed, match="report/report"):
        checked(tmp_path / "mixed.zip")


def test_parts_that_are_missing_unlisted_or_of_no_bundle_are_named(bundles, tmp_path):
    parts = parts_of(bundles / "choice-honest.zip")
    missing = {name: each for name, each in parts.items() if name != "report/report.md"}
    for changed, says in (
        (missing, r"report/report\.md is in the manifest and not in the file"),
        ({**parts, "report/more.md": b""}, r"report/more\.md is in the file and not in the manifest"),
    ):
        with pytest.raises(Failed, match=says):
            checked(put_together(tmp_path / "b.zip", changed))
    with pytest.raises(Failed, match=r"other files than this version writes: report/report\.md"):
        checked(put_together(tmp_path / "b.zip", missing, keys.own()))
    for changed, says in (
        ({**parts, "evil.py": b""}, r"'evil\.py' is no part of a bundle"),
        ({name: each for name, each in parts.items() if name != KEY}, r"key\.pem is missing"),
        ({**parts, KEY: b"-----BEGIN"}, r"key\.pem holds no public Ed25519 key"),
    ):
        with pytest.raises(BadInput, match=says):
            checked(put_together(tmp_path / "b.zip", changed))


def test_a_manifest_that_names_another_signer_than_signed_it_is_refused(bundles, tmp_path):
    parts = parts_of(bundles / "choice-honest.zip")
    parts |= {SIGNATURE: OTHER.sign(parts[MANIFEST]), KEY: keys.public(OTHER).pem}
    with pytest.raises(Failed, match=f"was signed by {keys.public(OTHER).fingerprint}: somebody else"):
        checked(put_together(tmp_path / "b.zip", parts))


def test_a_report_of_another_format_than_its_name_says_is_named(bundles, tmp_path):
    parts = {**parts_of(bundles / "choice-honest.zip"), "report/report.json": b"\xff"}
    with pytest.raises(Failed, match=r"report/report\.json cannot be read"):
        checked(put_together(tmp_path / "b.zip", parts, keys.own()))


def test_other_code_than_computed_is_said_first(bundles, tmp_path):
    parts = parts_of(bundles / "choice-honest.zip")
    said = json.loads(parts[MANIFEST])
    said["code"]["sources"] = "0" * 12
    parts[MANIFEST] = json.dumps(said).encode()
    told = checked(put_together(tmp_path / "b.zip", parts, keys.own()))
    assert told[4].startswith(
        "!!  Its numbers were computed by Variorum 0.1.0, code 000000000000; this is code"
    )
    assert told[5].startswith("ok  report")


def test_a_study_that_nobody_has_judged_has_a_bundle_too(db, tmp_path):
    with transaction.atomic(), (tmp_path / "b.zip").open("wb") as out:
        write_bundle(builders.study("waiting"), out, ASKED, licence="", by=None)
        transaction.set_rollback(True)
    assert checked(tmp_path / "b.zip")[-1].startswith("ok")


def test_the_same_study_time_and_key_give_the_same_bytes_and_each_is_noted(db):
    study, made = choice(), []
    for _ in range(2):
        out = BytesIO()
        write_bundle(study, out, ASKED, licence="CC0-1.0", by=None)
        made.append(out.getvalue())
    assert made[0] == made[1]
    private = Path(settings.DATA_DIR) / keys.FILE
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    parts = parts_of(BytesIO(made[0]))
    assert not any(b"PRIVATE" in each or private.read_bytes()[28:60] in each for each in parts.values())
    said = json.loads(parts["environment.json"])
    assert said["packages"]["Django"] == said["packages"].get("Django")
    assert os.uname().nodename not in parts["environment.json"].decode()
    assert Event.objects.filter(study=study, verb="export", data__format="bundle").count() == 2


def run(*given):
    out, err = StringIO(), StringIO()
    call_command("bundle", *map(str, given), stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_the_command_writes_a_bundle_that_holds_under_the_key_it_prints(db, tmp_path):
    with transaction.atomic():
        relevance()
        _, told = run("lamps", tmp_path / "b.zip", "--licence", "CC-BY-4.0", "--resamples", 100)
        pem, said = run("--public-key")
        transaction.set_rollback(True)
    assert "To check it: variorum-verify" in told
    (tmp_path / "key.pem").write_text(pem)
    assert said.split()[-1] in checked(tmp_path / "b.zip", tmp_path / "key.pem")[3]


def test_what_the_command_cannot_do_is_a_sentence_and_leaves_no_file(db, tmp_path):
    choice()
    for given, says in (
        (["nothing", tmp_path / "b.zip"], "no study “nothing”"),
        (["fleet"], "Name a study and the file"),
        (["fleet", tmp_path / "no" / "b.zip"], "cannot be written"),
        (["fleet", tmp_path / "b.zip", "--weighting", "item"], "weighting is for other data"),
    ):
        with pytest.raises(CommandError, match=says):
            run(*given)
    assert list(tmp_path.iterdir()) == []


def test_a_key_file_that_is_none_says_what_to_do(db, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    (tmp_path / keys.FILE).write_text("-----BEGIN NOTHING-----")
    with pytest.raises(CommandError, match="holds no Ed25519 key in PEM"):
        run("--public-key")


def test_the_page_explains_and_gives_the_file_to_researchers_alone(dora, eve, as_user, tmp_path, monkeypatch):
    with transaction.atomic():
        study = choice()
        builders.enrolment(study, dora, role="researcher")
        page = as_user(dora).get("/results/fleet/bundle/").text
        assert "What it proves" in page
        assert "variorum-verify fleet.bundle.zip" in page
        reply = as_user(dora).post("/results/fleet/bundle/", {"licence": "CC-BY-4.0"})
        assert reply["Content-Disposition"] == 'attachment; filename="fleet.bundle.zip"'
        (tmp_path / "b.zip").write_bytes(reply.getvalue())
        assert Event.objects.get(verb="export").actor == dora
        assert keys.known().fingerprint in as_user(dora).get("/results/fleet/bundle/").text
        unknown = as_user(dora).post("/results/fleet/bundle/", {"licence": "mine"})
        assert (unknown.status_code, "Choose one of the licences, CC-BY-4.0" in unknown.text) == (422, True)
        monkeypatch.setattr("evaluation.bundle.views.MOST", 3)
        refused = as_user(dora).post("/results/fleet/bundle/")
        assert (refused.status_code, "manage.py bundle fleet fleet.bundle.zip" in refused.text) == (422, True)
        assert as_user(eve).post("/results/fleet/bundle/").status_code == 404
        transaction.set_rollback(True)
    assert len(checked(tmp_path / "b.zip")) == 6


@pytest.mark.services
def test_the_program_needs_no_database_and_no_settings_and_leaves_nothing(bundles, tmp_path):
    """From another folder, with variables of an installation that lead nowhere."""
    dishonest = put_together(tmp_path / "c.zip", one_changed(bundles, "span", "answer"), keys.own())
    (tmp_path / "d.zip").write_bytes(b"no zip")
    nowhere = {
        "VARIORUM_DATA_DIR": "/nowhere",
        "VARIORUM_DATABASE_URL": "mysql://no",
        "VARIORUM_SECRET_KEY": "x",
    }
    env = {**os.environ, **nowhere, "DJANGO_SETTINGS_MODULE": "no.settings", "PYTHONPATH": str(ROOT)}
    before = sorted(tmp_path.iterdir())
    ends = []
    for path in (bundles / "span-honest.zip", dishonest, tmp_path / "d.zip"):
        done = subprocess.run(
            [sys.executable, "-m", "variorum.verify", str(path)],
            cwd=tmp_path, env=env, capture_output=True, text=True, check=False,
        )  # fmt: skip
        ends.append((done.returncode, (done.stdout + done.stderr).splitlines()[-1][:11]))
    assert [code for code, _ in ends] == [0, 1, 2], ends
    assert ends[0][1] == "IT HOLDS: w"
    assert sorted(tmp_path.iterdir()) == before


def test_judgments_are_stored_in_the_order_of_time_by_which_drift_is_measured(bundles, tmp_path):
    lines = parts_of(bundles / "relevance-honest.zip")[PARTS["answer"]].decode().splitlines(keepends=True)
    lines[1] = lines[1].replace("2026-03-01T12:00:00Z", "2026-03-01T11:59:59.5Z")
    (tmp_path / "data").mkdir()
    (tmp_path / JUDGMENTS.path).write_text("".join(lines), encoding="utf-8")
    told = []
    numbers = [line.number for line in in_time(tmp_path, JUDGMENTS, told.append)]
    assert numbers == [2, 1, *range(3, len(lines) + 1)]
    assert len(told) == len(lines)


@pytest.mark.services
@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_data_set_and_report_are_of_one_state_outside_any_transaction():
    """The data set takes a state of its own, within that of the bundle."""
    study, out = choice(), BytesIO()
    assert write_bundle(study, out, ASKED, licence="CC0-1.0", by=None).parts > 10
    assert Event.objects.filter(study=study, verb="export").count() == 1
