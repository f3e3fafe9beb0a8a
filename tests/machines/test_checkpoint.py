"""Weights in a folder answer without any endpoint, on the worker's own device."""

import pytest

from common.chat import SYSTEM, USER, Message, Request
from common.errors import BadInput
from machines import endpoints as site
from machines.ledger import Asking, estimate
from machines.models import Call
from tests.machines import tiny

pytestmark = [pytest.mark.django_db, pytest.mark.services]  # it loads torch


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny.write(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def small(settings, folder):
    settings.DEVICE = "cpu"
    settings.MODELS = (
        f'folders = ["{folder.parent}"]\n[endpoints.small]\nkind = "checkpoint"\nfolder = "{folder}"'
    )
    return site.find("small")


GRADED = Request(
    (Message(SYSTEM, "Grade the passage."), Message(USER, '{"passage": "The boat left at dawn."}')),
    schema={"properties": {"grade": {"enum": [0, 1, 2]}}}, choices=tuple("012"),
)  # fmt: skip


def test_choices_are_decided_with_their_probabilities(small):
    (reply,) = Asking(small)([GRADED])
    assert sum(reply.probabilities.values()) == pytest.approx(1, abs=1e-4)
    assert reply.text == f'{{"grade": {max(reply.probabilities, key=reply.probabilities.get)}}}'


def test_free_text_is_written_and_a_seed_repeats_it(small):
    warm = [
        Request((Message(USER, "Say something."),), max_tokens=12, temperature=1.0, seed=seed, replicate=n)
        for n, seed in enumerate((1, 1, 2))
    ]
    one, same, other = Asking(small)(warm)
    assert one.text == same.text != other.text
    assert (one.completion_tokens, one.finish) == (12, "length")


def test_a_row_keeps_a_digest_of_the_files_and_other_weights_are_another_question(small, folder):
    Asking(small)([GRADED])
    row = Call.objects.get()
    assert row.revision.startswith("sha256:")
    assert estimate(small, [GRADED]).cached == 1
    file = folder / "config.json"
    before = file.read_text()
    file.write_text(before + "\n")
    try:
        assert estimate(small, [GRADED]).cached == 0
    finally:
        file.write_text(before)


def test_what_does_not_fit_is_refused(small):
    asking = Asking(small)
    assert asking([Request((Message(USER, "x" * 600),), max_tokens=4)]) == [None]
    assert "too long" in asking.problems[0]


def test_a_folder_without_weights_is_said(settings, tmp_path):
    (tmp_path / "a").mkdir()
    settings.MODELS = f'folders = ["{tmp_path}"]\n[endpoints.a]\nkind = "checkpoint"\nfolder = "{tmp_path}/a"'
    with pytest.raises(BadInput, match="holds no weights"):
        Asking(site.find("a"))([GRADED])
