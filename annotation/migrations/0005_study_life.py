"""All that a study’s whole life needs: consent, practice, drafts, talks, decisions, versions of items."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from annotation.migrations._triggers import RECORD, nothing, restore


GUARDED = ["annotation_consent", "annotation_decision"]


def guard(apps, schema_editor):
    """Consents and decisions are append-only as judgments are."""
    for table in GUARDED:
        schema_editor.execute(trigger(schema_editor).format(table=table))


def unguard(apps, schema_editor):
    for table in GUARDED:
        on = f" ON {table}" if schema_editor.connection.vendor == "postgresql" else ""
        schema_editor.execute(f"DROP TRIGGER {table}_append_only{on}")


def trigger(schema_editor):
    return RECORD.POSTGRESQL if schema_editor.connection.vendor == "postgresql" else RECORD.SQLITE


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0004_overlap_frozen'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(nothing, restore),
        migrations.CreateModel(
            name='Consent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField()),
                ('text', models.TextField()),
                ('keeps', models.BooleanField(default=True, help_text='After a withdrawal judgments are kept under the pseudonym; false: dropped')),
                ('created', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['study', '-version'],
            },
        ),
        migrations.CreateModel(
            name='Decision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('revision', models.PositiveIntegerField(default=1)),
                ('answer', models.JSONField(blank=True, help_text='In canonical terms; null: none can be given', null=True)),
                ('adopted', models.BigIntegerField(blank=True, help_text='Key of the judgment that was adopted; null: the adjudicator’s own answer', null=True)),
                ('reason', models.TextField(help_text='Why; shown to the readers when the study is closed')),
                ('seen', models.JSONField(default=list, help_text='Keys of the judgments it was made on')),
                ('submission', models.UUIDField(help_text='Made with the form: a repeated submit finds it', unique=True)),
                ('created', models.DateTimeField()),
            ],
            options={
                'ordering': ['item', 'revision'],
            },
        ),
        migrations.CreateModel(
            name='Message',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('from_researcher', models.BooleanField()),
                ('text', models.TextField()),
                ('created', models.DateTimeField()),
                ('read', models.DateTimeField(blank=True, help_text='When the other side first saw it', null=True)),
            ],
            options={
                'ordering': ['created', 'id'],
            },
        ),
        migrations.CreateModel(
            name='Preferences',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reading', models.JSONField(default=dict, help_text='Size, spacing, face and paper')),
                ('keys', models.JSONField(default=dict, help_text='Key by act, where it is not the usual one; `off`: no keys')),
                ('changed', models.DateTimeField(auto_now=True)),
            ],
            options={
                'verbose_name_plural': 'preferences',
            },
        ),
        migrations.RemoveField(
            model_name='study',
            name='task_settings',
        ),
        migrations.AddField(
            model_name='assignment',
            name='draft_saved',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='enrolment',
            name='guideline_seen',
            field=models.PositiveIntegerField(blank=True, help_text='Version of the guidelines last shown to this reader', null=True),
        ),
        migrations.AddField(
            model_name='enrolment',
            name='practised',
            field=models.DateTimeField(blank=True, help_text='When the pass mark was reached', null=True),
        ),
        migrations.AddField(
            model_name='item',
            name='quarantined',
            field=models.DateTimeField(blank=True, help_text='Since when it is given to no further reader', null=True),
        ),
        migrations.AddField(
            model_name='item',
            name='replaces',
            field=models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='replaced_by', to='annotation.item'),
        ),
        migrations.AddField(
            model_name='item',
            name='retired',
            field=models.DateTimeField(blank=True, help_text='Since when another version stands for it; its judgments stay with it', null=True),
        ),
        migrations.AddField(
            model_name='item',
            name='version',
            field=models.PositiveSmallIntegerField(default=1, help_text='Of the candidate set, from 1'),
        ),
        migrations.AddField(
            model_name='judgment',
            name='basis',
            field=models.CharField(blank=True, choices=[('recognised', 'I recognised it'), ('worked_out', 'I worked it out'), ('guessed', 'I guessed')], max_length=10),
        ),
        migrations.AddField(
            model_name='judgment',
            name='confidence',
            field=models.PositiveSmallIntegerField(blank=True, help_text='1 (not at all sure) to 5 (certain); null: not asked or not said', null=True),
        ),
        migrations.AddField(
            model_name='judgment',
            name='consent_version',
            field=models.PositiveIntegerField(blank=True, help_text='Version of the consent it was given under', null=True),
        ),
        migrations.AddField(
            model_name='study',
            name='ask_basis',
            field=models.BooleanField(default=False, help_text='Ask: recognised, worked out or guessed'),
        ),
        migrations.AddField(
            model_name='study',
            name='ask_confidence',
            field=models.BooleanField(default=False, help_text='Ask how sure the reader is'),
        ),
        migrations.AddField(
            model_name='study',
            name='check_every',
            field=models.PositiveSmallIntegerField(blank=True, help_text='A silent check item after so many items; null: none are mixed in', null=True),
        ),
        migrations.AddField(
            model_name='study',
            name='currency',
            field=models.CharField(blank=True, max_length=8),
        ),
        migrations.AddField(
            model_name='study',
            name='deleted',
            field=models.DateTimeField(blank=True, help_text='Put away: nobody sees it, and it can be brought back for 30 days', null=True),
        ),
        migrations.AddField(
            model_name='study',
            name='filling',
            field=models.CharField(choices=[('depth', 'Finish one item before the next'), ('breadth', 'Read every item once before any is read twice')], default='depth', max_length=8),
        ),
        migrations.AddField(
            model_name='study',
            name='pass_mark',
            field=models.PositiveSmallIntegerField(blank=True, help_text='Practice items a reader must get right before the work; null: none', null=True),
        ),
        migrations.AddField(
            model_name='study',
            name='quota',
            field=models.PositiveIntegerField(blank=True, help_text='At most so many items a reader, unless their enrolment says otherwise', null=True),
        ),
        migrations.AddField(
            model_name='study',
            name='rate',
            field=models.DecimalField(blank=True, decimal_places=2, help_text='Paid per item; null: not said', max_digits=8, null=True),
        ),
        migrations.AlterField(
            model_name='assignment',
            name='draft',
            field=models.JSONField(blank=True, default=dict, help_text='What was typed and not yet submitted'),
        ),
        migrations.AlterField(
            model_name='enrolment',
            name='consent_version',
            field=models.PositiveIntegerField(blank=True, help_text='Version of the consent this reader agreed to', null=True),
        ),
        migrations.AlterField(
            model_name='enrolment',
            name='state',
            field=models.CharField(choices=[('active', 'Active'), ('left', 'Left'), ('withdrawn', 'Withdrawn')], default='active', max_length=10),
        ),
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(fields=['study', 'status', 'place', 'item'], name='place_to_claim_breadth'),
        ),
        migrations.AddConstraint(
            model_name='judgment',
            constraint=models.CheckConstraint(condition=models.Q(('confidence', None), ('confidence__range', (1, 5)), _connector='OR'), name='judgment_confidence_1_to_5'),
        ),
        migrations.AddConstraint(
            model_name='judgment',
            constraint=models.CheckConstraint(condition=models.Q(('basis__in', ['', 'recognised', 'worked_out', 'guessed'])), name='judgment_basis_known'),
        ),
        migrations.AddField(
            model_name='consent',
            name='created_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='consent',
            name='study',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='consents', to='annotation.study'),
        ),
        migrations.AddField(
            model_name='decision',
            name='adjudicator',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='annotation.enrolment'),
        ),
        migrations.AddField(
            model_name='decision',
            name='item',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='decisions', to='annotation.item'),
        ),
        migrations.AddField(
            model_name='message',
            name='author',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='message',
            name='item',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='messages', to='annotation.item'),
        ),
        migrations.AddField(
            model_name='message',
            name='reader',
            field=models.ForeignKey(help_text='Whose talk it is', on_delete=django.db.models.deletion.CASCADE, related_name='messages', to='annotation.enrolment'),
        ),
        migrations.AddField(
            model_name='preferences',
            name='user',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='preferences', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddConstraint(
            model_name='consent',
            constraint=models.UniqueConstraint(fields=('study', 'version'), name='consent_version_once'),
        ),
        migrations.AddConstraint(
            model_name='decision',
            constraint=models.UniqueConstraint(fields=('item', 'revision'), name='decision_revision_once'),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(fields=['reader', 'item', 'created'], name='message_of_talk'),
        ),
        migrations.RunPython(guard, unguard),
        migrations.RunPython(restore, nothing),
    ]
