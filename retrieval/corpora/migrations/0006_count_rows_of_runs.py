from django.db import migrations


def count_rows(apps, schema_editor):
    """Count what each run ranks, once, as every new run does when it is stored."""
    run, ranked = (apps.get_model('corpora', name) for name in ('Run', 'Ranked'))
    for pk in list(run.objects.values_list('pk', flat=True)):
        rows = ranked.objects.filter(run=pk)
        run.objects.filter(pk=pk).update(
            n_rows=rows.count(), n_topics=rows.order_by().values('topic').distinct().count()
        )


class Migration(migrations.Migration):

    dependencies = [
        ('corpora', '0005_staged_runs'),
    ]

    operations = [
        migrations.RunPython(count_rows, migrations.RunPython.noop, elidable=True),
    ]
