"""Names with where they were first, of which memory holds only some."""

import resource

import pytest

from common import first_seen
from common.errors import BadInput
from common.first_seen import FirstSeen


def test_the_first_place_of_a_name_stays():
    seen = FirstSeen()
    assert seen.get("a") is None
    assert seen.note("a", "line 1") is None
    assert seen.note("b\ud800", "line 2") is None
    assert seen.note("a", "line 3") == "line 1"
    assert (seen.get("a"), seen.get("b\ud800"), seen.get("c"), len(seen)) == ("line 1", "line 2", None, 2)


def test_very_many_stand_in_little_memory():
    seen = FirstSeen()
    for number in range(20_000):
        seen.note(f"warm {number}", "x" * 40)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(150_000):
        assert seen.note(f"name {number}", f"many.jsonl, line {number}") is None
    assert len(seen) == 170_000
    assert seen.get("name 149999") == "many.jsonl, line 149999"
    # A dictionary of them takes 30 MB.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 18_000


def test_a_full_temporary_folder_is_said_in_a_sentence(monkeypatch):
    monkeypatch.setattr(first_seen, "PREPARED", (*first_seen.PREPARED, "PRAGMA max_page_count = 8"))
    seen = FirstSeen()
    said = r"The temporary folder of this machine cannot be written: .*full"
    with pytest.raises(BadInput, match=said):  # noqa: PT012 - some note does not fit any more
        for number in range(10_000):
            seen.note(str(number), "x" * 100)
