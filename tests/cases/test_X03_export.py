"""X03: a million judgments leave as a file, in memory that does not grow with them."""

import sys

import pytest

from tests.cases.installation import idle, installation
from tests.cases.many import MANY, peak

pytestmark = pytest.mark.long
SLOWEST, LARGEST, FIRST = 300, 200, 1.0
"""Seconds for a million, MB beside what the process had, seconds to the first piece."""
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


@pytest.mark.parametrize("n", [100_000, 1_000_000])
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
            assert each["took"] < SLOWEST
            assert each["first"] < FIRST
