"""/api/v1/: the door for scripts."""

from django.urls import path
from drf_spectacular.views import SpectacularAPIView
from rest_framework.routers import SimpleRouter

from annotation.api import StudyViewSet
from annotation.place_api import NextPlace, PlaceJudgment
from retrieval.api import BookViewSet, JobViewSet
from retrieval.loading_api import LoadingViewSet
from retrieval.search_api import BookSearch
from retrieval.training_api import TrainingViewSet
from variorum import api_schema  # noqa: F401 - registers how scripts sign in
from variorum.api_page import api_page

router = SimpleRouter()
router.register("books", BookViewSet, basename="books")
router.register("jobs", JobViewSet, basename="jobs")
router.register("trainings", TrainingViewSet, basename="trainings")
router.register("loadings", LoadingViewSet, basename="loadings")
router.register("studies", StudyViewSet, basename="studies")

app_name = "api"
urlpatterns = [
    path("", api_page, name="page"),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("studies/<slug:slug>/next/", NextPlace.as_view(), name="next"),
    path("places/<int:pk>/judgment/", PlaceJudgment.as_view(), name="judgment"),
    path("books/<slug:slug>/search/", BookSearch.as_view(), name="search"),
    *router.urls,
]
