"""Where the answers of a system come from that nobody asks here: a file, or one of our rankers."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models

from annotation.models.machine import MachineReader
from annotation.models.record import AppendOnly


class AnswerForm(models.TextChoices):
    """In what form answers came."""

    ANSWERS = "answers", "An answer to each item"
    SCORES = "scores", "Scores of each item’s answers; the highest is the answer"
    STARTS = "starts", "RELiC’s submission; the passage that stands highest in its list is the answer"
    RANKER = "ranker", "A ranker of ours; the passage with the highest score is the answer"


class AnswerFile(AppendOnly):
    """What a machine reader's answers were read from. Written once; it goes with its reader.

    name: of the file, or of the ranker.
    sha256: of the file's bytes; of a ranker's, of the answers as lines of JSON.
    form: of `AnswerForm`.
    source, licence: as whoever read it in said them.
    n_answers: answers to work items; n_passed_over: what it says of other items, where its form allows that.
    n_tied: items on which two answers or more had the highest score: the first of them in canonical order
        was taken.
    details: of a ranker, what it was and what it ranked.
    """

    reader = models.OneToOneField(MachineReader, on_delete=models.CASCADE, related_name="answer_file")
    name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    form = models.CharField(max_length=8, choices=AnswerForm.choices)
    source = models.CharField(max_length=500)
    licence = models.CharField(max_length=200)
    n_answers = models.PositiveIntegerField()
    n_passed_over = models.PositiveIntegerField(default=0)
    n_tied = models.PositiveIntegerField(default=0)
    details = models.JSONField(default=dict)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["reader"]

    def __str__(self) -> str:
        return f"{self.name}, read as {self.reader.name}"
