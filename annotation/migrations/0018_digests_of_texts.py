"""A finding belongs to a check, as everywhere else; each item has a digest of its texts, from which a check of
12,000 items tells at once whether one has changed. The rows there are get theirs here.
"""

import json
from hashlib import blake2b

from django.db import migrations, models

AT_ONCE = 2000


def digest(payload, gold, explanation):
    said = json.dumps([payload, gold, explanation], sort_keys=True)
    return blake2b(said.encode(), digest_size=16).hexdigest()


def fill(apps, schema_editor):
    columns = ("payload", "gold", "provenance__explanation", "pk")
    rows = apps.get_model("annotation", "Item").objects.order_by("pk")
    last = 0
    while those := list(rows.filter(pk__gt=last).values_list(*columns)[:AT_ONCE]):
        last = those[-1][-1]
        with schema_editor.connection.cursor() as cursor:
            cursor.executemany(
                "UPDATE annotation_item SET texts_digest = %s WHERE id = %s",
                [(digest(*texts), key) for *texts, key in those],
            )


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0017_claimed_last'),
    ]

    operations = [
        migrations.RenameField(model_name='leakfinding', old_name='look', new_name='leak_check'),
        migrations.AlterField(
            model_name='leakcheck',
            name='mends',
            field=models.BooleanField(default=False, help_text='Whether it first covers what the check before found in contexts'),
        ),
        migrations.AlterField(
            model_name='leakcheck',
            name='texts',
            field=models.CharField(blank=True, help_text='Digest of what it reads; another when a text is changed', max_length=32),
        ),
        migrations.AddField(
            model_name='item',
            name='texts_digest',
            field=models.CharField(default='', editable=False, help_text='Of payload, gold and explanation: another when a text is changed', max_length=32),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name='item',
            index=models.Index(fields=['study', 'retired', 'number', 'id', 'kind', 'texts_digest'], name='item_texts'),
        ),
    ]
