"""`manage.py erase_annotator NAME [--study S]`: a person withdraws, and who they were disappears."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from annotation.management.console import in_one_sentence
from annotation.models import Enrolment
from annotation.people import withdrawal
from common.wording import counted


class Command(BaseCommand):
    help = (
        "Erase a reader or adjudicator: name, account and messages go; judgments are kept under the "
        "pseudonym or dropped, as the consent they gave says."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="user name of the account")
        parser.add_argument("--study", help="short name of the one study to withdraw from; default: all")
        rule = parser.add_mutually_exclusive_group()
        rule.add_argument("--drop", action="store_true", help="drop the judgments, whatever the consent says")
        rule.add_argument("--keep", action="store_true", help="keep the judgments, whatever the consent says")
        parser.add_argument("--yes", action="store_true", help="do not ask once more")

    def handle(self, *args: Any, **options: Any) -> None:
        name, slug = options["name"], options["study"]
        rows = Enrolment.objects.filter(user__username=name).select_related("study").order_by("pk")
        found = list(rows.filter(study__slug=slug) if slug else rows)
        if not found:
            raise CommandError(f"{name!a} is in no study" + (f" of the name {slug!a}." if slug else "."))
        drop = True if options["drop"] else False if options["keep"] else None
        if not options["yes"]:
            self.ask(name, found, drop)
        with in_one_sentence(), transaction.atomic():
            done = [withdrawal.erase(each, now=timezone.now(), drop=drop) for each in found]
        for each in done:
            said = "kept under the pseudonym" if each.kept else "dropped; others can read these items"
            self.stdout.write(
                f"“{each.study}”: {each.pseudonym} is nobody now; "
                f"{counted(each.judgments, 'judgment')} {said}."
            )
        gone = any(each.account for each in done)
        self.stdout.write(
            "The account is deleted." if gone else "The account stays: other things hang on it."
        )

    def ask(self, name: str, found: list[Enrolment], drop: bool | None) -> None:
        """Say what will happen, and go on only when the name is typed."""
        for each in found:
            kept = withdrawal.keeps_judgments(each) if drop is None else not drop
            n = counted(each.judgments.count(), "judgment")
            what = "kept under the pseudonym" if kept else "dropped"
            self.stdout.write(f"“{each.study.slug}”, {each.pseudonym}: {n} will be {what}.")
        if input("This cannot be undone. Type the user name to go on: ").strip() != name:
            raise CommandError("Nothing was erased: the name was not typed.")
