"""Make doccano's database: run by the peer's own Python, in the folder of its program.

    python project.py READERS < TEXTS

Reads the texts of the items, a line of JSON each, and prints as JSON the project's number, the numbers of its
labels and a session of each reader. Readers annotate apart
from each other, as ours do.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import django


def make(texts: list[str], readers: int) -> dict[str, Any]:
    """A project for classifying texts, everybody signed in."""
    from django.contrib.auth.models import User
    from examples.models import Example
    from label_types.models import CategoryType
    from projects.models import Member, ProjectType, TextClassificationProject
    from roles.models import Role

    people = [User.objects.create_user(f"reader-{number}") for number in range(readers)]
    project = TextClassificationProject.objects.create(
        name="load",
        project_type=ProjectType.DOCUMENT_CLASSIFICATION,
        single_class_classification=True,
        created_by=people[0],
    )
    role = Role.objects.get(name="annotator")
    for person in people:
        Member.objects.create(project=project, user=person, role=role)
    labels = [CategoryType.objects.create(project=project, text=f"option {each}").pk for each in range(3)]
    for text in texts:
        Example.objects.create(project=project, text=text)
    return {"project": project.pk, "labels": labels, "sessions": [session_of(person) for person in people]}


def session_of(person: Any) -> str:
    """Sign in without a password, which would take longer than the run."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    store = SessionStore()
    store[SESSION_KEY] = str(person.pk)
    store[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    store[HASH_SESSION_KEY] = person.get_session_auth_hash()
    store.save()
    return str(store.session_key)


if __name__ == "__main__":
    sys.path.insert(0, ".")
    django.setup()
    from django.core.management import call_command

    for command in ("migrate", "create_roles"):
        call_command(command, verbosity=0)
    print(json.dumps(make([json.loads(line) for line in sys.stdin], int(sys.argv[1]))))
