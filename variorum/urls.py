"""Which address leads where."""

from django.contrib.auth import views as auth
from django.urls import include, path

from variorum import signin, views

urlpatterns = [
    path("", views.home, name="home"),
    path("login/", auth.LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    path("signin/<str:token>/", signin.signin, name="signin"),
    path("api/v1/", include("variorum.api_urls")),
    path("", include("retrieval.urls")),
    path("", include("annotation.urls")),
    path("", include("evaluation.urls")),
]

handler400 = views.refused
handler500 = views.failed
