"""Addresses of the API, below /api/v1/."""

from django.urls import path
from rest_framework.routers import SimpleRouter

from annotation.api.assignments import AssignmentJudgment, AssignmentKeep, AssignmentTakeBack, NextAssignment
from annotation.api.machines import MachineReaderViewSet
from annotation.api.people import InvitationViewSet, PeopleViewSet
from annotation.api.samples import SamplePreview, SampleTakenBack, SampleView
from annotation.api.studies import StudyViewSet
from annotation.api.webhooks import WebhookViewSet
from evaluation.paper.api import (
    StudyCitationView,
    StudyLayoutsView,
    StudyMethodsView,
    StudyPicturesView,
)
from evaluation.qrels.api import StudyQrelsView
from evaluation.report.api import StudyFiguresView, StudyReportView
from evaluation.runs.api import RunsEvaluation
from evaluation.runs.jobs.api import EvaluationViewSet
from evaluation.stopping.api import StoppingView
from evaluation.validation.api import StudyValidationView
from retrieval.api.candidates import JobViewSet
from retrieval.api.corpora.asked import AskedViewSet
from retrieval.api.corpora.searches import SearchViewSet
from retrieval.api.corpora.views import CorpusViewSet, TopicSetViewSet
from retrieval.api.loading import LoadingViewSet
from retrieval.api.search import BookSearch
from retrieval.api.texts import BookViewSet, SourceViewSet
from retrieval.api.training import TrainingViewSet
from variorum.api.page import api_page
from variorum.api.schema_view import SchemaView

router = SimpleRouter()
router.register("books", BookViewSet, basename="books")
router.register("sources", SourceViewSet, basename="sources")
router.register("jobs", JobViewSet, basename="jobs")
router.register("trainings", TrainingViewSet, basename="trainings")
router.register("loadings", LoadingViewSet, basename="loadings")
router.register("corpora", CorpusViewSet, basename="corpora")
router.register("topics", TopicSetViewSet, basename="topics")
router.register("searches", SearchViewSet, basename="searches")
router.register("asked", AskedViewSet, basename="asked")
router.register("evaluations", EvaluationViewSet, basename="evaluations")
router.register("studies", StudyViewSet, basename="studies")
OF_STUDY = r"studies/(?P<slug>[-\w]+)"
router.register(f"{OF_STUDY}/machines", MachineReaderViewSet, basename="machines")
router.register(f"{OF_STUDY}/people", PeopleViewSet, basename="people")
router.register(f"{OF_STUDY}/webhooks", WebhookViewSet, basename="webhooks")
router.register(f"{OF_STUDY}/invitations", InvitationViewSet, basename="invitations")

app_name = "api"
urlpatterns = [
    path("", api_page, name="page"),
    path("schema/", SchemaView.as_view(), name="schema"),
    path("studies/<slug:slug>/report/", StudyReportView.as_view(), name="report"),
    path("studies/<slug:slug>/figures/", StudyFiguresView.as_view(), name="figures"),
    path("studies/<slug:slug>/validation/", StudyValidationView.as_view(), name="validation"),
    path("studies/<slug:slug>/sample/", SampleView.as_view(), name="sample"),
    path("studies/<slug:slug>/sample/preview/", SamplePreview.as_view(), name="sample_preview"),
    path("studies/<slug:slug>/sample/take-back/", SampleTakenBack.as_view(), name="sample_back"),
    path("studies/<slug:slug>/layouts/", StudyLayoutsView.as_view(), name="layouts"),
    path("studies/<slug:slug>/methods/", StudyMethodsView.as_view(), name="methods"),
    path("studies/<slug:slug>/citation/", StudyCitationView.as_view(), name="citation"),
    path("studies/<slug:slug>/pictures/", StudyPicturesView.as_view(), name="pictures"),
    path("studies/<slug:slug>/stopping/", StoppingView.as_view(), name="stopping"),
    path("studies/<slug:slug>/qrels/", StudyQrelsView.as_view(), name="qrels"),
    path("studies/<slug:slug>/next/", NextAssignment.as_view(), name="next"),
    path("assignments/<int:pk>/judgment/", AssignmentJudgment.as_view(), name="judgment"),
    path("assignments/<int:pk>/take-back/", AssignmentTakeBack.as_view(), name="take_back"),
    path("assignments/<int:pk>/keep/", AssignmentKeep.as_view(), name="keep"),
    path("books/<slug:slug>/search/", BookSearch.as_view(), name="search"),
    path("corpora/<slug:slug>/evaluation/<slug:topics>/", RunsEvaluation.as_view(), name="evaluation"),
    *router.urls,
]
