"""Judgment.door is called channel, and Assignment.place slot. No row is written and no table made anew.

Triggers and indexes know their columns by themselves; the names in the indexes and constraints of the
models follow here, whatever else a migration before this one has put into them.
"""

from django.db import migrations


def renamed(names, old, new):
    return [new if each == old else each for each in names]


class Rename(migrations.RenameField):
    """RenameField, which leaves the names in `Meta.indexes`, `constraints` and `ordering` as they were."""

    def state_forwards(self, app_label, state):
        self.follow(state.models[app_label, self.model_name_lower].options)
        super().state_forwards(app_label, state)

    def follow(self, options):
        indexes = []
        for index in options.get("indexes", ()):
            path, args, kwargs = index.deconstruct()
            if "fields" in kwargs:
                kwargs["fields"] = renamed(kwargs["fields"], self.old_name, self.new_name)
            indexes.append(type(index)(*args, **kwargs))
        options["indexes"] = indexes
        constraints = []
        for constraint in options.get("constraints", ()):
            path, args, kwargs = constraint.deconstruct()
            if "fields" in kwargs:
                kwargs["fields"] = tuple(renamed(kwargs["fields"], self.old_name, self.new_name))
            constraints.append(type(constraint)(*args, **kwargs))
        options["constraints"] = constraints
        if options.get("ordering"):
            options["ordering"] = renamed(options["ordering"], self.old_name, self.new_name)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0012_numbers_by_type")]
    operations = [Rename("judgment", "door", "channel"), Rename("assignment", "place", "slot")]
