"""A script's key ends with the password it was made under. Keys there are go on with the present one."""

from hashlib import sha256

from django.db import migrations, models


def bind(apps, schema_editor):
    for token in apps.get_model("annotation", "ApiToken").objects.select_related("user"):
        token.bound = sha256(token.user.password.encode()).hexdigest()
        token.save(update_fields=["bound"])


class Migration(migrations.Migration):
    dependencies = [("annotation", "0008_plain_numbers")]
    operations = [
        migrations.AddField(
            model_name="apitoken",
            name="bound",
            field=models.CharField(
                default="",
                editable=False,
                help_text="sha256 of the password hash: a new password ends the key",
                max_length=64,
            ),
            preserve_default=False,
        ),
        migrations.RunPython(bind, migrations.RunPython.noop),
    ]
