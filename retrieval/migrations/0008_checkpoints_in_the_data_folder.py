from pathlib import Path

from django.conf import settings
from django.db import migrations, models


def from_the_data_folder(apps, schema_editor):
    """What lies in the data directory moves with it; what lies elsewhere stays where it is."""
    for row in apps.get_model("retrieval", "Checkpoint").objects.all():
        place = Path(row.folder)
        if place.is_absolute() and place.is_relative_to(settings.DATA_DIR):
            row.folder = place.relative_to(settings.DATA_DIR).as_posix()
            row.save(update_fields=["folder"])


def whole(apps, schema_editor):
    for row in apps.get_model("retrieval", "Checkpoint").objects.all():
        row.folder = str(Path(settings.DATA_DIR, row.folder))
        row.save(update_fields=["folder"])


class Migration(migrations.Migration):

    dependencies = [
        ('retrieval', '0007_encoding'),
    ]

    operations = [
        migrations.AlterField(
            model_name='checkpoint',
            name='folder',
            field=models.CharField(help_text='From the data directory on, or whole where it lies elsewhere', max_length=500),
        ),
        migrations.RunPython(from_the_data_folder, whole),
    ]
