"""Items that wait to be stored: the rows they become are those that the models write, of every task."""

from __future__ import annotations

import pytest

from annotation.items.payloads import FileItem, add_in_parts, add_payloads, checked
from annotation.models import Item
from annotation.models.rows import insert
from annotation.tasktypes import registry
from common.progress import silent
from tests import builders

pytestmark = pytest.mark.django_db
NAMES = sorted({each.attname for each in Item._meta.concrete_fields} - {"id", "study_id"})


@pytest.mark.parametrize("task", registry.all_types())
def test_rows_are_those_that_the_models_write(task):
    example = registry.get(task).example()
    made = {"id": "ä", "explanation": "„Weil“ 😀"}
    kinds = [("practice", example.gold), ("work", None)]
    # One text differs, whatever the task: what all items share does not.
    one, other = (builders.study(f"{task}-{n}", items=0, state="draft", task=task) for n in (1, 2))
    for kind, gold in kinds:
        entries = [FileItem("line 1", example.payload, gold, made, kind)]
        ready = checked(one, entries, silent)
        assert (ready.new, ready.known) == (1, 0)
        unsaved = next(ready.items(one))
        add_in_parts(one, ready, by=None, source="x", progress=silent)
        add_payloads(other, entries, by=None)
        rows = [list(study.items.values(*NAMES)) for study in (one, other)]
        assert rows[0] == rows[1]
        assert {name: getattr(unsaved, name) for name in NAMES} == rows[0][0]
        one.items.all().delete()
        other.items.all().delete()


def test_a_column_that_is_none_of_the_table_is_refused():
    with pytest.raises(TypeError, match="Item has no column nothing"):
        insert(Item, ["number"], [], nothing=1)
