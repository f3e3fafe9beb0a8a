"""The index of what readers were given leaves out what is free, and is small while a study is young.

PostgreSQL, which knows nothing of a reader then, took the other index of readers, because it was smaller, and
put all that a reader had been given in order to find the last.
"""

from typing import ClassVar

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies: ClassVar = [("annotation", "0045_place_held")]

    operations: ClassVar = [
        migrations.RemoveIndex("assignment", "place_claimed_last"),
        migrations.AddIndex(
            "assignment",
            models.Index(
                fields=["annotator", "claimed", "id"],
                name="place_claimed_last",
                condition=Q(annotator__isnull=False),
            ),
        ),
    ]
