"""Drafts of choices name the option by its position, where its reader sees it, and no more by its number.

A draft whose number or order cannot be read loses the choice and keeps the words.
"""

from django.db import migrations


def by_position(order, number):
    return order.index(number)


def by_number(order, position):
    return order[position]


def renamed(draft, order, before, after, moved):
    """The draft with the field `after` in the place of `before`."""
    kept = {name: value for name, value in draft.items() if name != before}
    try:
        number = int(draft[before])
        if number < 0 or sorted(order) != list(range(len(order))):
            raise ValueError
        return {after: str(moved(order, number)), **kept}
    except (ValueError, IndexError):
        return kept


def rename(apps, before, after, moved):
    places = apps.get_model("annotation", "Assignment").objects
    found = places.filter(study__task="choice", draft__has_key=before).order_by()
    for place in list(found.only("draft", "order")):
        place.draft = renamed(place.draft, place.order, before, after, moved)
        place.save(update_fields=["draft"])


def forwards(apps, schema_editor):
    rename(apps, "option", "position", by_position)


def backwards(apps, schema_editor):
    rename(apps, "position", "option", by_number)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0010_grouped_numbers")]
    operations = [migrations.RunPython(forwards, backwards)]
