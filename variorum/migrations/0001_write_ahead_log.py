"""Turn SQLite's write-ahead log on, once: the mode is kept in the file.

Asked for at every connection instead, it needs a lock that a rush of new
connections cannot wait for, and readers saw "database is locked".
"""

from django.db import migrations


def turn_on(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        with schema_editor.connection.cursor() as cursor:
            cursor.execute("PRAGMA journal_mode=WAL")


class Migration(migrations.Migration):
    atomic = False
    initial = True
    dependencies = []
    operations = [migrations.RunPython(turn_on, migrations.RunPython.noop)]
