"""Choices among q options, as pages and commands ask for them."""

from __future__ import annotations

from annotation.models import Study
from evaluation.kinds.answers import AsOf
from evaluation.kinds.base import Answers, DataKind
from evaluation.kinds.nominal import choices, describe
from evaluation.kinds.nominal.apparatus import ChoiceApparatus
from evaluation.kinds.nominal.choices import Choices
from evaluation.kinds.nominal.cues import cue_audit
from evaluation.kinds.nominal.definitions import definitions
from evaluation.kinds.nominal.live import HABITS, HABITS_NOTE, seen
from evaluation.metrics.nominal.accuracy import INDIVIDUAL, MAJORITY
from evaluation.metrics.nominal.fleiss import GENERALISED_FLEISS
from evaluation.metrics.planning.pilot import Sampled
from evaluation.values.cues import CueAudit
from evaluation.values.definitions import Definitions
from evaluation.values.lines import Line, Numbers
from evaluation.values.live import Seen
from evaluation.values.report import KindReport, Report


class Nominal(DataKind[Choices]):
    """One of q interchangeable options, each judgment at a place of the screen."""

    name = "nominal"
    apparatus = ChoiceApparatus()
    habits = HABITS
    habits_note = HABITS_NOTE

    def read(self, study: Study, as_of: AsOf | None = None) -> Choices:
        return choices.read(study, as_of)

    def nothing(self, judged: Choices) -> str:
        return choices.nothing(judged)

    def compute(self, study: Study, judged: Choices, seed: int, resamples: int) -> Numbers:
        return choices.nominal(study, judged, seed, resamples)

    def against(self, judged: Choices, answers: Answers, seed: int, resamples: int) -> tuple[Line, ...]:
        return choices.against(judged, answers, seed, resamples)

    def describe(self, report: Report) -> KindReport:
        return describe.describe(report)

    def watch(self, study: Study, judged: Choices, seed: int) -> Seen:
        return seen(study, judged, seed)

    def definitions(self, study: Study, judged: Choices, seed: int, resamples: int) -> Definitions:
        return definitions(study, judged, seed, resamples)

    def primary(self, judged: Choices) -> tuple[Sampled, ...]:
        patterns = choices.table_of(judged).patterns
        return tuple(Sampled(one, patterns) for one in (INDIVIDUAL, MAJORITY, GENERALISED_FLEISS))

    def cues(self, study: Study) -> CueAudit | None:
        return cue_audit(study)
