"""manage.py doctor: each fault with what to do about it."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from retrieval.jobs import workers
from variorum import diagnosis


@pytest.fixture(autouse=True)
def house(settings, tmp_path, db, monkeypatch):
    # What it says of encoders, for which it loads torch, is tested with them.
    monkeypatch.setattr(diagnosis, "encoders", lambda: diagnosis.Finding("Dense encoders", True, "here"))
    # Nor does it matter how full this disk is.
    monkeypatch.setattr(diagnosis, "LEAST_FREE_BYTES", 0)
    settings.DATA_DIR, settings.EMBEDDED = tmp_path, True
    (tmp_path / "secret-key").write_text("k")
    (tmp_path / "secret-key").chmod(0o600)


def said():
    return {finding.what: finding for finding in diagnosis.findings()}


def test_nothing_is_wrong_when_a_worker_is_there():
    workers.report("here", ["cpu", "gpu"])
    out = StringIO()
    call_command("doctor", stdout=out)
    assert "Nothing is wrong." in out.getvalue()


def test_a_missing_worker_is_a_fault_with_the_command_to_start_one():
    out = StringIO()
    with pytest.raises(CommandError, match="1 fault found"):
        call_command("doctor", stdout=out)
    assert "celery -A variorum worker -P solo -Q cpu" in out.getvalue()
    assert said()["Worker for gpu"].ok is None


def test_a_key_others_can_read_is_a_fault(tmp_path):
    (tmp_path / "secret-key").chmod(0o644)
    assert said()["Secret key"].ok is False
    assert "chmod 600" in said()["Secret key"].detail


def test_a_missing_data_directory_is_a_fault(settings, tmp_path):
    settings.DATA_DIR = tmp_path / "gone"
    assert said()["Data directory"].ok is False
    assert said()["Free space"].ok is None


def test_O03_a_disk_that_is_nearly_full_is_a_fault(monkeypatch):
    assert said()["Free space"].ok is True
    monkeypatch.setattr(diagnosis, "LEAST_FREE_BYTES", 2**80)
    assert said()["Free space"].ok is False
    assert "make room" in said()["Free space"].detail


def test_a_queue_that_does_not_answer_is_a_fault(settings):
    settings.EMBEDDED, settings.REDIS_URL = False, "redis://127.0.0.1:9/0"
    assert said()["Queue"].ok is False
    assert "VARIORUM_REDIS_URL" in said()["Queue"].detail


def test_language_models_are_named_or_said_to_be_none(settings):
    settings.MODELS = ""
    assert said()["Language models"].ok is None
    assert "none is set up" in said()["Language models"].detail
    settings.MODELS = """
        [endpoints.judge]
        url = "https://models.example/v1"
        model = "m"
        key_variable = "DOCTOR_TEST_KEY"
    """
    told = [each for each in diagnosis.findings() if each.what == "Language models"]
    assert [each.ok for each in told] == [True, None, None]
    assert told[0].detail.startswith("judge;")
    assert "DOCTOR_TEST_KEY is not set here" in told[1].detail
    assert "has no price" in told[2].detail


def test_a_language_model_that_is_described_wrong_is_a_fault(settings):
    settings.MODELS = '[endpoints.judge]\nurl = "https://models.example/v1"\n'
    found = said()["Language models"]
    assert found.ok is False
    assert "Endpoint 'judge': model is missing" in found.detail
