"""Indexes of what readers are asked at each step.

What a reader holds has one of its own, which stays small: what is done is not written into it. The last that
they were given is found in one that has the whole order, or all they have done is put in order first.
"""

from typing import ClassVar

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies: ClassVar = [("annotation", "0044_imports_into_open_studies")]

    operations: ClassVar = [
        migrations.RemoveIndex("assignment", "place_of_annotator"),
        migrations.AddIndex(
            "assignment", models.Index(fields=["annotator"], name="place_held", condition=Q(status="held"))
        ),
        migrations.RemoveIndex("assignment", "place_claimed_last"),
        migrations.AddIndex(
            "assignment", models.Index(fields=["annotator", "claimed", "id"], name="place_claimed_last")
        ),
    ]
