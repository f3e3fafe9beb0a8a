"""Signing in and out, as a page and in place.

A page whose login has ended asks in a dialog of its own and reads JSON here: who is
signed in, and the token its forms need from now on, since signing in makes a new one.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.middleware.csrf import get_token
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache

from annotation.reading.pending_answer import restore
from variorum.accounts import throttle
from variorum.accounts.recorded import record_limit


def by_script(request: HttpRequest) -> bool:
    """Return whether a script of the page asks, and wants JSON."""
    return request.headers.get("Accept") == "application/json"


def who(request: HttpRequest) -> JsonResponse:
    """Return who is signed in, with a token for the next form."""
    return JsonResponse({"user": request.user.pk, "csrf": get_token(request)})


class SignInForm(AuthenticationForm):
    """Name and password; Django's refusal, in words of ours where it is translated."""

    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": gettext_lazy(
            "Please enter a correct %(username)s and password. Note that both fields may be case-sensitive."
        ),
    }


class SignIn(LoginView):
    """Sign in, as a page or for the dialog of a page whose login has ended."""

    authentication_form = SignInForm
    redirect_authenticated_user = True

    @method_decorator(never_cache)
    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if by_script(request) and request.method == "GET":
            return who(request)
        return super().dispatch(request, *args, **kwargs)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        name, address = request.POST.get("username", ""), throttle.address_of(request)
        try:
            self.tried = throttle.begin(name, address, timezone.now())
        except throttle.TooMany as error:
            return self.refuse(error)
        return super().post(request, *args, **kwargs)

    def refuse(self, error: throttle.TooMany) -> HttpResponse:
        """Refuse a try that is one too many, without looking at the password."""
        record_limit(self.request.POST.get("username", ""))
        if by_script(self.request):
            response: HttpResponse = JsonResponse({"error": str(error)}, status=429)
        else:
            form = self.get_form_class()(
                self.request, initial={"username": self.request.POST.get("username")}
            )
            response = self.render_to_response(self.get_context_data(form=form, refused=str(error)))
            response.status_code = 429
        response["Retry-After"] = str(error.minutes * 60)
        return response

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        throttle.forgive(self.tried)
        response = super().form_valid(form)
        restore(self.request)
        return who(self.request) if by_script(self.request) else response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        if not by_script(self.request):
            return super().form_invalid(form)
        sentences = [str(error) for errors in form.errors.values() for error in errors]
        return JsonResponse({"error": " ".join(sentences)}, status=422)


class SignOut(LogoutView):
    """Sign out. Nothing of a reader's work stays in the browser of a machine that others use.

    What waits in it for somebody else (`others`) does: scripts have removed this reader's own.
    """

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = super().post(request, *args, **kwargs)
        if "others" not in request.POST:
            response["Clear-Site-Data"] = '"storage"'
        return response
