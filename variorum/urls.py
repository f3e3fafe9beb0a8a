"""Which address leads where."""

from django.urls import include, path

from variorum import entrance, passwords, signin, views

urlpatterns = [
    path("", views.home, name="home"),
    path("login/", entrance.SignIn.as_view(), name="login"),
    path("logout/", entrance.SignOut.as_view(), name="logout"),
    path("password/", passwords.password, name="password"),
    path("password/new/", passwords.new_password, name="new_password"),
    path("password/new/<int:pk>/", passwords.new_password_by, name="new_password_by"),
    path("signin/", signin.signin, name="signin"),
    path("signin/<int:pk>/", signin.signin_by, name="signin_by"),
    path("signin/<str:token>/", signin.signin_before, name="signin_before"),
    path("api/v1/", include("variorum.api_urls")),
    path("", include("retrieval.urls")),
    path("", include("annotation.urls")),
    path("", include("evaluation.urls")),
]

handler400 = views.refused
handler500 = views.failed
