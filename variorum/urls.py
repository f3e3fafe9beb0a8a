"""Which address leads where."""

from django.urls import include, path

from variorum import entrance, passwords, signin, views

urlpatterns = [
    path("", views.home, name="home"),
    path("login/", entrance.SignIn.as_view(), name="login"),
    path("logout/", entrance.SignOut.as_view(), name="logout"),
    path("password/", passwords.password, name="password"),
    path("signin/<str:token>/", signin.signin, name="signin"),
    path("api/v1/", include("variorum.api_urls")),
    path("", include("retrieval.urls")),
    path("", include("annotation.urls")),
    path("", include("evaluation.urls")),
]

handler400 = views.refused
handler500 = views.failed
