"""The record cannot be emptied or replaced either; an erasure names the rows that went."""

from django.db import migrations, models

from annotation.migrations import _whole


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0033_mail'),
    ]

    operations = [
        migrations.AddField(
            model_name='erasure',
            name='keys',
            field=models.JSONField(help_text='Which rows: by table, pairs of a first and a last key; null: an erasure of before, which only counts', null=True),
        ),
        migrations.RunPython(_whole.add, _whole.drop),
    ]
