"""Which address leads where."""

from django.urls import include, path

from variorum import views
from variorum.accounts import link_page, login, passwords

urlpatterns = [
    path("", views.home, name="home"),
    path("login/", login.SignIn.as_view(), name="login"),
    path("logout/", login.SignOut.as_view(), name="logout"),
    path("password/", passwords.password, name="password"),
    path("password/new/", passwords.new_password, name="new_password"),
    path("password/new/<int:pk>/", passwords.new_password_by, name="new_password_by"),
    path("signin/", link_page.signin, name="signin"),
    path("signin/<int:pk>/", link_page.signin_by, name="signin_by"),
    path("signin/<str:token>/", link_page.signin_by_path, name="signin_before"),
    path("api/v1/", include("variorum.api.urls")),
    path("", include("retrieval.urls")),
    path("", include("retrieval.corpora.urls")),
    path("", include("machines.urls")),
    path("", include("annotation.urls")),
    path("", include("evaluation.urls")),
]

handler400 = views.refused
handler404 = views.missing
handler500 = views.failed
