"""X04: eight write pairs of judgments while 150 files are made: in each file both of a pair, or none.

In a data set, whose tables are read one after the other, each reading is a judgment or is not done, too.
"""

from __future__ import annotations

import pytest

from tests.cases.installation import READY, installation

pytestmark = pytest.mark.long
EXPORTS = 150
ITEMS, AT_ONCE = 1600, 2
"""Pairs that each writer writes for each file: on a busy machine the study would grow with the seconds that a
file takes, and a file takes the longer the more there is.
"""
ROOM = """
study = builders.study(items=int(sys.argv[1]), overlap=2)
for name in ("A", "B"):
    builders.enrolment(study, builders.person("Reader" + name), pseudonym=name)
"""
WRITING = (
    READY
    + """
import uuid
from django.utils import timezone
from annotation.models import Judgment, Study
study = Study.objects.get()
readers = {each.pseudonym: each for each in study.enrolments.all()}
mine = [item for item in study.items.order_by("number") if item.number % 8 == int(sys.argv[2])]
print("writing", flush=True)
n = 0
# Round after round: from the second on both of a pair change their minds.
while not os.path.exists(sys.argv[1]):
    if n >= int(sys.argv[4]) * (1 + os.path.getsize(sys.argv[3])):
        time.sleep(0.002)
        continue
    item, revision = mine[n % len(mine)], 1 + n // len(mine)
    with transaction.atomic():
        for place in item.assignments.order_by("slot"):
            reader = readers["AB"[place.slot - 1]]
            Judgment.objects.create(
                assignment=place, annotator=reader, revision=revision, outcome="answer", order=[2, 0, 1],
                answer={"option": 1}, active_seconds=1.5, submission=uuid.uuid4(), channel="web",
                created=timezone.now())
            place.annotator, place.status = reader, "done"
            place.save()
            time.sleep(0.002)
    n += 1
    time.sleep(0.02)
print(json.dumps(n))
"""
)
EXPORTING = """
import csv, hashlib, io
from collections import Counter
from annotation.dataset.files import files
from annotation.export import judgments
from annotation.models import Study
study, torn, grew = Study.objects.get(), [], set()
readings = study.assignments.count()
for at in range(int(sys.argv[1])):
    with open(sys.argv[2], "a") as begun:
        begun.write(".")
    form = ("jsonl", "csv", "dataset")[at % 3]
    if form == "dataset":
        found = {path: b"".join(pieces) for path, pieces in files(study, parquet=False)}
        text = found["data/judgments.jsonl"].decode()
        said = json.loads(found["datapackage.json"])
        for each in said["resources"]:
            assert each["hash"] == "sha256:" + hashlib.sha256(found[each["path"]]).hexdigest(), each["path"]
            assert each["bytes"] == len(found[each["path"]])
        lines = [json.loads(line)["item"] for line in text.splitlines()]
        places = [json.loads(line) for line in found["data/assignments.jsonl"].decode().splitlines()]
        undone = {(each["item"], each["place"]) for each in places if each["status"] != "done"}
        done = {(each["item"], each["place"]) for each in map(json.loads, text.splitlines())}
        torn += [[at, "in both", *each] for each in done & undone]
        torn += [[at, "in neither", readings - len(done | undone)]] * (len(done | undone) != readings)
    elif form == "jsonl":
        lines = [json.loads(line)["item"] for line in judgments.export(study, form, by=None)]
    else:
        rows = csv.DictReader(io.StringIO("".join(judgments.export(study, form, by=None)), newline=""))
        lines = [row["item"] for row in rows]
    per = Counter(lines)
    grew.add(len(lines))
    torn += [[at, form, item, n] for item, n in per.items() if n % 2]
print(json.dumps({"torn": torn, "grew": len(grew)}))
"""


def test_no_file_holds_one_of_a_pair(tmp_path):
    with installation(tmp_path / "here") as here:
        here.script(ROOM, ITEMS)
        stop, begun = tmp_path / "stop", tmp_path / "begun"
        begun.touch()
        command = [here.started("-c", WRITING, stop, n, begun, AT_ONCE, stdout=-1) for n in range(8)]
        writers = [each.__enter__() for each in command]
        try:
            for each in writers:
                assert each.stdout.readline() == "writing\n"
            told = here.told(EXPORTING, EXPORTS, begun)
            assert [each.poll() for each in writers] == [None] * 8
            stop.touch()
            said = [each.communicate(timeout=120)[0] for each in writers]
        finally:
            for each in command:
                each.__exit__(None, None, None)
    assert told["torn"] == []
    assert told["grew"] > EXPORTS / 3
    assert all(int(each.split()[-1]) > 0 for each in said)
