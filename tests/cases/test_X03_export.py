"""X03: a million judgments leave as a file, in memory that does not grow with them."""

import subprocess
import sys

import pytest

from tests.cases.installation import idle, installation
from tests.cases.many import MANY, peak

pytestmark = pytest.mark.long
SLOWEST = {100_000: 30, 1_000_000: 300}
"""Seconds for so many judgments."""
LARGEST, FIRST = 200, 1.0
"""MB beside what the process had, seconds to the first piece."""
EXPORTED = peak("""
from annotation.export import judgments
from annotation.models import Study
from django.test import Client
from django.conf import settings
settings.ALLOWED_HOSTS = ["testserver"]
study = Study.objects.get(slug="large")
dora = builders.researcher("Dora" + sys.argv[1])
builders.enrolment(study, dora, role="researcher", pseudonym="R" + sys.argv[1])
browser = Client()
browser.force_login(dora)
plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}
assert browser.get(f"/manage/{study.slug}/export/").status_code == 200  # what a process loads once
began = time.monotonic()
mark()
reply = browser.post(f"/manage/{study.slug}/export/", {"format": sys.argv[1], "what": "judgments"})
lines, first = 0, 0.0
for piece in reply.streaming_content:
    first = first or time.monotonic() - began
    lines += piece.count(b"\\n")
print(json.dumps({"lines": lines, "first": first, "took": time.monotonic() - began, "grown": grown()}))
""")


@pytest.mark.parametrize("n", SLOWEST)
def test_it_streams_in_memory_that_stays(tmp_path, n, capsys):
    with installation(tmp_path / "here") as here:
        here.script(MANY + "large(int(sys.argv[1]))", n)
        said = {form: here.told(EXPORTED, form) for form in ("jsonl", "csv")}
    with capsys.disabled():
        sys.stdout.write(f"\nX03: {n:,} judgments: {said}\n")
    assert (said["jsonl"]["lines"], said["csv"]["lines"]) == (n, n + 1)
    for each in said.values():
        assert each["grown"] < LARGEST
        if idle():
            assert each["took"] < SLOWEST[n]
            assert each["first"] < FIRST


ONE_OF_EACH = """
from tests.cases.installation import FILLED
exec(FILLED.replace("sys.argv[1]", "40"))
builders.collection()
"""
PRINTING = [
    ["export", "fleet", "--format", "jsonl"],
    ["export", "fleet", "--format", "csv"],
    ["export", "fleet", "--format", "csv", "--every-kind"],
    ["export", "fleet", "--format", "csv", "--decisions"],
    ["export", "fleet", "--format", "csv", "--readings"],
    ["report", "fleet"],
    ["doctor"],
    ["verify"],
]
"""Commands that write what somebody may look at with `head`."""


def test_what_is_printed_for_somebody_who_stops_reading_ends_quietly(tmp_path):
    """As in `manage.py export … | head -1`: nobody reads from the beginning, and from the first line on."""
    with installation(tmp_path / "here") as here:
        here.script(ONE_OF_EACH)
        said = {}
        for words in PRINTING:
            for first in (False, True):
                with subprocess.Popen(
                    here.command("manage.py", *words), env=here.environment, stdout=-1, stderr=-1, text=True
                ) as process:
                    if first:
                        process.stdout.readline()
                    process.stdout.close()
                    complaint = process.stderr.read()
                    said[" ".join(words), first] = process.wait(300), complaint
    faults = {what: each for what, each in said.items() if each[0] not in (0, 141) or "Traceback" in each[1]}
    assert faults == {}
    assert [status for (_, first), (status, _) in said.items() if not first] == [141] * len(PRINTING)
