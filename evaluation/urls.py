"""Addresses of this app."""

from django.urls import path

from evaluation.allusion import views as allusion_views
from evaluation.apparatus import views as apparatus_views
from evaluation.bundle import views as bundle_views
from evaluation.cues import views as cue_views
from evaluation.difficulty import views as difficulty_views
from evaluation.microscope import views as microscope_views
from evaluation.paper import views as paper_views
from evaluation.planning import views as plan_views
from evaluation.qrels import views as qrels_views
from evaluation.ranking import views as rank_views
from evaluation.report import views
from evaluation.runs import views as run_views
from evaluation.runs.jobs import views as job_views
from evaluation.stopping import views as stopping_views
from evaluation.validation import views as validation_views
from evaluation.watch import views as watch_views

app_name = "evaluation"
urlpatterns = [
    path("results/<slug:slug>/", views.results, name="results"),
    path("results/<slug:slug>/microscope/", microscope_views.microscope, name="microscope"),
    path("results/<slug:slug>/cues/", cue_views.cues, name="cues"),
    path("results/<slug:slug>/difficulty/", difficulty_views.hard, name="difficulty"),
    path("results/<slug:slug>/apparatus/", apparatus_views.apparatus, name="apparatus"),
    path("results/<slug:slug>/apparatus/<int:number>/", apparatus_views.one_item, name="apparatus_item"),
    path("results/<slug:slug>/qrels/", qrels_views.qrels, name="qrels"),
    path("results/<slug:slug>/queries/", allusion_views.span_queries, name="span_queries"),
    path("results/<slug:slug>/paper/", paper_views.paper, name="paper"),
    path("results/<slug:slug>/validation/", validation_views.validated, name="validation"),
    path("results/<slug:slug>/bundle/", bundle_views.bundle, name="bundle"),
    path("plan/", plan_views.planner, name="plan"),
    path("stopping/<slug:slug>/", stopping_views.stopping, name="stopping"),
    path("watch/<slug:slug>/", watch_views.watching, name="watch"),
    path("corpora/<slug:slug>/evaluation/<slug:topics>/", run_views.runs, name="runs"),
    path("corpora/<slug:slug>/allusions/<slug:topics>/", allusion_views.allusions, name="allusions"),
    path(
        "corpora/<slug:slug>/allusions/<slug:topics>/runs/",
        allusion_views.allusion_runs,
        name="allusion_runs",
    ),
    path("evaluations/<int:pk>/", job_views.evaluation, name="evaluation"),
    path("evaluations/<int:pk>/progress/", job_views.evaluation_state, name="evaluation_state"),
    path("evaluations/<int:pk>/cancel/", job_views.evaluation_cancel, name="evaluation_cancel"),
    path("evaluations/<int:pk>/retry/", job_views.evaluation_retry, name="evaluation_retry"),
    path("jobs/<int:pk>/ranking/", rank_views.ranking, name="ranking"),
]
