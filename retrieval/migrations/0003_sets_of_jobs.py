"""Give each job the excerpts it is about, as a set; refuse UPDATE on decisions in the database itself."""

from django.db import migrations

SQLITE = """
CREATE TRIGGER retrieval_curation_append_only BEFORE UPDATE ON retrieval_curation
BEGIN SELECT RAISE(ABORT, 'retrieval_curation is append-only: add a new row'); END
"""
FUNCTION = """
CREATE FUNCTION retrieval_append_only() RETURNS trigger AS $$
BEGIN RAISE EXCEPTION '% is append-only: add a new row', TG_TABLE_NAME; END
$$ LANGUAGE plpgsql
"""
POSTGRESQL = """
CREATE TRIGGER retrieval_curation_append_only BEFORE UPDATE ON retrieval_curation
FOR EACH ROW EXECUTE FUNCTION retrieval_append_only()
"""


def fill(apps, schema_editor):
    """Until now excerpts were only ever added, so the first `total` of those asked for are the job's."""
    Job = apps.get_model("retrieval", "CandidateJob")
    Excerpt = apps.get_model("retrieval", "Excerpt")
    for job in Job.objects.all():
        placed = Excerpt.objects.filter(book=job.book_id, first__isnull=False)
        size = job.parameters.get("size")
        if size is not None:
            placed = placed.filter(size=size)
        keys = placed.order_by("pk").values_list("pk", flat=True)[: job.total]
        rows = [Job.excerpts.through(candidatejob_id=job.pk, excerpt_id=key) for key in keys]
        Job.excerpts.through.objects.bulk_create(rows, batch_size=500)


def guard(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(FUNCTION, params=None)  # a bare % is PL/pgSQL's, not a placeholder
        schema_editor.execute(POSTGRESQL)
    else:
        schema_editor.execute(SQLITE)


def unguard(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP TRIGGER retrieval_curation_append_only ON retrieval_curation")
        schema_editor.execute("DROP FUNCTION retrieval_append_only()")
    else:
        schema_editor.execute("DROP TRIGGER retrieval_curation_append_only")


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0002_curation")]
    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.RunPython(guard, unguard),
    ]
