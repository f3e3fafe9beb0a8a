from importlib import import_module

from django.db import migrations, models

from annotation.migrations._triggers import FROZEN, nothing

BEFORE = import_module("annotation.migrations.0035_stopping_rules")
FIELDS = (*BEFORE.FIELDS, "stop_spending", "stop_threshold", "stop_run")


def _changed(differs):
    return " OR ".join(f"NEW.{each} {differs} OLD.{each}" for each in FIELDS)


def loosen(apps, schema_editor):
    """Without the trigger of the rule; `IF EXISTS`: SQLite loses it where it makes the table anew."""
    on = " ON annotation_study" if schema_editor.connection.vendor == "postgresql" else ""
    schema_editor.execute(f"DROP TRIGGER IF EXISTS annotation_study_rule_fixed{on}")


def _frozen(schema_editor):
    """SQLite has made the table anew: the trigger of migration 0004 again."""
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute("DROP TRIGGER IF EXISTS annotation_study_frozen")
        schema_editor.execute(FROZEN.SQLITE)


def fix(apps, schema_editor):
    """The rule stays as it was when the study opened, also by its new fields."""
    _frozen(schema_editor)
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"""
CREATE TRIGGER annotation_study_rule_fixed BEFORE UPDATE ON annotation_study FOR EACH ROW
WHEN (OLD.state <> 'draft' AND ({_changed("IS DISTINCT FROM")})) EXECUTE FUNCTION variorum_study_rule_fixed()
""")
    else:
        schema_editor.execute(f"""
CREATE TRIGGER annotation_study_rule_fixed BEFORE UPDATE ON annotation_study
WHEN OLD.state <> 'draft' AND ({_changed("IS NOT")})
BEGIN SELECT RAISE(ABORT, '{BEFORE.MESSAGE}'); END
""")


def back(apps, schema_editor):
    """The triggers as they were before this migration."""
    _frozen(schema_editor)
    schema_editor.execute(BEFORE.POSTGRESQL if schema_editor.connection.vendor == "postgresql" else BEFORE.SQLITE)


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0037_letters_confirmed'),
    ]

    operations = [
        migrations.RunPython(nothing, back),
        migrations.RunPython(loosen, nothing),
        migrations.RemoveConstraint(
            model_name='study',
            name='study_stopping_rule_whole',
        ),
        migrations.AddField(
            model_name='study',
            name='stop_run',
            field=models.CharField(blank=True, default='', help_text='The machine reader that readers are compared with', max_length=20),
        ),
        migrations.AddField(
            model_name='study',
            name='stop_spending',
            field=models.CharField(blank=True, default='', help_text='How a comparison spends its level over the looks; empty: the rule is one of width', max_length=20),
        ),
        migrations.AddField(
            model_name='study',
            name='stop_threshold',
            field=models.FloatField(blank=True, help_text='What the measure is compared with', null=True),
        ),
        migrations.AddConstraint(
            model_name='study',
            constraint=models.CheckConstraint(condition=models.Q(('stop_measure', ''), models.Q(('stop_every__gte', 1), ('stop_every__isnull', False), ('stop_items__gte', 1), ('stop_items__isnull', False), ('stop_most__gte', 1), ('stop_most__isnull', False), models.Q(models.Q(('stop_run', ''), ('stop_spending', ''), ('stop_threshold', None), ('stop_width__gt', 0), ('stop_width__isnull', False)), models.Q(models.Q(('stop_spending', ''), _negated=True), ('stop_threshold__isnull', False), ('stop_width', None)), _connector='OR')), _connector='OR'), name='study_stopping_rule_whole'),
        ),
        migrations.RunPython(fix, loosen),
    ]
