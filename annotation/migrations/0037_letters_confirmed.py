"""The language of an invitation; addresses that their owners confirmed, none of those that are known so far."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0035_stopping_rules'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='letter',
            name='language',
            field=models.CharField(default='en', help_text='Of an invitation: its language', max_length=10),
        ),
        migrations.AlterField(
            model_name='letter',
            name='kind',
            field=models.CharField(choices=[('invited', 'Invitation'), ('opened', 'The study has opened'), ('reminded', 'Reminder'), ('replied', 'Reply to a note'), ('decided', 'What was decided'), ('confirm', 'Confirm an address')], max_length=10),
        ),
        migrations.AlterField(
            model_name='mailtemplate',
            name='kind',
            field=models.CharField(choices=[('invited', 'Invitation'), ('opened', 'The study has opened'), ('reminded', 'Reminder'), ('replied', 'Reply to a note'), ('decided', 'What was decided'), ('confirm', 'Confirm an address')], max_length=10),
        ),
        migrations.CreateModel(
            name='ConfirmedAddress',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=32)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'digest'), name='confirmed_address_once')],
            },
        ),
    ]
