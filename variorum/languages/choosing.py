"""The language of a reply, by the address that is asked for and by who asks.

Only readers' pages are translated: a page for researchers, the API, commands and exports are English,
and no page is half of each.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from django.db import OperationalError
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers

from annotation.reading.preferences import language_of, preferences_of

Next = Callable[[HttpRequest], HttpResponseBase]
READERS = re.compile(r"/($|work/|studies/|preferences/|join/|login/|logout/|password/|signin/|mail/)")
"""The addresses of readers' pages; what another address shows is for those who run studies or the site."""


def readers_language(get_response: Next) -> Next:
    """Show readers' pages in their reader's language, and every other page in English."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not READERS.match(request.path_info):
            return get_response(request)
        with translation.override(asked_for(request)):
            response = get_response(request)
        patch_vary_headers(response, ["Accept-Language"])
        return response

    return middleware


def asked_for(request: HttpRequest) -> str:
    """Return the code of the language that the person has chosen, else of the one their browser asks for."""
    try:
        return language_of(preferences_of(request.user), request)
    except OperationalError:
        # The page that says so needs a language, too.
        return translation.get_language_from_request(request)
